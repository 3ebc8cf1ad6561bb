// What the server describes (messages/nodes.py): a text, a value to write, or [tag, attributes, ...nodes].
import { actionBar, actionClass, mark } from "./actions.js";
import { card, cardsText } from "./cards.js";
import { chart } from "./chart.js";
import { h, math, table } from "./dom.js";
import { gameTree } from "./game_tree.js";
import { go } from "./main.js";
import { settingBox } from "./settings.js";
import { language, number, percent, signed, t } from "./words.js";

const NUMBERS = { n: number, s: signed, p: percent, d: (text) => new Date(text).toLocaleString(language) };
const PARTS = {
  rows: (attributes, head, rows) => table(head.map((each) => element(each)),
    rows.map((row) => row.map((each) => element(each))), attributes),
  bar: (attributes, actions) => h("div", attributes, actionBar(
    actions.map((action) => ({ ...action, name: textOf(action.name) })), actions[0]?.href && (({ href }) => href))),
  swatch: (attributes, action) =>
    h("span", { class: `${actionClass(action)} swatch`, "aria-hidden": "true" }, mark(action)),
  card: ({ deck }, code) => card(code, deck),
  "cards-text": (attributes, code) => cardsText([code]),
  setting: ({ name }, label) => settingBox(name, ["on", "off"], textOf(label)),
  chart: (attributes, content) => chart(attributes["aria-label"], content),
  tree: (attributes, histories) => gameTree(attributes["aria-label"], histories.map((history) =>
    ({ ...history, edge: textOf(history.edge), node: textOf(history.node) })), ({ href }) => href && go(href)),
};

const inWords = (values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, textOf(value)]));

// The text of a value: {t: key, ...values} is a word, {en, ja} a text; {n}, {s} and {p} are numbers.
export function textOf(value) {
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (value === null || typeof value !== "object") return value;
  if (language in value) return value[language];
  if ("t" in value) return t(value.t, inWords(value));
  const [kind] = Object.keys(value);
  return NUMBERS[kind](value[kind], value.digits);
}

// The element of a node. Wide parts scroll by themselves; an empty heading of a table is a plain cell.
export function element(node, make = h) {
  if (!Array.isArray(node)) return textOf(node);
  const [tag, given, ...nodes] = node;
  const { style: own, ...others } = given;
  const attributes = { ...inWords(others), style: own };
  if (tag in PARTS) return PARTS[tag](attributes, ...nodes);
  const inner = tag === "math" ? math : make;
  const made = inner(tag === "th" && !nodes.length ? "td" : tag, attributes, nodes.map((each) => element(each, inner)));
  if (!["table", "pre"].includes(tag) && attributes.display !== "block") return made;
  const name = attributes.alttext ?? made.textContent.trim().slice(0, 40);
  return h("div", { class: `scroll wide-${tag}`, tabindex: 0, role: "group", "aria-label": name }, made);
}
