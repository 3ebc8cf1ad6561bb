// The page: its addresses and what they show, its head, and the state of the connection.
// In a shared file addresses stand after the #, and all pages and data are inside.
import { isShared, RequestError } from "./api.js";
import { announce, forgetStyles, h, keepStyles } from "./dom.js";
import { fillHead } from "./head.js";
import { setKeys } from "./keys.js";
import { showPreparation } from "./preparing.js";
import { loadWords, t } from "./words.js";

const LINKS = ["play", "solve", "runs", "explore", "exploit", "learn", "help"];
const PAGES = [
  [/^\/$/, "home"], [/^\/help$/, "help"], [/^\/solve$/, "solve"], [/^\/runs$/, "runs"], [/^\/runs\/[^/]+$/, "run"],
  [/^\/explore$/, "strategies"], [/^\/explore\//, "explore"], [/^\/play$/, "play"],
  [/^\/tables\/[^/]+\/hands\//, "review"], [/^\/tables\//, "table"], [/^\/exploit$/, "exploit"],
  [/^\/learn$/, "learn"], [/^\/learn\/step$/, "step"], [/^\/learn\//, "chapter"],
];
const { body } = document;
const home = isShared ? body.dataset.start : "/";
let leave = null;
let shown = 0;
let entry = history.state?.entry ?? 0; // number of the history entry that is shown
let entries = entry;
const tops = new Map(); // how far the page of each entry was scrolled when it was left

const pageOf = (path) => PAGES.find(([pattern]) => pattern.test(path))?.[1];
const here = () => (isShared ? new URL(location.hash.slice(1) || home, "http://inside") : new URL(location));

function move(how, address) {
  const { pathname, search } = new URL(address, here());
  if (how === "pushState") leaveFor(entries += 1);
  history[how]({ entry }, "", `${isShared ? "#" : ""}${pathname}${search}`);
}

function leaveFor(next) {
  tops.set(entry, scrollY);
  entry = next;
}

// Go to an address of the page without loading it anew; another page is read from its heading on.
export async function go(address, replace = false) {
  const before = here().pathname;
  move(replace ? "replaceState" : "pushState", address);
  await show();
  if (here().pathname === before) return;
  scrollTo(0, 0);
  const heading = document.querySelector("#main h1");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true });
}

// Go back or forward, to where the page was scrolled.
async function goBack() {
  leaveFor(history.state?.entry ?? 0);
  const top = tops.get(entry) ?? 0;
  await show();
  scrollTo(0, top);
}

// Change the address of what is shown.
export const setAddress = (address) => move("replaceState", address);

// Make the page of an address in a root element; return the function that cleans up.
async function make(root, name, address) {
  const [page] = name ? await Promise.all([import(`./pages/${name}.js`), loadWords(name).catch(() => {})]) : [];
  if (!page) throw new RequestError(404, { error: t("no page") });
  return page.show(root, address);
}

async function show() {
  const number = ++shown;
  const main = document.getElementById("main");
  const address = here();
  const name = pageOf(address.pathname);
  const root = h("div", { class: `page page-${name}` });
  leave?.();
  leave = null;
  forgetStyles();
  setKeys({ "?": [t("key.help"), () => go("/help")] });
  for (const link of document.querySelectorAll("#head nav a")) {
    const isHere = address.pathname.startsWith(new URL(link.href).pathname);
    isHere ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
  const slow = setTimeout(() => main.setAttribute("aria-busy", "true"), 400);
  try {
    const end = await make(root, name, address);
    if (number !== shown) return end?.();
    leave = end;
  } catch (error) {
    if (number !== shown) return;
    const back = h("a", { href: home }, t(isShared ? "to start" : "home"));
    const reason = isShared && error instanceof RequestError ? t("not inside") : error.message;
    root.replaceChildren(h("h1", {}, t("failed")), h("p", { class: "error" }, reason), h("p", {}, back));
    if (!(error instanceof RequestError)) console.error(error);
  } finally {
    clearTimeout(slow);
  }
  main.removeAttribute("aria-busy");
  main.replaceChildren(root);
  keepStyles();
  if (!isShared) document.title = [root.querySelector("h1")?.textContent, "tefuda"].filter(Boolean).join(" · ");
  body.dataset.shown = `${number}`;
}

// Follow links to pages of this page by itself.
function follow(event) {
  const link = event.target.closest?.("a[href]");
  const address = link?.getAttribute("href") ?? "";
  const isOther = ["button", "ctrlKey", "metaKey", "shiftKey", "altKey", "defaultPrevented"].some((key) => event[key]);
  if (isOther || !/^[/?]/.test(address) || link.target || link.hasAttribute("download")) return;
  if (!pageOf(new URL(address, here()).pathname)) return;
  event.preventDefault();
  go(isShared && address === "/" ? home : address);
}

// Show the address of the window, and follow it.
export async function start() {
  await loadWords("common");
  fillHead(isShared ? [] : LINKS);
  document.addEventListener("click", follow);
  history.scrollRestoration = "manual"; // the browser would scroll before the page is there
  addEventListener("popstate", goBack);
  const banner = document.getElementById("banner");
  addEventListener("connectionlost", () => banner.replaceChildren(t("lost")));
  addEventListener("connectionback", () => {
    banner.replaceChildren();
    announce(t("back"));
    showPreparation();
    show();
  });
  if (!isShared) showPreparation();
  await show();
}

if (!isShared) start();
