// A chapter: its text, its widget, and links to go on from.
import { get } from "../api.js";
import { h, style } from "../dom.js";
import { beforeSection, element } from "../nodes.js";
import { widget } from "../widget.js";
import { t } from "../words.js";

const FURTHER = {
  "cfr-by-hand": "/learn/step?game=kuhn&method=cfr&iteration=1&times=24", "the-answer": "/solve?game=kuhn&method=cfr%2B",
  family: "/solve?game=leduc&method=cfr,cfr%2B,dcfr,pcfr%2B", sampling: "/solve?game=leduc&method=external,outcome",
  exploiting: "/exploit?game=leduc", "large-games": "/play",
};

export async function show(root, location) {
  await style("learn");
  const chapter = await get(`/api/learn/chapters/${location.pathname.split("/").at(-1)}`);
  const place = beforeSection(chapter.nodes);
  const [start, end] = [chapter.nodes.slice(0, place), chapter.nodes.slice(place)].map((nodes) => nodes.map((node) => element(node)));
  const live = Object.keys(chapter.settings).length ? widget(chapter.name, chapter.settings) : null;
  if (live && location.searchParams.get("widget") === "only") {
    root.append(live.element);
    return live.ready.then(() => null);
  }
  const step = (name, key) => (chapter[name] ? h("a", { class: "button", rel: key, href: `/learn/${chapter[name]}` }, t(`chapter.${name}`)) : null);
  root.append(h("article", { lang: "en" }, start), live?.element ?? "", h("article", { lang: "en" }, end),
    h("p", {}, h("a", { href: FURTHER[chapter.name] ?? "/play" }, t(FURTHER[chapter.name] ? "chapter.try" : "chapter.play"))),
    h("nav", { class: "row", "aria-label": t("chapter.near") }, step("previous", "prev"), h("a", { class: "button", href: "/learn" }, t("chapter.all")), step("next", "next")));
  await live?.ready;
}
