// The head of a page: links, the field "Go to", language, theme; on a phone a title and a menu.
import { h } from "./dom.js";
import { brandMark, icon } from "./icons.js";
import { setSetting, setting } from "./settings.js";
import { language, t } from "./words.js";

const THEMES = ["auto", "light", "dark"];
const OTHER = { en: ["ja", "日本語"], ja: ["en", "English"] };

// The button that changes the theme; `content(name)` is what it shows.
export function themeButton(content) {
  const named = () => t(`theme.${setting("theme")}`);
  const update = () => {
    button.replaceChildren(content(named()));
    for (const name of ["aria-label", "title"]) button.setAttribute(name, named());
  };
  const button = h("button", { class: "plain", "data-role": "theme", onclick: () => {
    setSetting("theme", THEMES[(THEMES.indexOf(setting("theme")) + 1) % 3]);
    update();
  } });
  update();
  return button;
}

// The button that changes the language.
export function languageButton() {
  const [other, name] = OTHER[language];
  const speak = () => {
    localStorage.setItem("lang", other);
    const address = new URL(location);
    address.searchParams.delete("lang");
    address.href === location.href ? location.reload() : location.replace(address);
  };
  return h("button", { class: "plain", "data-role": "language", lang: other, onclick: speak }, name);
}

const openMenu = async (names) => (await import("./menu.js")).openMenu(names);

// Open the field that leads to pages, runs, tables and chapters.
export const openGoTo = async (names) => (await import("./menu.js")).openGoTo(names);

// Fill the head with links to pages, by name; a shared file has none.
export function fillHead(names) {
  document.documentElement.lang = language;
  const pages = names.length > 0;
  const picture = pages && brandMark();
  const links = h("nav", { class: "pages", "aria-label": t("nav.label") }, names.map((each) =>
    h("a", { href: `/${each}` }, t(`nav.${each}`))));
  const settings = h("div", { class: pages ? "settings wide" : "settings" },
    pages && h("button", { class: "plain", "data-role": "go", onclick: () => openGoTo(names) }, t("go.title"), " ",
      h("kbd", { "aria-hidden": "true" }, "g")),
    languageButton(), themeButton(() => icon("theme")),
    pages && h("a", { href: "/help", "aria-label": t("nav.help"), title: t("nav.help") }, "?"));
  const parts = [
    h("a", { class: "skip", href: "#main" }, t("skip")), h("a", { class: "brand", href: "/", "aria-label": "tefuda" }, picture,
      h("span", {}, "tefuda")),
    pages && links, h("div", { id: "head-here" }), settings,
    pages && h("button", { class: "plain menu", "data-role": "menu", "aria-label": t("menu"), "aria-haspopup": "dialog",
      onclick: () => openMenu(names) }, icon("menu"))];
  document.getElementById("head").replaceChildren(...parts.filter(Boolean));
}

// Show something in the middle of the head: the title of the page, which phones show, or the state of a match.
export const fillHere = (...content) => document.getElementById("head-here").replaceChildren(...content);

export const hereTitle = (title) => h("span", { class: "title", "aria-hidden": "true" }, title);
