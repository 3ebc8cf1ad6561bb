// A chapter: its text, its widget, and links to go on from.
import { get } from "../api.js";
import { h, style } from "../dom.js";
import { element } from "../nodes.js";
import { widget } from "../widget.js";
import { language, t } from "../words.js";

export async function show(root, { pathname, searchParams }) {
  await style("learn");
  const chapter = await get(`/api/learn/chapters/${pathname.split("/").at(-1)}`);
  const { name, settings } = chapter;
  const spoken = language === "ja" && chapter.japanese ? "ja" : "en";
  const { nodes, widget_at: middle } = spoken === "ja" ? chapter.japanese : chapter;
  const live = Object.keys(settings).length ? widget(name, settings) : null;
  const article = (content) => h("article", { lang: spoken }, content.map((node) => element(node)));
  const button = (href, text, rel) => h("a", { class: "button", rel, href }, text);
  const step = (key, rel) => chapter[key] && button(`/learn/${chapter[key]}`, t(`chapter.${key}`), rel);
  root.append(...searchParams.get("widget") === "only" && live ? [live.element] : [
    article(nodes.slice(0, middle)), live?.element ?? "", article(nodes.slice(middle)),
    h("p", {}, h("a", { href: chapter.further ?? "/play" }, t(chapter.further ? "chapter.try" : "chapter.play"))),
    h("nav", { class: "row", "aria-label": t("chapter.near") },
      step("previous", "prev"), button("/learn", t("chapter.all")), step("next", "next"))]);
  await live?.ready;
}
