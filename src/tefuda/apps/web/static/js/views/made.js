// The made hand of cards in words: "Pair of queens".
import { t, written } from "../words.js";

const RANKS = "23456789TJQKA";
const valueOf = ([rank]) => RANKS.indexOf(rank);

// The highest value of five in a row; -1 without them. The ace counts below the two as well.
function straight(values) {
  const all = new Set(values.includes(12) ? [...values, -1] : values);
  return [...all].filter((top) => [1, 2, 3, 4].every((step) => all.has(top - step))).sort((a, b) => b - a)[0] ?? -1;
}

// The kind of the best five cards, and the value that names it.
function best(codes) {
  const values = codes.map(valueOf);
  const groups = [...new Set(values)].map((value) => [values.filter((each) => each === value).length, value]);
  const [[most, top], [next] = [0]] = groups.sort(([a, x], [b, y]) => b - a || y - x);
  const suits = ["s", "h", "d", "c"].map((suit) => codes.filter((code) => code[1] === suit).map(valueOf));
  const flush = suits.find((each) => each.length >= 5);
  if (flush && straight(flush) >= 0) return ["straight flush", straight(flush)];
  if (most === 4) return ["four", top];
  if (most === 3 && next >= 2) return ["full", top];
  if (flush) return ["flush", Math.max(...flush)];
  if (straight(values) >= 0) return ["straight", straight(values)];
  return most === 3 ? ["three", top] : most === 2 ? [next === 2 ? "two" : "pair", top] : ["high", top];
}

// The made hand of the own cards with the public ones, for poker decks; else "".
export function madeText({ deck, hand, table, pot }) {
  if (pot === null || !["ranks", "suits"].includes(deck) || !hand.length) return "";
  const codes = [...hand, ...table];
  if (codes.some((code) => valueOf(code) < 0)) return "";
  const [kind, value] = best(deck === "ranks" && !table.includes(hand[0]) ? hand : codes);
  const letter = RANKS[value];
  return t(`made.${kind}`, { rank: written(`rank.one.${letter}`, letter), ranks: written(`rank.many.${letter}`, `${letter}s`) });
}
