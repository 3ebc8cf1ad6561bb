// Cards of hanafuda: drawings from one file of symbols. Their names are words, hanafuda.1B.
import { isShared } from "./api.js";
import { h, svg } from "./dom.js";
import { t } from "./words.js";

// The code of a card with its name: "1B pine with crane"; the code alone if the names are not loaded.
export function hanafudaName(code) {
  const name = t(`hanafuda.${code}`);
  return name.startsWith("hanafuda.") ? code : `${code} ${name}`;
}

// The drawing of a card, or of a back without a code.
export function hanafuda(code, attributes = {}) {
  const shown = { class: "hana", viewBox: "0 0 120 196", ...(code ? { role: "img", "aria-label": hanafudaName(code) } : { "aria-hidden": true }) };
  return svg("svg", { ...shown, ...attributes }, svg("use", { href: `${isShared ? "" : "/static/cards/hanafuda.svg"}#${code ?? "back"}` }));
}

// Small cards in a row.
export function hanafudaRow(codes, kind = () => null) {
  return h("ul", { class: "hana-row" }, codes.map((code) => h("li", { class: kind(code), title: hanafudaName(code) }, hanafuda(code))));
}
