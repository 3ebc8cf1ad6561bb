// A table of Koi-Koi in one window: the opponent's strip, stock and field, a sentence, the own strip, the hand.
import { card, cardName } from "../cards.js";
import { h } from "../dom.js";
import { number, say, signed, t } from "../words.js";
import { opponentLevel, opponentName } from "./hand.js";
import { lastMove } from "./koikoi_moves.js";

const DECK = "hanafuda";
const KINDS = ["B", "A", "R", "C"]; // letters of codes: bright, animal, ribbon, chaff
const name = (code) => cardName(code, DECK);
const unseen = (text) => h("span", { class: "unseen" }, " ", text);

// Whether a picture has the facts of a round of Koi-Koi.
export const isKoikoi = ({ deck, more }) => deck === DECK && "captures" in more;

// Captured cards by kind, with counts; new cards carry the mark of the last move.
function pile(codes, label, fresh) {
  const group = (kind) => {
    const cards = codes.filter((code) => code.includes(kind));
    const sorted = [...cards.filter((code) => !fresh.includes(code)), ...cards.filter((code) => fresh.includes(code))];
    return h("div", {}, h("span", { class: "hana-count" }, t(`koikoi.kind.${kind}`), " ", h("b", {}, cards.length)),
      h("ul", { class: "hana-row list" }, sorted.map((code) =>
        h("li", { title: name(code), class: fresh.includes(code) && "fresh" }, card(code, DECK)))));
  };
  return h("div", { class: "hana-pile", role: "group", "aria-label": label }, KINDS.map(group));
}

// What a card takes, and the yaku that it completes or improves, in words.
function effectOf(code, ways) {
  const takes = ways.filter((way) => way.takes.length).map((way) => way.takes.map(name).join(", "));
  const effect = takes.length ? t("koikoi.takes", { cards: takes.join(t("koikoi.or")) }) : t("koikoi.stays");
  const yaku = new Set(ways.flatMap((way) => way.completes).map((each) => `${say(each.name)} ${each.points}`));
  const text = `${name(code)}: ${effect}`;
  return yaku.size ? t("koikoi.completes", { effect: text, yaku: [...yaku].join(", ") }) : text;
}

// A control of an action; without an action, a picture.
export function control(label, actions, attributes, ...content) {
  const action = actions.find((each) => each.label === label);
  const chosen = action ? { "data-action": action.index } : { role: "img" };
  return h(action ? "button" : "div", { ...attributes, ...chosen }, content);
}

// The coach's value under a card, if it is shown before the decision.
function valueOf(code, { advice, actions }) {
  if (!advice?.hint) return null;
  const action = advice.actions.find((each) => each.label === code);
  return action && h("span", { class: action.good ? "hana-value good" : "hana-value" },
    action.good && "✓ ", signed(action.value, 2), action.good && unseen(t("coach.as good")));
}

// A card of the hand or the field: a button if it can be chosen.
function place(code, verb, table) {
  const { picture: { more }, actions } = table;
  const face = card(code, DECK);
  const ways = more.choice === verb && more.captures[code];
  if (!ways) return h("li", {}, h("div", { class: "hana-card" }, face));
  const taken = (some) => some.flatMap((way) => way.takes).join(" ");
  const best = ways.filter((way) => way.completes.length);
  const mark = best.length ? " completes" : taken(ways) ? " takes" : "";
  const attributes = {
    class: `hana-card${mark}${table.marks?.[code] ?? ""}`, "data-takes": taken(ways), "data-completes": taken(best),
    "aria-label": effectOf(more.shown ?? code, ways),
  };
  const note = best.length > 0 && h("span", { class: "hana-note" }, say(best[0].completes[0].name));
  return h("li", {}, control(code, actions, attributes, face, note), valueOf(code, table));
}

