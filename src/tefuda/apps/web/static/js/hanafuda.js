// Cards of hanafuda: drawings from one file of symbols, and their names in both languages.
import { get } from "./api.js";
import { h, svg } from "./dom.js";
import { language } from "./words.js";

let names = {};

// Load the names; the drawings are loaded by the browser when a card is shown.
export async function loadCards() {
  names = await get("/static/cards/hanafuda.json");
}

// The code of a card with its name: "1B pine with crane".
export function cardName(code) {
  return `${code} ${names[code]?.[language] ?? ""}`.trim();
}

// The names of cards in one text.
export const cardNames = (codes) => codes.map(cardName).join(language === "ja" ? "、" : ", ");

// The drawing of a card, or of a back without a code; beside its name it is decoration.
export function cardFace(code, attributes = {}) {
  const href = `/static/cards/hanafuda.svg#${code ?? "back"}`;
  return svg("svg", { class: "hana", viewBox: "0 0 120 196", "aria-hidden": true, ...attributes }, svg("use", { href }));
}

// Small cards in a row, as a list that reads their names.
export function cardRow(codes, kind = () => null) {
  return h("ul", { class: "hana-row" }, codes.map((code) =>
    h("li", { class: kind(code), title: cardName(code) }, cardFace(code), h("span", { class: "unseen" }, cardName(code)))));
}
