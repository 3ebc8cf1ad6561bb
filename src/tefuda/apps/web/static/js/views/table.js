// The table of any game: opponents above, public cards in the middle, own cards below.
import { card } from "../cards.js";
import { h } from "../dom.js";
import { say, t } from "../words.js";
import { amountText, playerName } from "./hand.js";
import { isKoikoi, koikoiTable } from "./koikoi.js";

const fact = (key, amount) =>
  (amount ?? null) !== null && h("span", {}, t(`board.${key}`, { amount: amountText(amount) }));

// A list of cards with a name; face-down cards are counted in words.
function cardList(codes, deck, label, hidden = 0) {
  const backs = Array.from({ length: hidden }, () => h("li", {}, card(null, deck)));
  return h("ul", { class: "cards-row list", "aria-label": label }, codes.map((code) => h("li", {}, card(code, deck))),
    hidden > 0 && h("li", {}, h("span", { class: "unseen" }, t("board.hidden", { n: hidden })),
      h("ul", { class: "cards-row list", "aria-hidden": "true" }, backs)));
}

// A player's part of the table: chips, cards, and cards won.
function seatPart(table, player) {
  const { picture, seat, end } = table;
  const { deck, more } = picture;
  const own = player === seat;
  const who = playerName(table, player);
  const facts = [
    fact("bet", picture.bets[player] || null), fact("stack", picture.stacks[player]),
    fact("points", picture.points[player]), picture.folded[player] && h("span", {}, t("board.folded")),
    more.button === player && h("span", {}, t("board.button")),
  ];
  const shown = end?.shown.find((each) => each.seat === player)?.hand ?? [];
  const label = own ? t("board.own cards") : t("board.cards of", { who });
  const hidden = own || shown.length ? 0 : picture.hidden[player] ?? 0;
  const pile = picture.piles[player] ?? [];
  return h("section", { class: own ? "seat own" : "seat", "aria-label": who }, h("h2", {}, who),
    h("p", { class: "row chips" }, facts), cardList(own ? picture.hand : shown, deck, label, hidden),
    pile.length > 0 && cardList(pile, deck, t("board.pile", { who })));
}

// The public cards and facts.
function middle({ deck, pot, table, more }) {
  const facts = [fact("pot", pot),
    "wild" in more && h("span", {}, t("board.wild", { face: more.wild, dice: more.dice }))].filter(Boolean);
  if (!table.length && !facts.length) return null;
  return h("section", { class: "middle", "aria-label": t("board.table") },
    h("p", { class: "row chips" }, facts), cardList(table, deck, t("board.public cards")));
}

// The table of a state, or of a reviewed decision: {picture, text, seat, seats, end, actions}.
export function tableOf(table) {
  const { picture, seat, seats, text } = table;
  if (isKoikoi(picture)) return koikoiTable(table);
  if (!picture.deck) return h("div", { class: "felt" }, h("p", { class: "known" }, say(text)));
  const others = seats.map((_, player) => player).filter((player) => player !== seat);
  return h("div", { class: "felt" },
    h("div", { class: "others" }, others.map((player) => seatPart(table, player))), middle(picture),
    seatPart(table, seat));
}
