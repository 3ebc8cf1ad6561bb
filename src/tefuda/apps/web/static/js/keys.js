// Keyboard shortcuts: one table for the page that is shown. They never act in fields, and can be switched off.
import { t } from "./words.js";

let shortcuts = new Map();

export const enabled = () => localStorage.getItem("keys") !== "off";

// Set the shortcuts of a page: {key: [description, function]}; keys are values of event.key.
export function setKeys(table) {
  shortcuts = new Map(Object.entries(table));
}

// Add shortcuts to those of the page.
export function addKeys(table) {
  for (const [key, entry] of Object.entries(table)) shortcuts.set(key, entry);
}

// The shortcuts in force, as [key, description].
export function listed() {
  return [...shortcuts].map(([key, [description]]) => [key === " " ? t("key.space") : key, description]);
}

addEventListener("keydown", (event) => {
  const inField = event.target.closest?.("input, select, textarea, [contenteditable], [role=grid], [role=slider]");
  const taken = event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || (inField && event.key !== "Escape");
  const entry = shortcuts.get(event.key);
  if (!entry || taken || !enabled()) return;
  if (event.key === "Enter" && event.target.closest?.("a, button, summary")) return;
  event.preventDefault();
  entry[1](event);
});
