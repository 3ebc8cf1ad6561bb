// Nodes of a text from the server: a text, or [tag, attributes, ...nodes].
import { h, math } from "./dom.js";

const HEADINGS = /^h[1-6]$/;

// The element of a node. Wide parts scroll by themselves.
export function element(node, inside = false) {
  if (typeof node === "string") return node;
  const [tag, attributes, ...nodes] = node;
  const formula = inside || tag === "math";
  const made = (formula ? math : h)(tag, attributes, nodes.map((each) => element(each, formula)));
  if (tag === "th" && !made.textContent.trim()) return h("td");
  if (tag === "th" && made.children.length === 1 && made.firstElementChild.localName === "math") { // readers need text
    made.append(h("span", { class: "unseen" }, made.firstElementChild.getAttribute("alttext") ?? ""));
  }
  if (tag === "math" && attributes?.display === "block") made.setAttribute("tabindex", 0); // it may scroll
  if (tag === "table" || tag === "pre") return h("div", { class: `scroll wide-${tag}`, tabindex: 0, role: "region", "aria-label": made.textContent.slice(0, 40) }, made);
  return made;
}

// The number of nodes before the second heading.
export function beforeSection(nodes) {
  const place = nodes.findIndex((node, index) => index && HEADINGS.test(node[0]));
  return place < 0 ? nodes.length : place;
}
