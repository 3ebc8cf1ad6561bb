// What the server describes (messages/nodes.py): a text, a value to write, or [tag, attributes, ...nodes].
import { actionBar, actionClass, mark } from "./actions.js";
import { card, cardsText } from "./cards.js";
import { chart } from "./chart.js";
import { h, math, table } from "./dom.js";
import { gameTree } from "./game_tree.js";
import { go } from "./main.js";
import { number, percent, signed, t } from "./words.js";

const NUMBERS = { n: number, s: signed, p: percent };
const PARTS = {
  rows: (attributes, head, rows) => table(head.map((each) => element(each)),
    rows.map((row) => row.map((each) => element(each))), attributes),
  bar: (attributes, actions) => h("div", attributes, actionBar(
    actions.map((action) => ({ ...action, name: textOf(action.name) })), actions[0]?.href && (({ href }) => href))),
  swatch: (attributes, action) =>
    h("span", { class: `${actionClass(action)} swatch`, "aria-hidden": "true" }, mark(action)),
  card: (attributes, code) => card(code),
  "cards-text": (attributes, code) => cardsText([code]),
  chart: (attributes, content) => chart(attributes["aria-label"], content),
  tree: (attributes, histories) => gameTree(attributes["aria-label"], histories.map((history) =>
    ({ ...history, edge: textOf(history.edge), node: textOf(history.node) })), ({ href }) => go(href)),
};

const inWords = (values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, textOf(value)]));

// The text of a value: {t: key, ...values} is a word; {n}, {s} and {p} are numbers.
export function textOf(value) {
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (value === null || typeof value !== "object") return value;
  if ("t" in value) return t(value.t, inWords(value));
  const [kind] = Object.keys(value);
  return NUMBERS[kind](value[kind], value.digits);
}

// The element of a node. Wide parts scroll by themselves; an empty heading of a table is a plain cell.
export function element(node, make = h) {
  if (!Array.isArray(node)) return textOf(node);
  const [tag, given, ...nodes] = node;
  const attributes = inWords(given);
  if (tag in PARTS) return PARTS[tag](attributes, ...nodes);
  const inner = tag === "math" ? math : make;
  const made = inner(tag === "th" && !nodes.length ? "td" : tag, attributes, nodes.map((each) => element(each, inner)));
  if (!["table", "pre"].includes(tag) && attributes.display !== "block") return made;
  const name = attributes.alttext ?? made.textContent.trim().slice(0, 40);
  return h("div", { class: `scroll wide-${tag}`, tabindex: 0, role: "group", "aria-label": name }, made);
}
