// The list of runs: sort, filter, compare, rename, resume, export, bin.
import { get, post } from "../api.js";
import { chart } from "../chart.js";
import { announce, h, style } from "../dom.js";
import { curvesOf } from "../live.js";
import { go } from "../main.js";
import { number, t } from "../words.js";

const COLUMNS = ["title", "game", "method", "status", "iterations", "figure", "written"];
const address = (run, part = "") => `/api/runs/${encodeURIComponent(run.id)}${part}`;
const value = (run, column) => (column === "figure" ? run.figure.value ?? Infinity : column === "title" ? run.title || run.id : run[column]);

function sorted(runs, column, falling) {
  const order = (a, b) => (value(a, column) < value(b, column) ? -1 : value(a, column) > value(b, column) ? 1 : 0);
  return [...runs].sort((a, b) => (a.error ? 1 : 0) - (b.error ? 1 : 0) || (falling ? order(b, a) : order(a, b)));
}

function figure(run) {
  if (run.figure.value === null || run.figure.value === undefined) return "–";
  return [number(run.figure.value, 4), h("span", { class: "quiet" }, ` ${run.figure.title}, ${run.figure.unit}`)];
}

function time(text) {
  return text ? h("time", { datetime: text }, new Date(text).toLocaleString(document.documentElement.lang)) : "–";
}

async function comparison(ids) {
  const curves = await get(curvesOf(ids));
  return h("section", { class: "panel" }, h("h2", {}, t("runs.comparison")), chart(t("runs.comparison"), curves),
    h("p", {}, h("a", { href: "/runs" }, t("runs.no comparison"))));
}

export async function show(root, location) {
  await style("runs");
  let { runs } = await get("/api/runs");
  let [column, falling] = ["written", true];
  const compared = new Set((location.searchParams.get("compare") ?? "").split(",").filter(Boolean));
  const body = h("tbody", {});
  const heads = h("tr", {});
  const filter = h("input", { type: "search", oninput: () => draw() });
  const message = h("p", { role: "status" });
  const compare = h("button", { onclick: () => go(`/runs?compare=${[...compared].map(encodeURIComponent).join(",")}`) }, t("runs.compare"));

  // Act on a run and show the new list; errors of the server are shown as they are.
  async function act(done, work) {
    try {
      const answer = await work();
      if (answer.runs) ({ runs } = answer);
      message.textContent = done(answer);
      draw();
    } catch (error) {
      message.textContent = error.message;
    }
    announce(message.textContent);
  }

  const rename = (run) => {
    const field = h("input", { value: run.title, maxlength: 200, "aria-label": t("runs.new title") });
    const save = () => act(() => t("runs.renamed"), () => post(address(run, "/title"), { title: field.value }));
    const row = body.querySelector(`[data-run="${CSS.escape(run.id)}"] th`);
    field.addEventListener("keydown", (event) => event.key === "Enter" ? save() : event.key === "Escape" && draw());
    row.replaceChildren(field, h("button", { onclick: save }, t("runs.save")));
    field.focus();
  };

  const actions = (run) => h("details", { class: "menu" }, h("summary", { "aria-label": t("runs.actions of", { name: run.title || run.id }) }, "⋯"),
    h("div", { class: "row" },
      run.error ? null : h("button", { onclick: () => rename(run) }, t("runs.rename")),
      run.status !== "interrupted" ? null : h("button", { onclick: () => act(() => go(`/runs/${encodeURIComponent(run.id)}`) && "", () => post(`/api/solve/${encodeURIComponent(run.id)}/resume`, {})) }, t("runs.resume")),
      run.error ? null : h("a", { class: "button", href: `/explore/${encodeURIComponent(run.id)}/-` }, t("runs.explore")),
      run.error ? null : h("a", { class: "button", href: address(run, "/files"), download: `${run.id}.zip` }, t("runs.export")),
      h("button", { onclick: () => act((answer) => t("runs.binned", { folder: answer.moved }), () => post(address(run, "/bin"), {})) }, t("runs.bin"))));

  const line = (run) => h("tr", { "data-run": run.id },
    h("th", { scope: "row" }, run.error ? run.id : h("a", { href: `/runs/${encodeURIComponent(run.id)}` }, run.title || run.id)),
    run.error ? h("td", { colspan: 6, class: "wrong" }, `${t("status.damaged")}: ${run.error}`) : [
      h("td", { title: run.game_parameters }, run.game), h("td", {}, run.method), h("td", {}, t(`status.${run.status}`)),
      h("td", {}, number(run.iterations)), h("td", {}, figure(run)), h("td", {}, time(run.written))],
    h("td", {}, run.error ? null : h("label", { class: "check" }, h("input", { type: "checkbox", checked: compared.has(run.id), onchange: (event) => {
      event.target.checked ? compared.add(run.id) : compared.delete(run.id);
      compare.disabled = !compared.size;
    } }), h("span", { class: "unseen" }, t("runs.compare this", { name: run.title || run.id })))),
    h("td", {}, actions(run)));

  function draw() {
    const words = filter.value.toLowerCase().split(/\s+/);
    const text = (run) => `${run.id} ${run.title} ${run.game} ${run.game_parameters} ${run.method} ${t(`status.${run.status}`)}`.toLowerCase();
    heads.replaceChildren(...COLUMNS.map((name) => h("th", { scope: "col", "aria-sort": name === column ? (falling ? "descending" : "ascending") : null },
      h("button", { class: "plain", onclick: () => {
        [column, falling] = [name, name === column ? !falling : false];
        draw();
        heads.children[COLUMNS.indexOf(name)].firstChild.focus();
      } }, `${t(`runs.${name}`)}${name === column ? (falling ? " ↓" : " ↑") : ""}`))), h("th", { scope: "col" }, t("runs.choose")), h("th", { scope: "col" }, t("runs.actions")));
    body.replaceChildren(...sorted(runs.filter((run) => words.every((word) => text(run).includes(word))), column, falling).map(line));
    compare.disabled = !compared.size;
  }

  draw();
  root.append(h("h1", {}, t("runs.runs")), compared.size ? await comparison([...compared]) : "",
    h("div", { class: "row" }, h("label", {}, h("span", {}, t("runs.filter")), filter), compare, h("a", { class: "button", href: "/solve" }, t("runs.new"))), message,
    runs.length ? h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("runs.runs") }, h("table", { class: "runs" }, h("thead", {}, heads), body))
      : h("p", {}, t("runs.none")));
}
