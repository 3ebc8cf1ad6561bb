// Nodes of a text from the server: a text, or [tag, attributes, ...nodes].
import { h, math } from "./dom.js";

const HEADINGS = /^h[1-6]$/;
const isWide = (tag, attributes) => tag === "table" || tag === "pre" || (tag === "math" && attributes.display === "block");

// The element of a node. Wide parts scroll by themselves; an empty heading of a table is a plain cell.
export function element(node, inside = false) {
  if (typeof node === "string") return node;
  const [tag, attributes, ...nodes] = node;
  const formula = inside || tag === "math";
  const made = (formula ? math : h)(tag === "th" && !nodes.length ? "td" : tag, attributes, nodes.map((each) => element(each, formula)));
  if (!isWide(tag, attributes)) return made;
  const name = attributes.alttext ?? made.textContent.trim().slice(0, 40);
  return h("div", { class: `scroll wide-${tag}`, tabindex: 0, role: "group", "aria-label": name }, made);
}

// The number of nodes before the second heading.
export function beforeSection(nodes) {
  const place = nodes.findIndex((node, index) => index && HEADINGS.test(node[0]));
  return place < 0 ? nodes.length : place;
}
