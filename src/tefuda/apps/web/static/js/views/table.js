// The table of any game: opponents around an oval, public cards in the middle, own cards below.
import { card } from "../cards.js";
import { h } from "../dom.js";
import { number, say, t, written } from "../words.js";
import { amountText, endTexts, playerName, valuesOf } from "./hand.js";
import { ladder } from "./ladder.js";
import { hasLadder } from "./session.js";

const POKER = ["ranks", "suits"];

const RANKS = "23456789TJQKA";
const rankOf = ([rank]) => RANKS.indexOf(rank);

// The highest value of five in a row; -1 without them. The ace counts below the two as well.
function straight(values) {
  const all = new Set(values.includes(12) ? [...values, -1] : values);
  return [...all].filter((top) => [1, 2, 3, 4].every((step) => all.has(top - step))).sort((a, b) => b - a)[0] ?? -1;
}

// The kind of the best five cards, and the value that names it.
function best(codes) {
  const values = codes.map(rankOf);
  const groups = [...new Set(values)].map((value) => [values.filter((each) => each === value).length, value]);
  const [[most, top], [next] = [0]] = groups.sort(([a, x], [b, y]) => b - a || y - x);
  const suits = ["s", "h", "d", "c"].map((suit) => codes.filter((code) => code[1] === suit).map(rankOf));
  const flush = suits.find((each) => each.length >= 5);
  if (flush && straight(flush) >= 0) return ["straight flush", straight(flush)];
  if (most === 4) return ["four", top];
  if (most === 3 && next >= 2) return ["full", top];
  if (flush) return ["flush", Math.max(...flush)];
  if (straight(values) >= 0) return ["straight", straight(values)];
  return most === 3 ? ["three", top] : most === 2 ? [next === 2 ? "two" : "pair", top] : ["high", top];
}

// The made hand of the own cards with the public ones, for poker decks; else "".
function madeText({ deck, hand, table, pot }) {
  if (pot === null || !["ranks", "suits"].includes(deck) || !hand.length) return "";
  const codes = [...hand, ...table];
  if (codes.some((code) => rankOf(code) < 0)) return "";
  const [kind, value] = best(deck === "ranks" && !table.includes(hand[0]) ? hand : codes);
  const letter = RANKS[value];
  return t(`made.${kind}`, { rank: written(`rank.one.${letter}`, letter), ranks: written(`rank.many.${letter}`, t("rank.many", { rank: letter })) });
}

// A list of cards with a name; face-down cards are counted in words.
function cardList(codes, deck, label, hidden = 0) {
  const backs = Array.from({ length: hidden }, () => h("li", {}, card(null, deck)));
  return h("ul", { class: "cards-row list", "aria-label": label }, codes.map((code) => h("li", {}, card(code, deck))),
    hidden > 0 && h("li", {}, h("span", { class: "unseen" }, t("board.hidden", { n: hidden })),
      h("ul", { class: "cards-row list", "aria-hidden": "true" }, backs)));
}

// Chips as the game counts them: big blinds in whole hands of hold'em.
const chips = (table, amount) =>
  t(table.game === "holdem" ? "board.big blinds" : "board.chips", { amount: amountText(amount) });

// The seat of the dealer: the last to act.
const buttonOf = ({ deck, pot, more, folded }) => more.button ?? (POKER.includes(deck) && pot !== null ? folded.length - 1 : -1);

// The facts beside a name: position, chips, points, dice.
function factsOf(table, player) {
  const { picture, seat, end, game } = table;
  const stack = picture.stacks[player] ?? null;
  const points = picture.points[player] ?? null;
  const dice = picture.deck === "dice" && (player === seat ? picture.hand.length : picture.hidden[player]);
  return [table.positions?.[player], game === "spot" && t(player ? "board.last" : "board.first"), stack !== null && chips(table, stack),
    points !== null && t("board.points", { amount: amountText(points) }), dice > 0 && !end && t("board.dice", { n: dice }),
  ].filter(Boolean).join(" · ");
}

