// The head of a page: links, language, theme.
import { h } from "./dom.js";
import { setSetting, setting } from "./settings.js";
import { language, t } from "./words.js";

const THEMES = ["auto", "light", "dark"];
const OTHER = { en: ["ja", "日本語"], ja: ["en", "English"] };

// Fill the head with links to pages, by name; a shared file has none.
export function fillHead(names) {
  document.documentElement.lang = language;
  const named = () => t(`theme.${setting("theme")}`);
  const theme = h("button", { class: "plain", "data-role": "theme", onclick: () => {
    setSetting("theme", THEMES[(THEMES.indexOf(setting("theme")) + 1) % 3]);
    theme.textContent = named();
  } }, named());
  const [other, name] = OTHER[language];
  const speak = () => {
    localStorage.setItem("lang", other);
    const address = new URL(location);
    address.searchParams.delete("lang");
    address.href === location.href ? location.reload() : location.replace(address);
  };
  const icon = names.length > 0 && h("img", { src: "/static/icon.svg", alt: "", width: 28, height: 28 });
  document.getElementById("head").replaceChildren(
    h("a", { class: "skip", href: "#main" }, t("skip")), h("a", { class: "brand", href: "/" }, icon, "tefuda"),
    h("nav", { "aria-label": t("nav.label") }, names.map((each) => h("a", { href: `/${each}` }, t(`nav.${each}`)))),
    h("div", { class: "settings" }, h("button", { class: "plain", lang: other, onclick: speak }, name), theme));
}
