// Elements are made by these functions only: text enters as text, never as markup.
const SVG = "http://www.w3.org/2000/svg";
const MOTION = { duration: 180, easing: "ease-out" }; // of cards

// Styles are an object: the policy forbids style attributes.
function setStyle({ style }, values) {
  for (const [name, value] of Object.entries(values)) {
    name.startsWith("--") ? style.setProperty(name, value) : Object.assign(style, { [name]: value });
  }
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if ((value ?? false) === false) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else if (name === "style") setStyle(element, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => (child ?? false) !== false));
  return element;
}

// An HTML element: h("button", {class: "plain", onclick: act}, "Deal").
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// An SVG element.
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// A MathML element.
export function math(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/1998/Math/MathML", tag), attributes, children);
}

// A table with a head; rows are arrays of texts or elements, and the first cell of a row is its heading.
export function table(head, rows, attributes = {}) {
  const cells = (row) => row.map((cell, index) => h(index ? "td" : "th", index ? {} : { scope: "row" }, cell));
  const name = attributes["aria-label"] ?? head.join(", ");
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name },
    h("table", attributes,
      h("thead", {}, h("tr", {}, head.map((cell) => (cell === "" ? h("td", {}) : h("th", { scope: "col" }, cell))))),
      h("tbody", {}, rows.map((row) => h("tr", {}, cells(row))))));
}

// Content that opens on request.
export const fold = (title, attributes, ...content) => h("details", attributes, h("summary", {}, title), content);

// Content that is loaded when it is opened for the first time; `load` returns a list of nodes.
export function lazyFold(title, attributes, load) {
  const place = h("div", { role: "status" });
  const open = async (event) => {
    if (!event.target.open || place.hasChildNodes()) return;
    const failed = (error) => [h("p", { class: "error" }, error.message)];
    place.replaceChildren(...(await load().catch(failed)));
  };
  return fold(title, { ...attributes, ontoggle: open }, place);
}

const used = new Set(); // names of the style sheets of the page that is made

// Load the style sheet of a page once; resolve when it applies.
export function style(name) {
  used.add(name);
  const link = document.querySelector(`link[data-name="${name}"], style[data-name="${name}"]`);
  if (link) {
    link.disabled = false;
    return Promise.resolve();
  }
  return new Promise((done) => {
    const href = `/static/css/${name}.css`;
    document.head.append(h("link", { rel: "stylesheet", "data-name": name, href, onload: done, onerror: done }));
  });
}

// Switch off the style sheets of pages that were left: their names may mean other things here.
export function keepStyles() {
  for (const link of document.querySelectorAll("link[data-name]")) link.disabled = !used.has(link.dataset.name);
}

// Begin another page.
export const forgetStyles = () => used.clear();

// Change the content of a place; cards that stay visible move from their old positions to the new ones.
export function moving(place, change) {
  const cards = () => place.querySelectorAll("[data-card]");
  const before = new Map([...cards()].map((card) => [card.dataset.card, card.getBoundingClientRect()]));
  change();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const card of cards()) {
    const [from, to] = [before.get(card.dataset.card), card.getBoundingClientRect()];
    if (!from || (from.x === to.x && from.y === to.y)) continue;
    card.animate({ translate: [`${from.x - to.x}px ${from.y - to.y}px`, "0 0"] }, MOTION);
  }
}

// Do work, and show the message of its error in a place.
export async function attempt(place, work) {
  place.replaceChildren();
  try {
    return await work();
  } catch (error) {
    return place.replaceChildren(error.message);
  }
}

// Do the work that a button starts; until it is done the button says so.
export async function working(button, text, work) {
  const before = button.textContent;
  Object.assign(button, { disabled: true, textContent: text });
  try {
    return await work();
  } finally {
    Object.assign(button, { disabled: false, textContent: before });
  }
}

// Say one sentence to screen readers.
export function announce(text) {
  document.getElementById("live").textContent = text;
}
