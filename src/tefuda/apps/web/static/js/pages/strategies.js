// The strategies that can be explored: saved runs, and those that are made on demand.
import { get } from "../api.js";
import { h, style } from "../dom.js";
import { noRuns } from "../empty.js";
import { field } from "../fields.js";
import { go } from "../main.js";
import { strategyPage } from "../views/run.js";
import { nameRuns, titleOf } from "../views/run_name.js";
import { loadWords, number, t } from "../words.js";

// Ids, their games with parameters, and the keys of the words beside them.
const MADE = [
  ["new:kuhn", ["kuhn", {}], "new"], ["new:kuhn;players=3", ["kuhn", { players: 3 }], "new"], ["new:leduc", ["leduc", {}], "new"],
  ["uniform:kuhn", ["kuhn", {}], "uniform"], ["pushfold:10", null, "exact"],
];

function about({ method, figure: { title, value } }) {
  return [method, Number.isFinite(value) && `${title} ${number(value, 3)}`].filter(Boolean).join(" · ");
}

const list = (strategies) => h("ul", { class: "choices" }, strategies.map(([href, name, words]) =>
  h("li", {}, h("a", { href }, name), " ", h("span", { class: "quiet" }, words))));

export async function show(root) {
  const [{ runs }] = await Promise.all([get("/api/runs"), loadWords("empty"), style("learn"), style("place")]);
  const saved = (await nameRuns(runs)).filter((run) => run.explored).map((run) => [strategyPage(run), run.name, about(run)]);
  const made = MADE.map(([id, game, words]) => [`/explore/${id}/-`, game ? titleOf(...game) : t("strategies.pushfold"),
    t(`strategies.${words}`)]);
  const game = field(t("strategies.game"), { name: "game", value: "kuhn", autocomplete: "off", required: true });
  const onsubmit = (event) => {
    event.preventDefault();
    go(`/explore/new:${encodeURIComponent(game.control.value)}/-`);
  };
  root.append(h("h1", {}, t("strategies.title")), h("p", {}, t("strategies.about")),
    h("h2", {}, t("strategies.runs")), saved.length ? list(saved) : noRuns(),
    h("h2", {}, t("strategies.made")), list(made),
    h("form", { class: "row", onsubmit }, game, h("button", {}, t("strategies.open"))));
}
