// What takes long: a strip while the server compiles what the pages use ("preparing, once: 3 of 7"), and buttons
// whose work takes long, which say so and cannot be pressed again.
import { get } from "./api.js";
import { h } from "./dom.js";
import { t } from "./words.js";

const EVERY = 1000; // milliseconds between questions
const SLOW = 80; // milliseconds
let pressed = null; // the button whose click is being handled, and what it said

// Show the strip until the server is prepared.
export async function showPreparation() {
  const place = document.getElementById("preparation");
  const { preparation = null } = await get("/api/status").catch(() => ({ preparation: { waits: true } }));
  place.hidden = !preparation?.total || preparation.done >= preparation.total;
  if (place.hidden && !preparation?.waits) return;
  if (!preparation.waits) {
    place.replaceChildren(h("span", {}, t("preparing", preparation)),
      h("progress", { max: preparation.total, value: preparation.done, "aria-label": t("preparing.label") }));
  }
  setTimeout(showPreparation, EVERY);
}

addEventListener("click", ({ target }) => {
  const button = target.closest?.("button");
  pressed = button && { button, text: button.textContent };
  setTimeout(() => { pressed = null; });
}, true);

function wait({ button, text }) {
  const [before, wasDisabled] = [[...button.childNodes], button.disabled];
  const hasFocus = document.activeElement === button; // a disabled button loses it
  const isSaid = button.textContent !== text || !text.trim();
  button.style.minWidth = `${button.offsetWidth}px`;
  button.disabled = true;
  button.setAttribute("aria-busy", "true");
  if (!isSaid) button.textContent = t("preparing.short");
  return () => {
    if (!isSaid && button.textContent === t("preparing.short")) button.replaceChildren(...before);
    button.disabled = wasDisabled;
    button.removeAttribute("aria-busy");
    button.style.minWidth = "";
    if (hasFocus && document.activeElement === document.body) button.focus();
  };
}

// Actions begin in the handler of a click.
addEventListener("postbegin", ({ detail }) => {
  if (!pressed) return;
  const mine = pressed;
  let end = null;
  const timer = setTimeout(() => { end = wait(mine); }, SLOW);
  detail.end = () => {
    clearTimeout(timer);
    end?.();
  };
});
