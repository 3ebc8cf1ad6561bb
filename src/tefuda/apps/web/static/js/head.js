// The head of a page: links, language, theme.
import { h } from "./dom.js";
import { language, t } from "./words.js";

const THEMES = ["auto", "light", "dark"];

function setTheme(theme) {
  localStorage.setItem("theme", theme);
  document.documentElement.dataset.theme = theme;
}

// Fill the head with links to pages, by name; a shared file has none.
export function fillHead(names) {
  document.documentElement.lang = language;
  setTheme(localStorage.getItem("theme") ?? "auto");
  const links = names.map((name) => h("a", { href: `/${name}` }, t(`nav.${name}`)));
  const theme = h("button", { class: "plain", "data-role": "theme", onclick: () => {
    setTheme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % 3]);
    theme.textContent = t(`theme.${document.documentElement.dataset.theme}`);
  } }, t(`theme.${document.documentElement.dataset.theme}`));
  const other = language === "en" ? "ja" : "en";
  const speak = h("button", { class: "plain", lang: other, onclick: () => {
    localStorage.setItem("lang", other);
    const address = new URL(location);
    address.searchParams.delete("lang");
    address.href === location.href ? location.reload() : location.replace(address);
  } }, other === "ja" ? "日本語" : "English");
  document.getElementById("head").replaceChildren(
    h("a", { class: "skip", href: "#main" }, t("skip")),
    h("a", { class: "brand", href: "/" }, names.length ? h("img", { src: "/static/icon.svg", alt: "", width: 28, height: 28 }) : "", "tefuda"),
    h("nav", { "aria-label": t("nav.label") }, links), h("div", { class: "settings" }, speak, theme));
}