// Stock, field in two rows and the last move; a moved card lies over its partner.
function middle(table, stage) {
  const { table: codes, more } = table.picture;
  const stock = h("div", { class: "hana-stock" }, card(null, DECK), h("span", { class: "hana-badge" }, more.stock),
    unseen(t("koikoi.stock")));
  const moved = stage?.moved;
  const over = (code) => moved?.over === code && h("div", { class: "hana-moved" }, card(moved.card, DECK));
  const cell = (code) => (moved?.over === code
    ? h("li", { class: "under" }, h("div", { class: "hana-card" }, card(code, DECK)), over(code)) : place(code, "take", table));
  const lone = moved && !moved.over && h("li", { class: "under" }, h("div", { class: "hana-card hana-lone" },
    card(moved.card, DECK)));
  const columns = Math.ceil((codes.length + (lone ? 1 : 0)) / 2);
  return h("div", { class: "hana-middle" }, stock,
    h("ul", { class: "hana-field list", "data-columns": columns, "data-many": columns > 5 ? columns : null,
      style: { "--columns": columns }, "aria-label": t("koikoi.field") }, codes.map(cell), lone),
    lastMove(table));
}

// The sentence below the field.
export function sentence(table) {
  const { picture: { more }, actions } = table;
  if (more.ending) return "";
  if (more.shown) return t("koikoi.which", { card: name(more.shown) });
  if (more.choice === "koi-koi") return t("koikoi.choice");
  return actions.length ? t("koikoi.your turn") : "";
}

const DOTS = ["plays", "takes", "turns over", "takes"];

// The opponent's turn in stages: a dot for each, the present one filled.
function stageText(table, stage) {
  return [h("b", {}, t("koikoi.turn of", { who: opponentName(table) })),
    DOTS.map((each, index) => h("span", { class: index === stage.index ? "dot now" : index < stage.index ? "dot done" : "dot" },
      t(`koikoi.stage.${each}`))), h("small", {}, t("koikoi.any key"))];
}

// A player's name with facts, captured cards, and the backs of the opponent's hand.
function strip(who, about, cards, more = null) {
  return h("div", { class: "hana-strip" }, h("div", { class: "hana-who" }, h("h2", {}, who), h("small", {}, about)), cards,
    more);
}

// The felt of a round: {picture, seat, actions, opponents}; without actions no card is a button.
export function koikoiTable(table, stage = null) {
  const { picture, seat, match } = table;
  const { more, piles, hand } = picture;
  const held = t("koikoi.cards", { n: more.opponent.hand });
  const fresh = stage?.fresh ?? table.fresh ?? [];
  const backs = h("div", { class: "hana-backs", role: "img", "aria-label": held },
    Array.from({ length: more.opponent.hand }, () => card(null, DECK)));
  const own = [match && t(match.deals ? "koikoi.dealer" : "koikoi.second"),
    t("koikoi.turn", { turn: more.turn, turns: more.of_turns })].filter(Boolean).join(" · ");
  const text = stage ? stageText(table, stage) : sentence(table);
  return h("section", { class: "koikoi hana-table", "aria-label": t("koikoi.table") },
    strip(opponentName(table), [opponentLevel(table), held].filter(Boolean).join(" · "),
      pile(piles[1 - seat], t("koikoi.opponent pile"), fresh), backs),
    middle(table, stage), h("p", { class: "hana-say", "data-usual": stage ? null : sentence(table) }, text),
    strip(t("koikoi.you"), own, pile(piles[seat], t("koikoi.own pile"), fresh)),
    h("ul", { class: "hana-hand list", "data-rows": hand.length > 5 ? 2 : 1, "aria-label": t("koikoi.hand") },
      hand.map((code) => place(code, "lay", table))));
}

// Round, points and dealer of a match, or its winner; between: the last round is still on the table.
export function matchText({ round, rounds, points: [own, other], deals, over }, between) {
  const values = { round: round - between, rounds, own, other };
  if (over) return t(`koikoi.over ${own > other ? "won" : own < other ? "lost" : "even"}`, values);
  return t("koikoi.match", values) + t(`koikoi.${deals ? "deals" : "is dealt"}${between ? " next" : ""}`);
}

// Round and score of a match for the head of the page.
export function matchHead(table) {
  const { match, end } = table;
  if (!match) return [];
  const { round, rounds, points: [own, other], over } = match;
  const shown = round - (end !== null && !over);
  return [h("b", {}, over ? t("koikoi.match over") : t("koikoi.round", { round: shown, rounds })),
    h("span", { class: "pill score" }, t("koikoi.you"), ` ${number(own)} : `, opponentName(table), ` ${number(other)}`)];
}
