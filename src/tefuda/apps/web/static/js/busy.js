// Buttons whose work takes long: they say so, and cannot be pressed again.
import { t } from "./words.js";

const SLOW = 80; // milliseconds
let pressed = null; // the button whose click is being handled, and what it said

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
