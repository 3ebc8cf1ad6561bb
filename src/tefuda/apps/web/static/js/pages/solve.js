// Solve: a spot of hold'em, or any game.
import { h, style } from "../dom.js";
import { loadWords, t } from "../words.js";

// Tabs of what can be solved.
function kinds(isSpot) {
  const tab = (address, name, here) => h("a", { class: "button", href: address, "aria-current": here && "true" }, t(name));
  return h("nav", { class: "choice", "aria-label": t("solve.kind") }, tab("/solve", "solve.spot", isSpot),
    tab("/solve?game=kuhn", "solve.any", !isSpot), tab("/explore/pushfold:10/-", "solve.push or fold", false));
}

export async function show(root, { searchParams: query }) {
  const isSpot = ["spot", null].includes(query.get("game"));
  const [form] = await Promise.all([isSpot ? import("../spots/form.js") : import("../solving/form.js"),
    loadWords("spot_form"), style("spot")]);
  root.append(h("div", { class: "row solve-head" }, h("h1", {}, t("nav.solve")), kinds(isSpot)));
  return form.show(root, query);
}
