// Settings that the browser keeps, as attributes of the page's root, which styles follow; and keyboard shortcuts, one
// table for the page that is shown. They never act in fields, and can be switched off.
import { h } from "./dom.js";

const USUAL = { theme: "auto", suits: "two", lit: "on", keys: "on" };
const { dataset } = document.documentElement;
for (const [name, usual] of Object.entries(USUAL)) dataset[name] = localStorage.getItem(name) ?? usual;

export const setting = (name) => dataset[name];

export function setSetting(name, value) {
  localStorage.setItem(name, value);
  dataset[name] = value;
}

// A box that is checked while a setting has a value.
export function settingBox(name, [checked, unchecked], label) {
  const change = (event) => setSetting(name, event.target.checked ? checked : unchecked);
  const box = h("input", { type: "checkbox", checked: dataset[name] === checked, onchange: change });
  return h("label", { class: "check" }, box, label);
}

let shortcuts = {};

// Set the shortcuts of a page: {key: [description, function]}; keys are values of event.key.
export function setKeys(table) {
  shortcuts = { ...table };
}

// Add shortcuts to those of the page.
export const addKeys = (table) => Object.assign(shortcuts, table);

addEventListener("keydown", (event) => {
  const { key, target } = event;
  const inField = target.closest?.("input, select, textarea, [contenteditable], [role=grid], [role=slider]");
  const isOther = event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey;
  if (!shortcuts[key] || isOther || (inField && key !== "Escape") || setting("keys") === "off") return;
  if (["Enter", " "].includes(key) && target.closest?.("a, button, summary")) return;
  event.preventDefault();
  shortcuts[key][1](event);
});
