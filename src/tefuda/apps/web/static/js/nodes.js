// Texts of Markdown and formulas as the server sends them: a node is a text, or [tag, attributes, ...nodes].
import { h, math } from "./dom.js";

// The element of a node. Wide parts scroll by themselves; an empty heading of a table is a plain cell.
export function element(node, make = h) {
  if (!Array.isArray(node)) return node;
  const [tag, attributes, ...nodes] = node;
  const inner = tag === "math" ? math : make;
  const made = inner(tag === "th" && !nodes.length ? "td" : tag, attributes, nodes.map((each) => element(each, inner)));
  if (!["table", "pre"].includes(tag) && attributes.display !== "block") return made;
  const name = attributes.alttext ?? made.textContent.trim().slice(0, 40);
  return h("div", { class: `scroll wide-${tag}`, tabindex: 0, role: "group", "aria-label": name }, made);
}
