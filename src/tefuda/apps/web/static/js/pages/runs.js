// The list of runs: search, kinds, sorting; what is chosen is compared, shared or moved to the bin.
import { curvesOf, get } from "../api.js";
import { loadCards } from "../cards.js";
import { chart } from "../chart.js";
import { h, style } from "../dom.js";
import { noRuns } from "../empty.js";
import { icon } from "../icons.js";
import { go, setAddress } from "../main.js";
import { queryText, readQuery } from "../query.js";
import { runPage } from "../views/run.js";
import { runActs } from "../views/run_acts.js";
import { nameRuns } from "../views/run_name.js";
import { runRow } from "../views/run_row.js";
import { loadWords, t } from "../words.js";

const COLUMNS = ["name", "method", "curve", "figure", "iterations", "state"];
const SORTED = ["name", "method", "figure", "iterations", "state"];
const KINDS = { all: () => true, holdem: ({ form }) => ["hands", "buckets"].includes(form),
  trees: ({ form }) => ["tree", "partition"].includes(form), damaged: ({ error }) => error };
const USUAL = { kind: "all", find: "", sort: "state", compare: "" };
const textOf = ({ id, name, game, method, status }) => [id, name, game, method, t(`status.${status}`)].join(" ").toLowerCase();

const valueOf = (run, column) => ({ figure: run.figure.value ?? Infinity, state: -new Date(run.written || 0) })[column]
  ?? run[column];

function sorted(runs, column, falling) {
  const order = (a, b) => (valueOf(a, column) > valueOf(b, column)) - (valueOf(a, column) < valueOf(b, column));
  return runs.toSorted((a, b) => Boolean(a.error) - Boolean(b.error) || (falling ? order(b, a) : order(a, b)));
}

const PHONE = matchMedia("(max-width: 760px)"); // a tap on a row opens the run
const letter = (index) => String.fromCharCode(65 + index);

// The curves of runs on one chart, each with a letter.
async function comparison(runs) {
  const curves = await get(curvesOf(runs.map(({ id }) => id)));
  curves.lines.forEach((line, index) => { line.name = letter(index); });
  const legend = runs.map((run, index) => h("li", {}, h("a", { href: runPage(run) }, h("b", {}, letter(index)),
    `${run.name}, ${run.method}`)));
  return h("section", { class: "panel" }, h("h2", {}, t("runs.comparison")), chart(t("runs.comparison"), curves, undefined, {}),
    h("ul", { class: "list letters" }, legend),
    h("p", {}, h("a", { href: "/runs" }, t("runs.no comparison"))));
}

