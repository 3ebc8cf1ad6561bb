// The page: its head, addresses, theme, and the state of the connection.
import { get, isShared, RequestError } from "./api.js";
import { pageOf } from "./addresses.js";
import { announce, forgetStyles, h, keepStyles } from "./dom.js";
import { fillHead } from "./head.js";
import { listed, setKeys } from "./keys.js";
import { showPreparation } from "./preparing.js";
import { loadWords, t } from "./words.js";

const main = () => document.getElementById("main");
let leave = null;
let shown = 0;

const LINKS = ["play", "solve", "runs", "explore", "exploit", "learn", "help"];

// Go to an address of the page without loading it anew.
export function go(address, replace = false) {
  history[replace ? "replaceState" : "pushState"](null, "", address);
  return show();
}

// Change the address of what is shown.
export function setAddress(address) {
  history.replaceState(null, "", address);
}

async function show() {
  const number = ++shown;
  leave?.();
  leave = null;
  forgetStyles();
  setKeys({ "?": [t("key.help"), () => go("/help")] });
  const name = pageOf(location.pathname);
  for (const link of document.querySelectorAll("#head nav a")) {
    const here = location.pathname.startsWith(new URL(link.href).pathname);
    here ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
  const root = h("div", { class: `page page-${name}` });
  const slow = setTimeout(() => main().setAttribute("aria-busy", "true"), 400);
  try {
    if (!name) throw new RequestError(404, { error: t("no page") });
    const [page] = await Promise.all([import(`./pages/${name}.js`), loadWords(name).catch(() => {})]);
    const end = await page.show(root, new URL(location));
    if (number !== shown) return end?.();
    leave = end;
  } catch (error) {
    if (number !== shown) return;
    root.replaceChildren(h("h1", {}, t("failed")), h("p", { class: "error" }, error.message), h("p", {}, h("a", { href: "/" }, t("home"))));
    if (!(error instanceof RequestError)) console.error(error);
  } finally {
    clearTimeout(slow);
  }
  main().removeAttribute("aria-busy");
  main().replaceChildren(root);
  keepStyles();
  document.title = [root.querySelector("h1")?.textContent, "tefuda"].filter(Boolean).join(" · ");
  document.body.dataset.shown = `${number}`;
}

function follow(event) {
  const link = event.target.closest?.("a[href]");
  const plain = !(event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!link || !plain || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.getAttribute("href").startsWith("#") || !pageOf(link.pathname)) return;
  event.preventDefault();
  go(link.href).then(() => link.closest("#head, .page-home") && main().focus());
}

async function start() {
  await loadWords("common");
  fillHead(LINKS);
  document.addEventListener("click", follow);
  addEventListener("popstate", show);
  addEventListener("connectionlost", () => document.getElementById("banner").replaceChildren(t("lost")));
  addEventListener("connectionback", () => {
    document.getElementById("banner").replaceChildren();
    announce(t("back"));
    showPreparation(document.getElementById("preparation"));
    show();
  });
  showPreparation(document.getElementById("preparation"));
  await show();
}

if (!isShared) start();
export { get, listed };
