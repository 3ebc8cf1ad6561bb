// Cards and dice as SVG. A back is the same for every card: it has no name, no number and no place in the deck.
import { h, style, svg } from "./dom.js";
import { hanafuda, hanafudaName } from "./hanafuda.js";
import { language, loadWords, t } from "./words.js";

const SUITS = {
  s: "M12 1C6 8 2 10 2 15a4.6 4.6 0 0 0 8.6 2.3C10.4 20 9.5 22 8 23h8c-1.5-1-2.4-3-2.6-5.7A4.6 4.6 0 0 0 22 15C22 10 18 8 12 1z",
  h: "M12 22C4 15 1.5 11 1.5 7.2A5.2 5.2 0 0 1 12 5.4a5.2 5.2 0 0 1 10.5 1.8C22.5 11 20 15 12 22z",
  d: "M12 1 20.5 12 12 23 3.5 12z",
  c: "M12 1a5 5 0 0 1 4.2 7.7 5 5 0 1 1-2.8 8.4C13.6 20 14.5 22 16 23H8c1.5-1 2.4-3 2.6-5.9a5 5 0 1 1-2.8-8.4A5 5 0 0 1 12 1z",
};
const PIPS = { 1: [5], 2: [1, 9], 3: [1, 5, 9], 4: [1, 3, 7, 9], 5: [1, 3, 5, 7, 9], 6: [1, 3, 4, 6, 7, 9] };

// Load the words and the style of cards; call it before the other functions.
export function loadCards() {
  return Promise.all([loadWords("cards"), style("cards")]);
}

// True if each suit has a colour of its own.
export const fourColours = () => localStorage.getItem("suits") === "four";

export function setFourColours(four) {
  localStorage.setItem("suits", four ? "four" : "two");
  document.documentElement.dataset.suits = four ? "four" : "two";
}

// Rank and suit of a code such as "Ks", "K" or "14".
export function parts(code) {
  const suited = code.length > 1 && code.at(-1) in SUITS && !/^\d+$/.test(code);
  return { rank: suited ? code.slice(0, -1) : code, suit: suited ? code.at(-1) : null };
}

// The name of a card, such as "king of spades".
export function cardName(code, deck = "suits") {
  if (deck === "dice") return t("die", { face: code });
  if (deck === "hanafuda") return hanafudaName(code);
  const { rank, suit } = parts(code);
  const name = /^[TJQKA]$/.test(rank) ? t(`rank.${rank}`) : rank;
  return suit ? t("card", { rank: name, suit: t(`suit.${suit}`) }) : name;
}

function face(name, children) {
  return svg("svg", { class: "card-face", viewBox: "0 0 60 84", role: "img", "aria-label": name },
    svg("rect", { class: "card-ground", x: 1, y: 1, width: 58, height: 82, rx: 6 }), children);
}

function suited(rank, suit) {
  const shown = rank === "T" ? "10" : rank;
  const mark = (x, y, scale) => svg("path", { class: `suit suit-${suit}`, d: SUITS[suit], transform: `translate(${x} ${y}) scale(${scale})` });
  return [
    svg("text", { class: `suit suit-${suit} corner`, x: 10, y: 17, "text-anchor": "middle" }, shown), mark(5, 20, 0.42),
    svg("text", { class: `suit suit-${suit} rank`, x: 33, y: 44, "text-anchor": "middle" }, shown), mark(18, 48, 1.25),
  ];
}

function die(code) {
  const pips = PIPS[code];
  const name = cardName(code, "dice");
  const marks = pips
    ? pips.map((place) => svg("circle", { class: "pip", cx: 15 + ((place - 1) % 3) * 15, cy: 15 + Math.floor((place - 1) / 3) * 15, r: 5 }))
    : svg("text", { class: "suit rank", x: 30, y: 42, "text-anchor": "middle" }, code);
  return svg("svg", { class: "card-face die", viewBox: "0 0 60 60", role: "img", "aria-label": name },
    svg("rect", { class: "card-ground", x: 2, y: 2, width: 56, height: 56, rx: 10 }), marks);
}

// A card of a deck: "suits", "ranks", "numbers" or "dice".
export function card(code, deck = "suits") {
  if (deck === "dice") return die(code);
  if (deck === "hanafuda") return hanafuda(code, { class: "hana card-face" });
  const { rank, suit } = parts(code);
  const name = cardName(code, deck);
  if (suit) return face(name, suited(rank, suit));
  return face(name, svg("text", { class: "suit rank alone", x: 30, y: 55, "text-anchor": "middle" }, rank));
}

// A face-down card.
export function back(deck = "suits") {
  if (deck === "hanafuda") return hanafuda(null, { class: "hana card-face" });
  const height = deck === "dice" ? 60 : 84;
  const stripes = [14, 26, 38, 50].map((y) => svg("path", { class: "card-stripe", d: `M10 ${y + 8}L50 ${y}` }));
  return svg("svg", { class: `card-face back ${deck === "dice" ? "die" : ""}`, viewBox: `0 0 60 ${height}`, "aria-hidden": "true" },
    svg("rect", { class: "card-back", x: 2, y: 2, width: 56, height: height - 4, rx: 7 }), stripes);
}

// A list of cards with a name; hidden cards are counted in words.
export function cards(codes, { deck = "suits", label = "", hidden = 0 } = {}) {
  const backs = Array.from({ length: hidden }, () => h("li", {}, back(deck)));
  const count = hidden ? h("span", { class: "unseen" }, t("face down", { n: hidden })) : null;
  return h("ul", { class: "cards-row", "aria-label": label, lang: language }, codes.map((code) => h("li", {}, card(code, deck))),
    backs.length ? h("li", { class: "backs" }, count, h("ul", { class: "cards-row", "aria-hidden": "true" }, backs)) : null);
}

// A suit as a small mark in text.
export function suitMark(suit) {
  return svg("svg", { class: `suit-mark suit suit-${suit}`, viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: SUITS[suit] }));
}

// Cards as text: ranks with marks of their suits.
export function cardsText(codes) {
  const each = codes.map((code) => h("span", {}, parts(code).rank.replace("T", "10"), suitMark(parts(code).suit)));
  return h("span", { class: "cards-text", role: "img", "aria-label": codes.map((code) => cardName(code)).join(", ") }, each);
}

setFourColours(fourColours());
