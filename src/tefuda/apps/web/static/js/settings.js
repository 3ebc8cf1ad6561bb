// Settings that the browser keeps: attributes of the page's root, so that styles follow them.
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
