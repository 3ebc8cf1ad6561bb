// The table of any game: opponents above, public cards in the middle, own cards below.
import { cards, loadCards } from "./cards.js";
import { h } from "./dom.js";
import { say, t } from "./words.js";

export const load = loadCards;

const facts = (...texts) => h("p", { class: "row chips" }, texts.filter(Boolean).map((text) => h("span", {}, text)));

// A value of a picture with its word; nothing for null.
const fact = (name, amount) => (amount ?? false) !== false && t(`board.${name}`, { amount: say(amount, 6) });

function seatPanel({ picture, players, seat: own, end }, seat) {
  const { deck } = picture;
  const who = say(players[seat]);
  const shown = seat === own ? picture.hand : end?.shown.find((entry) => entry.seat === seat)?.hand ?? [];
  const hidden = seat === own || shown.length ? 0 : picture.hidden[seat] ?? 0;
  const label = seat === own ? t("board.own cards") : t("board.cards of", { who });
  const pile = picture.piles[seat] ?? [];
  return h("section", { class: seat === own ? "seat own" : "seat", "aria-label": who }, h("h2", {}, who),
    facts(fact("bet", picture.bets[seat] || null), fact("stack", picture.stacks[seat]),
      fact("points", picture.points[seat]), picture.folded[seat] && t("board.folded"),
      picture.more.button === seat && t("board.button")),
    cards(shown, { deck, label, hidden }), pile.length > 0 && cards(pile, { deck, label: t("board.pile", { who }) }));
}

// The table of a state.
export function draw(state) {
  const { picture, players, seat: own, text } = state;
  const { deck, more, table } = picture;
  if (!deck) return h("div", { class: "felt" }, h("p", { class: "known" }, say(text)));
  const others = players.map((_, seat) => seat).filter((seat) => seat !== own);
  const middle = facts(fact("pot", picture.pot), more.wild && t("board.wild", { face: more.wild, dice: more.dice }));
  return h("div", { class: "felt" }, h("div", { class: "others" }, others.map((seat) => seatPanel(state, seat))),
    h("section", { class: "middle", "aria-label": t("board.table") }, middle,
      cards(table, { deck, label: t("board.public cards") })),
    seatPanel(state, own));
}
