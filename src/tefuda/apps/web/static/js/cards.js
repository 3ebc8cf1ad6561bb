// Cards and dice, drawn by the server as symbols. A back has no name, no number and no place in the deck.
import { isShared } from "./api.js";
import { h, svg } from "./dom.js";
import { settingBox } from "./settings.js";
import { loadWords, t, written } from "./words.js";

const BOXES = { hanafuda: "0 0 120 196", dice: "0 0 60 60" };

// Load the words of cards; call it before the other functions.
export const loadCards = () => loadWords("cards");

export const coloursBox = () => settingBox("suits", ["four", "two"], t("four colours"));

// The name of a card, such as "king of spades".
export const cardName = (code, deck = "suits") => written(`${deck}.${code}`, code);

function drawing(symbol, deck, attributes) {
  const file = isShared ? "" : `/static/cards/${deck === "hanafuda" ? deck : "cards"}.svg`;
  const href = `${file}#${deck === "dice" ? "die-" : ""}${symbol}`;
  const box = { class: `card-face ${deck}`, viewBox: BOXES[deck] ?? "0 0 60 84" };
  return svg("svg", { ...box, ...attributes }, svg("use", { href }));
}

// A card of a deck: "suits", "ranks", "numbers", "dice" or "hanafuda"; face down without a code.
export function card(code, deck = "suits") {
  if (!code) return drawing("back", deck, { "aria-hidden": "true" });
  return drawing(code, deck, { role: "img", "aria-label": cardName(code, deck), "data-card": code });
}

// A suit as a small mark in text.
export const suitMark = (suit) =>
  drawing(`suit-${suit}`, "suits", { class: `suit-mark suit-${suit}`, viewBox: "0 0 24 24", "aria-hidden": "true" });

// Cards as text: ranks with marks of their suits.
export function cardsText(codes) {
  const each = codes.map((code) => h("span", {}, code[0].replace("T", "10"), suitMark(code[1])));
  const name = codes.map((code) => cardName(code)).join(", ");
  return h("span", { class: "cards-text", role: "img", "aria-label": name }, each);
}
