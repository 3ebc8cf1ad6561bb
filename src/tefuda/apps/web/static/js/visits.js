// Addresses of a visit: what is shown, where its page was scrolled, which link was followed, and sheets over it.
// In a shared file addresses stand after the #.
import { isShared } from "./api.js";

const SAVED = 150; // milliseconds after the last scrolling
export const home = isShared ? document.body.dataset.start : "/";
let sheet = null;
let isClosed = false; // a sheet was closed by itself, so its entry of the history goes
let timer;
let count = 0;
let shown; // key of the entry that is shown: the history may have gone on before the page knows

export const here = () => (isShared ? new URL(location.hash.slice(1) || home, "http://inside") : new URL(location));

const newKey = () => `${performance.timeOrigin}-${count += 1}`;

const save = (more = {}) => history.state?.key === shown
  && history.replaceState({ ...history.state, top: scrollY, ...more }, "");

// Change the address of what is shown, as another entry of the history or in place of this one.
export function move(how, address) {
  const { pathname, search } = new URL(address, here());
  clearTimeout(timer);
  if (how === "pushState") save({ link: address });
  if (how === "pushState") shown = newKey();
  history[how]({ key: shown }, "", `${isShared ? "#" : ""}${pathname}${search}`);
}

// A followed page is read from its heading on.
export function begin() {
  scrollTo(0, 0);
  const heading = document.querySelector("#main h1");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true });
}

// Show a page again where it was left, with the focus on the link that was followed.
async function again(show) {
  const { top = 0, link, key } = history.state ?? {};
  clearTimeout(timer);
  shown = key;
  await show();
  const links = [...document.querySelectorAll("#main a[href]")];
  links.find((each) => each.getAttribute("href") === link)?.focus({ preventScroll: true });
  scrollTo(0, top);
}

// Follow the history: `show` shows the present address.
export function followHistory(show) {
  history.scrollRestoration = "manual"; // the browser would scroll before the page is there
  shown = history.state?.key ?? newKey();
  history.replaceState({ ...history.state, key: shown }, "");
  addEventListener("scroll", () => {
    clearTimeout(timer);
    timer = setTimeout(() => save(), SAVED);
  }, { passive: true });
  addEventListener("popstate", () => {
    if (isClosed) isClosed = false;
    else if (sheet) closeSheet();
    else again(show);
  });
}

// Show a dialog over the page; Escape, a click beside it and the way back close it.
export function showSheet(dialog) {
  history.pushState({ ...history.state }, "");
  sheet = dialog;
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (sheet !== dialog) return;
    sheet = null;
    isClosed = true;
    history.back();
  });
  document.body.append(dialog);
  dialog.showModal();
}

// Close the sheet and leave its entry of the history to the address that follows; false without a sheet.
export function closeSheet() {
  const dialog = sheet;
  sheet = null;
  dialog?.close();
  return dialog !== null;
}
