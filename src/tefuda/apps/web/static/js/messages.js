// Short messages at the bottom of the window, such as "Moved to the bin" with "Undo".
import { h } from "./dom.js";
import { t } from "./words.js";

const SHOWN = 5000; // milliseconds

// Show a message; `undo` adds a button that takes back what it says.
export function message(text, undo = null) {
  const close = () => box.remove();
  const box = h("div", { class: "message" }, h("span", {}, text), undo && h("button", { class: "plain", onclick: () => {
    close();
    undo();
  } }, t("undo")));
  let timer = setTimeout(close, SHOWN);
  for (const name of ["pointerenter", "focusin"]) box.addEventListener(name, () => clearTimeout(timer));
  for (const name of ["pointerleave", "focusout"]) {
    box.addEventListener(name, () => {
      clearTimeout(timer);
      timer = setTimeout(close, SHOWN);
    });
  }
  document.getElementById("messages").append(box);
}
