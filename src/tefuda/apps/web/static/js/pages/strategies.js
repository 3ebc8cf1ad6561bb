// The strategies that can be explored: saved runs, and those that are made on demand.
import { get } from "../api.js";
import { h, style } from "../dom.js";
import { field } from "../fields.js";
import { go } from "../main.js";
import { number, t } from "../words.js";

const EXPLORED = ["tree", "hands", "buckets"];

export async function show(root) {
  const [{ runs }] = await Promise.all([get("/api/runs"), style("place")]);
  const game = field(t("strategies.game"), { value: "kuhn", autocomplete: "off", required: true });
  const open = (event) => {
    event.preventDefault();
    go(`/explore/new:${encodeURIComponent(game.control.value)}/-`);
  };
  const list = (links) => h("ul", { class: "choices" }, links.map(([id, text, about]) =>
    h("li", {}, h("a", { href: `/explore/${id}/-` }, text), " ", h("span", { class: "quiet" }, about))));
  const about = ({ game: name, method, figure }) => [name, method,
    Number.isFinite(figure.value) && `${figure.title} ${number(figure.value, 3)}`].filter(Boolean).join(" · ");
  const saved = runs.filter((run) => !run.error && EXPLORED.includes(run.representation))
    .map((run) => [encodeURIComponent(run.id), run.title || run.id, about(run)]);
  const made = ["kuhn", "kuhn;players=3", "leduc"].map((name) => [`new:${name}`, name, t("strategies.new")]);
  root.append(h("h1", {}, t("strategies.title")), h("p", {}, t("strategies.about")), h("h2", {}, t("strategies.runs")),
    saved.length ? list(saved) : h("p", {}, t("strategies.none"), " ", h("a", { href: "/solve" }, t("nav.solve"))),
    h("h2", {}, t("strategies.made")), list([...made, ["uniform:kuhn", "kuhn", t("strategies.uniform")],
      ["pushfold:10", t("strategies.pushfold"), t("strategies.exact")]]),
    h("form", { class: "row", onsubmit: open }, game, h("button", {}, t("strategies.open"))));
}