// The last act of a player on this street as a label; the newest act of the hand carries the mark.
function actOf(table, player) {
  const { events, deck } = table.picture;
  const street = events.slice(events.findLastIndex(({ verb }) => ["deal", "win", "tie"].includes(verb)) + 1);
  const folded = events.findLast((event) => event.player === player && event.verb === "fold");
  const act = street.findLast((event) => event.player === player) ?? folded;
  if (!act || !written(`act.${act.verb}`, "")) return null;
  return h("span", { class: act === events.at(-1) ? "act-label mark" : "act-label" },
    written(`act.${act.verb}`, act.verb, valuesOf(act, deck)));
}

// A player's seat: cards, a plate with name and facts, the bet, and the last act.
function seatPart(table, player, style) {
  const { picture, seat, end } = table;
  const { deck } = picture;
  const own = player === seat;
  const who = playerName(table, player);
  const shown = end?.shown.find((each) => each.seat === player)?.hand ?? [];
  const isFolded = picture.folded[player];
  const count = picture.hidden[player] || (isFolded ? picture.hand.length : 0);
  const label = own ? t("board.own cards") : t("board.cards of", { who });
  const facts = factsOf(table, player);
  const bet = picture.bets[player] || 0;
  const plate = h("p", { class: "plate" }, h("b", {}, who), facts && h("small", {}, facts),
    buttonOf(picture) === player && h("span", { class: "dealer", title: t("board.D"), role: "img", "aria-label": t("board.D") }, "D"));
  const acts = h("p", { class: "seat-acts" }, bet > 0 && h("span", { class: "bet" }, amountText(bet)), actOf(table, player));
  const pile = picture.piles[player] ?? [];
  const won = pile.length > 0 && cardList(pile, deck, t("board.pile", { who }));
  const cards = cardList(own ? picture.hand : shown, deck, label, (own && picture.hand.length) || shown.length ? 0 : count);
  const parts = own ? [acts, won, cards, plate] : [cards, plate, acts, won];
  return h("section", { class: `seat${own ? " own" : ""}${isFolded ? " folded" : ""}`, "aria-label": who, style }, parts);
}

// Where a player sits on the oval, in per cent of the felt; players follow clockwise.
function placeOf(turn, seats) {
  const angle = Math.PI * (0.5 + (2 * turn) / seats);
  return { "--x": `${50 + 38 * Math.cos(angle)}%`, "--y": `${42 + 28 * Math.sin(angle)}%` };
}

// The pot and the public cards, or the bids.
function middle(table) {
  const { picture } = table;
  const { deck, pot, table: codes } = picture;
  if (hasLadder(picture)) return ladder(table);
  const empty = deck === "suits" ? Math.max(0, 5 - codes.length) : 0;
  const list = cardList(codes, deck, t("board.public cards"));
  list.append(...Array.from({ length: empty }, () => h("li", { class: "slot", "aria-hidden": "true" })));
  return h("section", { class: "middle", "aria-label": t("board.table") },
    pot !== null && h("p", { class: "plate" }, t("board.pot", { amount: table.game === "holdem" ? chips(table, pot) : number(pot) })),
    codes.length + empty > 0 && list);
}

// The sentence above the own cards: the end of the hand, or the made hand.
function saying(table) {
  if (!table.end) return h("p", { class: "felt-say" }, madeText(table.picture));
  const won = table.end.payoffs[table.seat];
  const parts = endTexts(table).map((text) => h("span", {}, text));
  return h("p", { class: `felt-say ${won > 0 ? "good" : won < 0 ? "wrong" : ""}`, "data-role": "end" }, parts);
}

// The table of a state, or of a reviewed decision: {picture, text, seat, seats, end, actions}; Koi-Koi has its own.
export function tableOf(table) {
  const { picture, seat, seats, text } = table;
  const order = seats.map((_, turn) => (seat + turn) % seats.length);
  const others = order.slice(1).map((player, turn) => seatPart(table, player, placeOf(turn + 1, seats.length)));
  const known = !picture.deck && h("p", { class: "known" }, say(text));
  return h("div", { class: "felt", "data-others": others.length }, h("div", { class: "oval" }),
    h("div", { class: "others" }, others), known || middle(table), saying(table), seatPart(table, seat));
}
