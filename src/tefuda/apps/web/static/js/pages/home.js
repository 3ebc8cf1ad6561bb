// The home page.
import { h } from "../dom.js";
import { t } from "../words.js";

export async function show(root) {
  const cards = ["play", "solve", "learn"].map((name) =>
    h("a", { class: "card", href: `/${name}` }, h("h2", {}, t(`nav.${name}`)), h("p", {}, t(`home.${name}`))));
  root.append(h("h1", {}, t("home.title")), h("div", { class: "cards" }, cards));
}
