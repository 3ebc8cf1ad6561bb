// The list of chapters.
import { get } from "../api.js";
import { h, style } from "../dom.js";
import { language, t } from "../words.js";

const STEP = "/learn/step?game=kuhn&method=cfr&iteration=1&times=24";

export async function show(root) {
  const [chapters] = await Promise.all([get("/api/learn"), style("learn"), style("place")]);
  const isEnglish = (japanese) => language === "ja" && !japanese;
  const items = chapters.map(({ name, title, japanese }) => h("li", {},
    h("a", { href: `/learn/${name}`, lang: isEnglish(japanese) && "en" }, (language === "ja" && japanese) || title),
    isEnglish(japanese) && [" ", h("span", { class: "quiet" }, t("learn.english"))]));
  root.append(h("h1", {}, t("learn.title")), h("p", {}, t("learn.intro")),
    h("ol", { class: "chapters" }, items), h("p", {}, h("a", { href: STEP }, t("learn.step"))));
}
