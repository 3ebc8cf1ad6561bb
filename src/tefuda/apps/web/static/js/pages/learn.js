// The list of chapters.
import { get } from "../api.js";
import { h, style } from "../dom.js";
import { t } from "../words.js";

const STEP = "/learn/step?game=kuhn&method=cfr&iteration=1&times=24";

export async function show(root) {
  const [chapters] = await Promise.all([get("/api/learn"), style("learn"), style("place")]);
  const items = chapters.map(({ name, title }) => h("li", {}, h("a", { href: `/learn/${name}` }, title)));
  root.append(h("h1", {}, t("learn.title")), h("p", {}, t("learn.intro")),
    h("ol", { class: "chapters", lang: "en" }, items), h("p", {}, h("a", { href: STEP }, t("learn.step"))));
}
