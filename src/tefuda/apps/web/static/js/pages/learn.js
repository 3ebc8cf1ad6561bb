// The list of chapters.
import { get } from "../api.js";
import { h, style } from "../dom.js";
import { t } from "../words.js";

export async function show(root) {
  await style("learn");
  const chapters = await get("/api/learn");
  root.append(h("h1", {}, t("learn.title")), h("p", {}, t("learn.intro")), h("ol", { class: "chapters", lang: "en" },
    chapters.map((chapter) => h("li", {}, h("a", { href: `/learn/${chapter.name}` }, chapter.title)))),
  h("p", {}, h("a", { href: "/learn/step?game=kuhn&method=cfr&iteration=1&times=24" }, t("learn.step"))));
}
