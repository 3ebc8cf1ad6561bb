// The page in a shared file, in place of main.js: addresses stand after the #, all data are inside.
import { pageOf } from "./addresses.js";
import { RequestError } from "./api.js";
import { h } from "./dom.js";
import { fillHead } from "./head.js";
import { setKeys } from "./keys.js";
import { loadWords, t } from "./words.js";

const main = () => document.getElementById("main");
const here = () => new URL(location.hash.slice(1) || document.body.dataset.start, "http://inside");
const pages = (name) => modules[`js/pages/${name}.js`]; // modules: see apps/share/bundle.py
let leave = null;
let shown = 0;
let last = "";

function move(address, replace) {
  const { pathname, search } = new URL(address, here());
  location[replace ? "replace" : "assign"](`#${pathname}${search}`);
}

// Go to an address of the page.
export function go(address, replace = false) {
  move(address, replace);
  return show();
}

// Change the address of what is shown.
export function setAddress(address) {
  move(address, true);
  last = here().href;
}

async function show() {
  if (here().href === last) return;
  last = here().href;
  const number = ++shown;
  leave?.();
  leave = null;
  setKeys({});
  const name = pageOf(here().pathname);
  const root = h("div", { class: `page page-${name}` });
  try {
    if (!pages(name)) throw new RequestError(404, { error: t("not inside") });
    await loadWords(name).catch(() => {});
    const end = await pages(name).show(root, here());
    if (number !== shown) return end?.();
    leave = end;
  } catch (error) {
    if (number !== shown) return;
    const back = h("a", { href: document.body.dataset.start }, t("to start"));
    root.replaceChildren(h("h1", {}, t("failed")), h("p", { class: "error" }, error instanceof RequestError ? t("not inside") : error.message), h("p", {}, back));
    if (!(error instanceof RequestError)) console.error(error);
  }
  main().replaceChildren(root);
  document.body.dataset.shown = `${number}`;
}

function follow(event) {
  const address = event.target.closest?.("a[href]")?.getAttribute("href");
  if (!address?.startsWith("/") || event.defaultPrevented) return;
  event.preventDefault();
  go(address === "/" ? document.body.dataset.start : address);
}

// Show the start of the file.
export async function start() {
  await loadWords("common");
  fillHead([]);
  document.addEventListener("click", follow);
  addEventListener("hashchange", show);
  await show();
}
