// The page: its addresses and what they show, its head, and the state of the connection.
// In a shared file all pages and data are inside.
import { get, isShared, RequestError, retry } from "./api.js";
import "./busy.js";
import { announce, forgetStyles, h, keepStyles } from "./dom.js";
import { fillHead, fillHere, hereTitle, openGoTo } from "./head.js";
import { setKeys } from "./settings.js";
import { begin, followHistory, here, home, move } from "./visits.js";
import { loadWords, t } from "./words.js";

const PREPARING = 1000; // milliseconds between questions about the server's preparation
const LINKS = ["play", "solve", "explore", "exploit", "hands", "runs", "learn"];
const PAGES = [
  [/^\/$/, "home"], [/^\/help$/, "help"], [/^\/solve$/, "solve"], [/^\/runs$/, "runs"], [/^\/runs\/[^/]+$/, "run"],
  [/^\/explore$/, "strategies"], [/^\/explore\//, "explore"], [/^\/play$/, "play"],
  [/^\/tables\/[^/]+\/hands\//, "review"], [/^\/tables\//, "table"], [/^\/exploit$/, "exploit"],
  [/^\/hands$/, "hands"], [/^\/hands\/[^/]+\/[^/]+$/, "replay"],
  [/^\/learn$/, "learn"], [/^\/learn\/step$/, "step"], [/^\/learn\//, "chapter"],
];
const SHAPES = 150; // milliseconds until grey shapes show that a page is loading
const PATIENCE = 2000; // milliseconds until a sentence says so
const { body } = document;
let leave = null;
let shown = 0;

const pageOf = (path) => PAGES.find(([pattern]) => pattern.test(path))?.[1];

// Go to an address of the page without loading it anew; another page is read from its heading on.
export async function go(address, replace = false) {
  const before = here().pathname;
  move(replace ? "replaceState" : "pushState", address);
  await show();
  if (here().pathname !== before) begin();
}

// Change the address of what is shown.
export const setAddress = (address) => move("replaceState", address);

// Make the page of an address in a root element; return the function that cleans up.
async function make(root, name, address) {
  const [page] = name ? await Promise.all([import(`./pages/${name}.js`), loadWords(name).catch(() => {})]) : [];
  if (!page) throw new RequestError(404, { error: t("no page") });
  return page.show(root, address);
}

// Say that a page is loading: grey shapes, then a sentence and a way back. Returns a function that ends it.
function loading(main) {
  const shapes = setTimeout(() => {
    main.setAttribute("aria-busy", "true");
    main.replaceChildren(h("div", { class: "shapes", "aria-hidden": "true" }, [1, 2, 3].map(() => h("div", {}))));
  }, SHAPES);
  const sentence = setTimeout(() => main.append(h("p", { class: "row", role: "status" }, t("loading"),
    h("button", { onclick: () => history.back() }, t("cancel loading")))), PATIENCE);
  return () => {
    clearTimeout(shapes);
    clearTimeout(sentence);
    main.removeAttribute("aria-busy");
  };
}

function showFailure(root, error) {
  const back = h("a", { class: "button", href: home }, t(isShared ? "to start" : "home"));
  const reason = isShared && error instanceof RequestError ? t("not inside") : error.message;
  root.replaceChildren(h("h1", {}, t("failed")), h("p", { class: "error" }, reason), h("p", {}, back));
  if (!(error instanceof RequestError)) console.error(error);
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
  setKeys({ "?": [t("key.help"), () => go("/help")], g: [t("go.title"), () => !isShared && openGoTo(LINKS)] });
  for (const link of document.querySelectorAll("#head .pages a")) {
    const isHere = address.pathname.startsWith(new URL(link.href).pathname);
    isHere ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
  fillHere();
  const loaded = loading(main);
  try {
    const end = await make(root, name, address);
    if (number !== shown) return end?.();
    leave = end;
  } catch (error) {
    if (number !== shown) return;
    showFailure(root, error);
  } finally {
    loaded();
  }
  main.replaceChildren(root);
  keepStyles();
  const title = root.querySelector("h1")?.textContent ?? "";
  if (!document.getElementById("head-here").hasChildNodes() && name !== "home") fillHere(hereTitle(title));
  if (!isShared) document.title = [title, "tefuda"].filter(Boolean).join(" · ");
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

// Show a strip while the server compiles what the pages use: "preparing, once: 3 of 7".
async function showPreparation() {
  const place = document.getElementById("preparation");
  const { preparation = null } = await get("/api/status").catch(() => ({ preparation: { waits: true } }));
  place.hidden = !preparation?.total || preparation.done >= preparation.total;
  if (place.hidden && !preparation?.waits) return;
  if (!preparation.waits) {
    place.replaceChildren(h("span", {}, t("preparing", preparation)),
      h("progress", { max: preparation.total, value: preparation.done, "aria-label": t("preparing.label") }));
  }
  setTimeout(showPreparation, PREPARING);
}

// Say that the server is away, until it is back.
function watchConnection() {
  const banner = document.getElementById("banner");
  const lost = () => [h("span", {}, t("lost")), h("button", { onclick: retry }, t("try now"))];
  addEventListener("connectionlost", () => banner.replaceChildren(...lost()));
  addEventListener("connectionback", () => {
    banner.replaceChildren();
    announce(t("back"));
    showPreparation();
    show();
  });
}

// Show the address of the window, and follow it.
export async function start() {
  await loadWords("common");
  fillHead(isShared ? [] : LINKS);
  document.addEventListener("click", follow);
  followHistory(show);
  watchConnection();
  if (!isShared) showPreparation();
  await show();
}

if (!isShared) start();
