// The list of recorded hands, newest first, a page at a time.
import { cardsText } from "../cards.js";
import { h } from "../dom.js";
import { number, signed, t, written } from "../words.js";
import { addressOf, handAddress, timeText } from "./address.js";

const PAGE = 50;
const COLUMNS = ["time", "hand", "position", "board", "pot", "bb", "cost"];

const tone = (value) => (value > 0 ? "good" : value < 0 ? "wrong" : "");
const mark = (text) => text && h("span", { class: "pill" }, text);

function row(hand, query, place) {
  const { start, position, board, pot, result } = hand;
  const cards = hand.hand.length ? cardsText(hand.hand) : "–";
  const cells = { time: timeText(start), position: mark(position), board: board.length > 0 && cardsText(board),
    pot: pot && written(`pot.${pot}`, pot), bb: h("b", { class: tone(result) }, signed(result, 4)),
    cost: h("span", { class: hand.cost > 0 && "wrong" }, hand.cost === null ? "–" : signed(-hand.cost, 2)) };
  return h("tr", {}, COLUMNS.map((name) => (name === "hand" ? h("th", { scope: "row", class: name },
    h("a", { href: handAddress(hand, query, place) }, cards)) : h("td", { class: name }, cells[name]))));
}

// The panel of the list; `query` is that of the page.
export function listPanel({ rows, found, read }, query) {
  const page = Number(query.get("page") ?? 1);
  const pages = Math.ceil(found / PAGE);
  const step = (to, key) => to >= 1 && to <= pages && h("a", { class: "button", href: addressOf(
    new URLSearchParams([...query, ["page", to]].filter(([name, value]) => name !== "page" || value === to))) }, t(key));
  return h("section", { class: "panel hand-list" }, h("h2", {}, t("hands.hands"), " ", h("small", { class: "quiet" },
    t("hands.found", { found: number(found), all: number(read) }))),
  found ? h("table", { "aria-label": t("hands.hands") }, h("thead", {}, h("tr", {}, COLUMNS.map((name) =>
    h("th", { scope: "col", class: name }, t(`column.${name}`))))), h("tbody", {}, rows.map((hand, index) => row(hand, query, PAGE * (page - 1) + index))))
    : h("p", { class: "quiet" }, t("hands.none")),
  pages > 1 && h("p", { class: "row" }, step(page - 1, "hands.newer"), h("span", { class: "quiet" },
    t("hands.page", { n: page, all: pages })), step(page + 1, "hands.older")));
}
