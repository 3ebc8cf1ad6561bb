// What a list of runs shows before there is one: a sentence, the main action, and a second way.
import { post } from "./api.js";
import { attempt, h } from "./dom.js";
import { icon } from "./icons.js";
import { go } from "./main.js";
import { t } from "./words.js";

const FIRST = { game: "kuhn", parameters: {}, methods: ["cfr+"], until: 1e-4 }; // solved within two seconds

export function noRuns() {
  const error = h("p", { class: "error", role: "alert" });
  const solve = () => attempt(error, async () => {
    const { runs } = await post("/api/solve", FIRST);
    await go(`/solve?${new URLSearchParams({ game: FIRST.game, method: FIRST.methods[0], until: FIRST.until, runs })}`);
  });
  return h("div", { class: "blank" }, icon("runs"), h("h2", {}, t("no runs")), h("p", { class: "quiet" }, t("no runs.about")),
    h("p", { class: "row" }, h("button", { class: "main", "data-role": "first", onclick: solve }, t("no runs.solve")),
      h("a", { class: "button", href: "/solve?game=leduc" }, t("no runs.choose"))), error);
}
