// The list of runs: sort, filter, compare, rename, resume, export, bin.
import { get, post } from "../api.js";
import { chart } from "../chart.js";
import { announce, attempt, h, style } from "../dom.js";
import { noRuns } from "../empty.js";
import { field } from "../fields.js";
import { curvesOf, runAddress } from "../live.js";
import { go } from "../main.js";
import { runPage } from "../views/run.js";
import { nameOf, runRow } from "../views/run_row.js";
import { loadWords, t } from "../words.js";

const COLUMNS = ["title", "game", "method", "status", "iterations", "figure", "written"];
const address = (run, part) => `/api/runs/${encodeURIComponent(run.id)}/${part}`;
const textOf = ({ id, title, game, game_parameters: parameters, method, status }) =>
  [id, title, game, parameters, method, t(`status.${status}`)].join(" ").toLowerCase();

function valueOf(run, column) {
  if (column === "figure") return run.figure.value ?? Infinity;
  return column === "title" ? nameOf(run) : run[column];
}

function sorted(runs, column, falling) {
  const order = (a, b) => (valueOf(a, column) > valueOf(b, column)) - (valueOf(a, column) < valueOf(b, column));
  return runs.toSorted((a, b) => Boolean(a.error) - Boolean(b.error) || (falling ? order(b, a) : order(a, b)));
}

async function comparison(ids) {
  const [curves] = await Promise.all([get(curvesOf(ids)), loadWords("live")]);
  return h("section", { class: "panel" }, h("h2", {}, t("runs.comparison")), chart(t("runs.comparison"), curves, undefined, {}),
    h("p", {}, h("a", { href: "/runs" }, t("runs.no comparison"))));
}

export async function show(root, location) {
  await style("runs");
  let { runs } = await get("/api/runs");
  let [column, falling] = ["written", true];
  const compared = new Set(location.searchParams.get("compare")?.split(",").filter(Boolean));
  const body = h("tbody", {});
  const heads = h("tr", {});
  const filter = field(t("runs.filter"), { type: "search", oninput: () => draw() });
  const message = h("p", { role: "status" });
  const compare = h("button", { onclick: () => go(`/runs?compare=${[...compared].map(encodeURIComponent).join(",")}`) },
    t("runs.compare"));

  // Act on a run and show the new list; errors of the server are shown as they are.
  const act = async (done, work) => {
    await attempt(message, async () => {
      const answer = await work();
      if (answer.runs) ({ runs } = answer);
      draw();
      message.textContent = done(answer);
    });
    announce(message.textContent);
  };

  const rename = (run) => {
    const input = h("input", { value: run.title, maxlength: 200, "aria-label": t("runs.new title") });
    const save = () => act(() => t("runs.renamed"), () => post(address(run, "title"), { title: input.value }));
    input.addEventListener("keydown", ({ key }) => (key === "Enter" ? save() : key === "Escape" && draw()));
    const place = body.querySelector(`[data-run="${CSS.escape(run.id)}"] th`);
    place.replaceChildren(input, h("button", { onclick: save }, t("runs.save")));
    input.focus();
  };

  const acts = {
    rename,
    resume: (run) => attempt(message, () =>
      post(runAddress(run.id, "resume"), {}).then(() => go(runPage(run)))),
    bin: (run) => act(({ moved }) => t("runs.binned", { folder: moved }), () => post(address(run, "bin"), {})),
  };
  const runOf = (target) => runs.find((run) => run.id === target.closest("tr").dataset.run);
  body.addEventListener("click", ({ target }) => acts[target.closest("[data-act]")?.dataset.act]?.(runOf(target)));
  body.addEventListener("change", ({ target }) => {
    if (target.type !== "checkbox") return;
    compared[target.checked ? "add" : "delete"](runOf(target).id);
    compare.disabled = !compared.size;
  });
  const line = (run) => {
    const row = runRow(run);
    const box = row.querySelector("[type=checkbox]");
    if (box) box.checked = compared.has(run.id);
    return row;
  };

  const head = (name, index) => {
    const isSorted = name === column;
    const onclick = () => {
      [column, falling] = [name, isSorted && !falling];
      draw();
      heads.children[index].firstChild.focus();
    };
    return h("th", { scope: "col", "aria-sort": isSorted && (falling ? "descending" : "ascending") },
      h("button", { class: "plain", onclick }, t(`runs.${name}`), isSorted && (falling ? " ↓" : " ↑")));
  };

  function draw() {
    const words = filter.control.value.toLowerCase().split(/\s+/);
    const found = runs.filter((run) => words.every((word) => textOf(run).includes(word)));
    const rest = ["choose", "actions"].map((name) => h("th", { scope: "col" }, t(`runs.${name}`)));
    heads.replaceChildren(...COLUMNS.map(head), ...rest);
    body.replaceChildren(...sorted(found, column, falling).map(line));
    compare.disabled = !compared.size;
  }

  draw();
  const list = h("table", { class: "runs" }, h("thead", {}, heads), body);
  root.append(h("h1", {}, t("runs.runs")), compared.size ? await comparison([...compared]) : "",
    h("div", { class: "row" }, filter, compare, h("a", { class: "button", href: "/solve" }, t("runs.new"))), message,
    runs.length ? h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("runs.runs") }, list)
      : noRuns());
}
