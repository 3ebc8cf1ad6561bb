// A table of Koi-Koi in one window: the opponent's strip, stock and field, a sentence, the own strip, the hand.
import { card, cardName } from "../cards.js";
import { h } from "../dom.js";
import { number, t } from "../words.js";
import { fieldOf, lastMove, place, sentence, stageText } from "./hana.js";
import { opponentLevel, opponentName, tableMark } from "./hand.js";

const DECK = "hanafuda";
const KINDS = ["B", "A", "R", "C"]; // letters of codes: bright, animal, ribbon, chaff
const name = (code) => cardName(code, DECK);
const unseen = (text) => h("span", { class: "unseen" }, " ", text);

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

// Stock, field in two rows and the last move.
function middle(table, stage) {
  const stock = h("div", { class: "hana-stock" }, card(null, DECK), h("span", { class: "hana-badge" },
    table.picture.more.stock), unseen(t("koikoi.stock")));
  return h("div", { class: "hana-middle" }, stock, fieldOf(table, stage), lastMove(table));
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
  const { said } = table; // by a lesson
  const text = stage ? stageText(table, stage) : said ?? sentence(table);
  return h("section", { class: "koikoi hana-table", "aria-label": t("koikoi.table") },
    strip(opponentName(table), [opponentLevel(table), held].filter(Boolean).join(" · "),
      pile(piles[1 - seat], t("koikoi.opponent pile"), fresh), backs),
    middle(table, stage), h("p", { class: said && !stage ? "hana-say lesson" : "hana-say", "data-usual": stage || said ? null : sentence(table) }, text),
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
  return [tableMark(table) || h("b", {}, over ? t("koikoi.match over") : t("koikoi.round", { round: shown, rounds })),
    h("span", { class: "pill score" }, t("koikoi.you"), ` ${number(own)} : `, opponentName(table), ` ${number(other)}`)];
}
