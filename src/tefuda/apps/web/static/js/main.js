// The page: its head, addresses, theme, and the state of the connection.
import { get, isShared, RequestError } from "./api.js";
import { announce, h } from "./dom.js";
import { listed, setKeys } from "./keys.js";
import { showPreparation } from "./preparing.js";
import { language, loadWords, t } from "./words.js";

const PAGES = [
  [/^\/$/, "home"], [/^\/help$/, "help"], [/^\/solve$/, "solve"], [/^\/runs$/, "runs"], [/^\/runs\/[^/]+$/, "run"],
  [/^\/explore\//, "explore"], [/^\/play$/, "play"], [/^\/tables\/[^/]+\/hands\//, "review"], [/^\/tables\//, "table"],
  [/^\/exploit$/, "exploit"], [/^\/learn$/, "learn"], [/^\/learn\/step$/, "step"], [/^\/learn\//, "chapter"],
];
const THEMES = ["auto", "light", "dark"];
const main = () => document.getElementById("main");
let leave = null;
let shown = 0;

function setTheme(theme) {
  localStorage.setItem("theme", theme);
  document.documentElement.dataset.theme = theme;
}

function head() {
  const links = ["play", "solve", "runs", "exploit", "learn", "help"].map((name) => h("a", { href: `/${name}` }, t(`nav.${name}`)));
  const theme = h("button", { class: "plain", "data-role": "theme", onclick: () => {
    setTheme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % 3]);
    theme.textContent = t(`theme.${document.documentElement.dataset.theme}`);
  } }, t(`theme.${document.documentElement.dataset.theme}`));
  const other = language === "en" ? "ja" : "en";
  const speak = h("button", { class: "plain", lang: other, onclick: () => {
    localStorage.setItem("lang", other);
    const address = new URL(location);
    address.searchParams.delete("lang");
    location.replace(address);
  } }, other === "ja" ? "日本語" : "English");
  document.getElementById("head").replaceChildren(
    h("a", { class: "skip", href: "#main" }, t("skip")),
    h("a", { class: "brand", href: "/" }, h("img", { src: "/static/icon.svg", alt: "", width: 28, height: 28 }), "tefuda"),
    h("nav", { "aria-label": t("nav.label") }, links), h("div", { class: "settings" }, speak, theme));
}

// Go to an address of the page without loading it anew.
export function go(address, replace = false) {
  history[replace ? "replaceState" : "pushState"](null, "", address);
  return show();
}

async function show() {
  const number = ++shown;
  leave?.();
  leave = null;
  setKeys({ "?": [t("key.help"), () => go("/help")] });
  const name = PAGES.find(([pattern]) => pattern.test(location.pathname))?.[1];
  for (const link of document.querySelectorAll("#head nav a")) {
    const here = location.pathname.startsWith(new URL(link.href).pathname);
    here ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
  const root = h("div", { class: `page page-${name}` });
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
  }
  main().replaceChildren(root);
  document.title = [root.querySelector("h1")?.textContent, "tefuda"].filter(Boolean).join(" · ");
  document.body.dataset.shown = `${number}`;
}

function follow(event) {
  const link = event.target.closest?.("a[href]");
  const plain = !(event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!link || !plain || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.getAttribute("href").startsWith("#") || !PAGES.some(([pattern]) => pattern.test(link.pathname))) return;
  event.preventDefault();
  go(link.href).then(() => link.closest("#head, .page-home") && main().focus());
}

async function start() {
  document.documentElement.lang = language;
  setTheme(localStorage.getItem("theme") ?? "auto");
  await loadWords("common");
  head();
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
