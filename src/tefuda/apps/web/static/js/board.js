// The table of any game: opponents above, public cards in the middle, own cards below.
import { cards, loadCards } from "./cards.js";
import { h } from "./dom.js";
import { playerName } from "./story.js";
import { language, number, t } from "./words.js";

export const load = loadCards;

function chips(picture, seat) {
  const parts = [];
  if (picture.bets[seat]) parts.push(h("span", { class: "bet" }, t("board.bet", { amount: number(picture.bets[seat]) })));
  if (picture.stacks.length) parts.push(h("span", {}, t("board.stack", { amount: number(picture.stacks[seat]) })));
  if (picture.points.length) parts.push(h("span", {}, t("board.points", { amount: number(picture.points[seat]) })));
  if (picture.folded[seat]) parts.push(h("span", {}, t("board.folded")));
  if (picture.more.button === seat) parts.push(h("span", {}, t("board.button")));
  return parts;
}

function seatPanel(state, seat) {
  const { picture, end } = state;
  const own = seat === state.seat;
  const shown = end?.shown.find((entry) => entry.seat === seat)?.hand ?? [];
  const name = playerName(state, seat);
  const hand = own ? picture.hand : shown;
  const hidden = own || shown.length ? 0 : picture.hidden[seat] ?? 0;
  const label = own ? t("board.own cards") : t("board.cards of", { who: name });
  const pile = picture.piles[seat]?.length ? cards(picture.piles[seat], { deck: picture.deck, label: t("board.pile", { who: name }) }) : null;
  return h("section", { class: own ? "seat own" : "seat", "aria-label": name },
    h("h2", {}, name), h("p", { class: "row chips" }, chips(picture, seat)), cards(hand, { deck: picture.deck, label, hidden }), pile);
}

// The table of a state.
export function draw(state) {
  const { picture } = state;
  if (!picture.deck) return h("div", { class: "felt" }, h("p", { class: "known" }, state.text?.[language] ?? picture.text));
  const others = state.seating.map((_, seat) => seat).filter((seat) => seat !== state.seat);
  const facts = [];
  if (picture.pot !== null) facts.push(h("span", {}, t("board.pot", { amount: number(picture.pot) })));
  if (picture.more.wild) facts.push(h("span", {}, t("board.wild", { face: picture.more.wild, dice: picture.more.dice })));
  const middle = picture.table.length || facts.length
    ? h("section", { class: "middle", "aria-label": t("board.table") }, h("p", { class: "row chips" }, facts),
      cards(picture.table, { deck: picture.deck, label: t("board.public cards") }))
    : null;
  return h("div", { class: "felt" }, h("div", { class: "others" }, others.map((seat) => seatPanel(state, seat))), middle, seatPanel(state, state.seat));
}
