// The strategies that can be explored: saved runs, and those that are made on demand.
import { get } from "../api.js";
import { h, style } from "../dom.js";
import { go } from "../main.js";
import { number, t } from "../words.js";

const EXPLORED = ["tree", "hands", "buckets"];
const MADE = ["kuhn", "kuhn;players=3", "leduc"];

export async function show(root) {
  const [{ runs }] = await Promise.all([get("/api/runs"), style("place")]);
  const game = h("input", { id: "game", value: "kuhn", autocomplete: "off", required: true });
  const open = (event) => {
    event.preventDefault();
    go(`/explore/new:${encodeURIComponent(game.value)}/-`);
  };
  const link = (id, text, about) => h("li", {}, h("a", { href: `/explore/${id}/-` }, text), " ", h("span", { class: "quiet" }, about));
  const saved = runs.filter((run) => !run.error && EXPLORED.includes(run.representation)).map((run) => link(encodeURIComponent(run.id), run.title || run.id,
    [run.game, run.method, run.figure.value === null || run.figure.value === undefined ? "" : `${run.figure.title} ${number(run.figure.value, 3)}`].filter(Boolean).join(" · ")));
  root.append(h("h1", {}, t("strategies.title")), h("p", {}, t("strategies.about")),
    h("h2", {}, t("strategies.runs")), saved.length ? h("ul", { class: "choices" }, saved) : h("p", {}, t("strategies.none"), " ", h("a", { href: "/solve" }, t("nav.solve"))),
    h("h2", {}, t("strategies.made")), h("ul", { class: "choices" }, MADE.map((name) => link(`new:${name}`, name, t("strategies.new"))), link("uniform:kuhn", "kuhn", t("strategies.uniform")),
      link("pushfold:10", t("strategies.pushfold"), t("strategies.exact"))),
    h("form", { class: "row", onsubmit: open }, h("label", {}, h("span", {}, t("strategies.game")), game), h("button", {}, t("strategies.open"))));
}