export async function show(root, location) {
  await Promise.all([style("runs"), style("menu"), loadCards(), loadWords("live", "empty")]);
  let runs = await nameRuns((await get("/api/runs")).runs);
  const state = readQuery(location, USUAL);
  let falling = state.sort.startsWith("-");
  let column = SORTED.includes(state.sort.replace("-", "")) ? state.sort.replace("-", "") : USUAL.sort;
  const compared = state.compare.split(",").map((id) => runs.find((run) => run.id === id)).filter(Boolean);
  const chosen = new Set(compared.map(({ id }) => id));
  const body = h("tbody", {});
  const heads = h("tr", {});
  const kinds = h("div", { class: "choice", role: "group", "aria-label": t("runs.kinds") });
  const none = h("p", { class: "quiet" });
  const note = h("p", { class: "error", role: "alert" });
  const dock = h("div", { class: "dock", hidden: true });
  const find = h("input", { type: "search", value: state.find, "aria-label": t("runs.find"), placeholder: t("runs.find"),
    oninput: () => change({ find: find.value }) });

  const changed = async (fresh) => {
    runs = await nameRuns(fresh);
    for (const id of chosen) if (!runs.some((run) => run.id === id)) chosen.delete(id);
    draw();
  };
  const change = (values) => {
    Object.assign(state, values);
    setAddress(location.pathname + queryText(state, USUAL));
    draw();
  };
  const act = runActs(changed, note);
  const runOf = (target) => runs.find((run) => run.id === target.closest("tr").dataset.run);
  body.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-act]");
    target.closest("details div")?.parentElement.removeAttribute("open");
    if (button) act(button.dataset.act, [runOf(button)], button);
    else if (PHONE.matches && !target.closest("a, .choose") && !runOf(target).error) go(runPage(runOf(target)));
  });
  body.addEventListener("change", ({ target }) => {
    if (target.type !== "checkbox") return;
    chosen[target.checked ? "add" : "delete"](runOf(target).id);
    target.closest("tr").classList.toggle("chosen", target.checked);
    drawDock();
  });
  const closeMenus = ({ target, key }) => {
    if (key && key !== "Escape") return;
    for (const open of body.querySelectorAll("details[open]")) if (key || !open.contains(target)) open.open = false;
  };
  for (const name of ["click", "keydown"]) root.addEventListener(name, closeMenus);

  const head = (name) => {
    const isSorted = name === column;
    const onclick = () => {
      [falling, column] = [isSorted && !falling, name];
      change({ sort: `${falling ? "-" : ""}${name}` });
      heads.querySelector(`[data-column="${name}"]`).focus();
    };
    const text = t(`runs.${name}`);
    return h("th", { scope: "col", class: name, "aria-sort": isSorted && (falling ? "descending" : "ascending") },
      SORTED.includes(name) ? h("button", { class: "plain", "data-column": name, onclick }, text,
        isSorted && (falling ? " ↓" : " ↑")) : text);
  };
  function drawDock() {
    const on = runs.filter(({ id }) => chosen.has(id));
    const isSame = new Set(on.map(({ game }) => game)).size === 1;
    const button = (name, own, attributes = {}) => h("button", { type: "button", ...attributes,
      onclick: ({ target }) => act(name, own, target) }, t(`runs.${name}`));
    const clear = () => {
      chosen.clear();
      draw();
    };
    const whole = on.filter(({ error }) => !error);
    const compare = () => go(`/runs${queryText({ compare: whole.map(({ id }) => id).join(",") }, USUAL, ["compare"])}`);
    dock.hidden = !on.length;
    dock.replaceChildren(h("div", {}, h("b", {}, t("runs.chosen", { n: on.length })), " ",
      h("span", { class: "quiet" }, whole.length > 1 && t(isSame ? "runs.same game" : "runs.other games"))),
    h("div", { class: "acts" }, h("button", { class: "plain", onclick: clear }, t("runs.clear")),
      button("share", on.filter(({ shared }) => shared), { disabled: !on.some(({ shared }) => shared) }), button("bin", on),
      h("button", { class: "main", onclick: compare, disabled: !whole.length }, t("runs.compare"))));
  }
  function draw() {
    const words = state.find.toLowerCase().split(/\s+/);
    const found = runs.filter((run) => (KINDS[state.kind] ?? KINDS.all)(run) && words.every((word) => textOf(run).includes(word)));
    kinds.replaceChildren(...Object.entries(KINDS).map(([kind, has]) => h("button", { type: "button",
      "aria-pressed": `${kind === state.kind}`, onclick: () => change({ kind }) },
    t(`runs.kind.${kind}`), " ", runs.filter(has).length)));
    heads.replaceChildren(h("td", {}), ...COLUMNS.map(head), h("td", {}));
    body.replaceChildren(...sorted(found, column, falling).map((run) =>
      runRow(run, h("input", { type: "checkbox", checked: chosen.has(run.id) }))));
    none.textContent = found.length || !runs.length ? "" : t("runs.nothing");
    drawDock();
  }

  draw();
  root.append(h("div", { class: "runs-head" }, h("h1", {}, t("runs.runs")), find, kinds,
    h("a", { class: "button main", href: "/solve" }, icon("plus"), t("nav.solve"))), note,
  compared.length ? await comparison(compared) : "", h("div", { class: "panel list-panel" }, runs.length
    ? h("table", { class: "runs", "aria-label": t("runs.runs") }, h("thead", {}, heads), body) : noRuns(), none), dock);
}
