// Keyboard shortcuts: one table for the page that is shown. They never act in fields, and can be switched off.
import { setting } from "./settings.js";

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
