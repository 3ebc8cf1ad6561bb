// A table of Koi-Koi: piles, field, hand, the choice between stop and koi-koi, the end of a round.
import { card, cardName } from "../cards.js";
import { h } from "../dom.js";
import { say, t } from "../words.js";
import { nearYaku, pointsText, sumTable, yakuList } from "./yaku.js";

const DECK = "hanafuda";
const KINDS = ["B", "A", "R", "C"]; // letters of codes: bright, animal, ribbon, chaff
const FEWEST = 4; // columns of the field
const name = (code) => cardName(code, DECK);
const unseen = (text) => h("span", { class: "unseen" }, " ", text);
const title = (who, text) => h("h2", {}, t(`koikoi.${who}`), " ", h("small", {}, text));

// Whether a picture has the facts of a round of Koi-Koi.
export const isKoikoi = ({ deck, more }) => deck === DECK && "captures" in more;

// Captured cards by kind, with counts.
function pile(codes, label) {
  const group = (kind) => {
    const cards = codes.filter((code) => code.includes(kind));
    return h("div", {}, h("span", { class: "hana-count" }, t(`koikoi.kind.${kind}`), ` ${cards.length}`),
      h("ul", { class: "hana-row list" }, cards.map((code) => h("li", { title: name(code) }, card(code, DECK)))));
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
function control(label, actions, attributes, ...content) {
  const action = actions.find((each) => each.label === label);
  const chosen = action ? { "data-action": action.index } : { role: "img" };
  return h(action ? "button" : "div", { ...attributes, ...chosen }, content);
}

// A card of the hand or the field: a button if it can be chosen.
function place(code, verb, { picture: { more }, actions }) {
  const face = card(code, DECK);
  const ways = more.choice === verb && more.captures[code];
  if (!ways) return h("li", {}, h("div", { class: "hana-card" }, face));
  const taken = (some) => some.flatMap((way) => way.takes).join(" ");
  const best = ways.filter((way) => way.completes.length);
  const mark = best.length ? " completes" : taken(ways) ? " takes" : "";
  const attributes = {
    class: `hana-card${mark}`, "data-takes": taken(ways), "data-completes": taken(best),
    "aria-label": effectOf(more.shown ?? code, ways),
  };
  const note = best.length > 0 && h("span", { class: "hana-note" }, say(best[0].completes[0].name));
  return h("li", {}, control(code, actions, attributes, face, note));
}

function field(table) {
  const { table: codes, more } = table.picture;
  const columns = `repeat(${Math.max(FEWEST, Math.floor((codes.length + 2) / 2))}, minmax(0, 6rem))`;
  const stock = h("div", { class: "hana-card" }, card(null, DECK), h("span", { class: "hana-badge" }, more.stock),
    unseen(t("koikoi.stock")));
  return h("ul", { class: "hana-field list", style: { gridTemplateColumns: columns }, "aria-label": t("koikoi.field") },
    codes.map((code) => place(code, "take", table)), h("li", {}, stock));
}

// The question which card is taken.
const question = ({ shown }) => shown && h("p", { class: "hana-say row" }, card(shown, DECK),
  t("koikoi.which", { card: name(shown) }));

function part(heading, items) {
  return items.length > 0 && h("div", {}, h("h3", {}, heading), h("ul", { class: "list" }, items));
}

// What still multiplies the points.
function multipliers({ limit, lacks, called, is_called: isCalled }) {
  return [
    lacks > 0 && t("koikoi.to double", { points: pointsText(lacks), limit }),
    called > 1 && t("koikoi.risk", { factor: called }),
    called > 1 && !isCalled && t("koikoi.if called", { factor: called }),
  ].filter(Boolean);
}

// The choice between stop and koi-koi.
function choiceSheet({ picture: { more }, actions }) {
  const { own, opponent, doubles } = more;
  const stop = t("koikoi.stop", { points: pointsText(own.score.points) });
  return h("section", { class: "hana-sheet", "aria-label": t("koikoi.choice") }, h("h2", {}, t("koikoi.choice")),
    h("div", { class: "row" }, control("stop", actions, { class: "main" }, stop),
      control("koi-koi", actions, {}, t("koikoi.koi-koi"))),
    h("div", { class: "hana-parts" },
      h("div", {}, sumTable(own.score, more.player),
        part(t("koikoi.doubles"), multipliers(doubles).map((text) => h("li", {}, text)))),
      part(t("koikoi.near"), nearYaku(own)), part(t("koikoi.opponent near"), nearYaku(opponent))));
}

// The end of a round, with its sum line by line.
function endSheet({ ending: { winner, points, reason, score }, player }) {
  const result = winner === null ? "none" : winner === player ? "won" : "lost";
  return h("section", { class: "hana-sheet", "data-role": "ending" },
    h("h2", {}, t(`koikoi.${result}`, { points: pointsText(points) })), h("p", {}, t(`koikoi.ended.${reason}`)),
    score && sumTable(score, player));
}

// The table of a round: {picture, seat, actions}; without actions no card is a button.
export function koikoiTable(table) {
  const { picture, seat } = table;
  const { more, piles } = picture;
  const held = t("koikoi.cards", { n: more.opponent.hand });
  const backs = Array.from({ length: more.opponent.hand }, () => card(null, DECK));
  const sheet = more.ending ? endSheet(more) : more.choice === "koi-koi" && choiceSheet(table);
  return h("section", { class: "koikoi hana-table", "aria-label": t("koikoi.table") },
    h("div", {}, title("opponent", held),
      h("div", { class: "hana-top" }, pile(piles[1 - seat], t("koikoi.opponent pile")),
        h("div", { class: "hana-backs", role: "img", "aria-label": held }, backs))),
    h("div", { class: "hana-middle" }, field(table), question(more), sheet),
    h("div", {}, title("you", t("koikoi.turn", { turn: more.turn, turns: more.of_turns })),
      pile(piles[seat], t("koikoi.own pile")),
      h("ul", { class: "hana-hand list", "aria-label": t("koikoi.hand") },
        picture.hand.map((code) => place(code, "lay", table))),
      h("p", { class: "hana-say" })));
}

// The progress of both players to each yaku.
export const koikoiSide = ({ more }) => h("section", { class: "koikoi panel" },
  ["own", "opponent"].map((side) => yakuList(more[side], t(`koikoi.${side} yaku`), side)));

// Round, points and dealer of a match, or its winner; between: the last round is still on the table.
export function matchText({ round, rounds, points: [own, other], deals, over }, between) {
  const values = { round: round - between, rounds, own, other };
  if (over) return t(`koikoi.over ${own > other ? "won" : own < other ? "lost" : "even"}`, values);
  return t("koikoi.match", values) + t(`koikoi.${deals ? "deals" : "is dealt"}${between ? " next" : ""}`);
}
