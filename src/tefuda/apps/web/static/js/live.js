// Runs while they are solved: one chart of all, a table of their figures, and buttons to pause, resume and stop.
import { get, listen, post } from "./api.js";
import { chart } from "./chart.js";
import { announce, h, table } from "./dom.js";
import { loadWords, number, signed, t } from "./words.js";

const ACTIVE = ["waiting", "building", "running"];
const EVENTS = "/api/solve/events";

export const isActive = (run) => ACTIVE.includes(run.status);

// The address of the states of runs.
export const statesOf = (ids) => `/api/solve/runs?ids=${encodeURIComponent(ids.join(","))}`;

// A figure with its interval if it has one.
export function figureText(run) {
  const point = run.curve.at(-1);
  if (!point || point[2] === null) return "–";
  const [, , value, low, high] = point;
  return low === high ? number(value, 4) : `${signed(value)} (${number(low, 3)} … ${number(high, 3)})`;
}

// The rules that stop a run, in words.
export function goalText(run) {
  const goal = run.goal ?? {};
  const sign = run.evaluator?.lower_is_better === false ? "≥" : "≤";
  const parts = [
    goal.iterations && t("goal.iterations", { n: number(goal.iterations), unit: t(run.unit) }),
    Number.isFinite(goal.until) && `${t(run.evaluator?.title ?? "NashConv")} ${sign} ${number(goal.until)}`,
    goal.seconds && t("goal.seconds", { n: number(goal.seconds) }),
  ].filter(Boolean);
  return parts.join(t("or")) || t("goal.default");
}

function statusText(run) {
  const building = run.status === "building" && run.building;
  if (building) return typeof building === "number" ? t("status.histories", { n: number(building) }) : building;
  return t(`status.${run.status}`);
}

function buttons(run, act) {
  const button = (name, label) =>
    h("button", { "data-act": name, "data-run": run.id, onclick: () => act(run, name) }, t(label));
  if (run.status === "waiting") return [button("pause", "cancel")];
  if (isActive(run)) return [button("pause", "pause"), button("stop", "stop")];
  return run.status === "interrupted" ? [button("resume", "resume")] : [];
}

function figures(runs, linked, act) {
  const title = runs.find((run) => run.evaluator)?.evaluator.title ?? "NashConv";
  const keys = ["method", "status", "act", "iterations", "seconds", "rate", title, "values", "stops at"];
  const head = keys.map((key) => t(key));
  const rows = runs.map((run) => [
    linked ? h("a", { href: `/runs/${encodeURIComponent(run.id)}` }, run.method) : run.method,
    h("span", { class: "status", "data-status": run.status }, statusText(run)),
    h("span", { class: "row acts" }, buttons(run, act)),
    number(run.iterations), number(run.seconds, 3), number(run.seconds > 0 ? run.iterations / run.seconds : null, 3),
    figureText(run), run.values.map((value) => signed(value)).join(", ") || "–", goalText(run),
  ]);
  return table(head, rows, { "aria-label": t("figures") });
}

// Lines of a chart of runs over iterations or seconds.
export function curves(runs, column) {
  return runs.map((run) => {
    const points = run.curve.filter((point) => point[2] !== null);
    const estimated = points.some((point) => point[3] !== point[4]);
    return {
      name: run.method,
      points: points.map((point) => [point[column], point[2]]),
      band: estimated ? points.map((point) => [point[column], point[3], point[4]]) : [],
    };
  });
}

function curveChart(runs, column) {
  const evaluator = runs.find((run) => run.evaluator)?.evaluator;
  const values = runs.flatMap((run) => run.curve.map((point) => point[3])).filter((value) => value !== null);
  const log = (evaluator?.lower_is_better ?? true) && values.every((value) => value > 0);
  const unit = evaluator?.unit ? ` (${t(evaluator.unit)})` : "";
  const labels = [column ? t("seconds") : t(runs[0].unit), `${t(evaluator?.title ?? "NashConv")}${unit}`];
  const scales = ["log", log ? "log" : "linear"];
  return { key: JSON.stringify([scales, labels]), make: () => chart({ title: t("curve.title"), labels, scales }) };
}

// Replace the figures of a table by fresh ones; buttons stay in place, so that no click on them is lost.
function renew(numbers, fresh) {
  const cells = [...fresh.querySelectorAll("td")];
  numbers.querySelectorAll("td").forEach((cell, index) => {
    if (!cell.querySelector("button")) cell.replaceChildren(...cells[index].childNodes);
  });
}

// A live view of runs as {element, close, runs}. `changed(runs)` is called after each change.
export async function liveView(ids, { linked = true, changed = () => {} } = {}) {
  await loadWords("live");
  let runs = await get(statesOf(ids));
  let column = 0;
  let drawnChart = null;
  const place = h("div", {});
  const numbers = h("div", {});
  const error = h("p", { class: "error", role: "alert" });
  const axis = h("select", { "data-role": "axis", onchange: () => { column = Number(axis.value); show(); } },
    h("option", { value: 0 }, t("iterations")), h("option", { value: 1 }, t("seconds")));
  const choice = h("label", { class: "axis" }, h("span", {}, t("axis")), axis);
  const element = h("section", { class: "live" }, choice, place, numbers, error);

  const act = async (run, name) => {
    try {
      await post(`/api/solve/${encodeURIComponent(run.id)}/${name}`, {});
      await refresh();
    } catch (problem) {
      error.textContent = problem.message;
    }
  };
  function show() {
    const wanted = curveChart(runs, column);
    if (drawnChart?.key !== wanted.key) {
      drawnChart = { key: wanted.key, ...wanted.make() };
      place.replaceChildren(drawnChart.element);
    }
    const targets = [...new Set(runs.map((run) => run.goal?.until).filter((until) => until))];
    drawnChart.update(curves(runs, column), Object.fromEntries(targets.map((until) => [t("target"), until])));
    const focus = document.activeElement?.dataset;
    const fresh = figures(runs, linked, act);
    const shape = JSON.stringify(runs.map((run) => [run.id, run.status]));
    if (shape === numbers.dataset.shape) renew(numbers, fresh);
    else numbers.replaceChildren(fresh);
    numbers.dataset.shape = shape;
    if (focus?.act) [...numbers.querySelectorAll("button")].find((button) => button.dataset.run === focus.run)?.focus();
    error.textContent = runs.map((run) => run.error).filter(Boolean).join(" ");
    element.dataset.status = runs.some(isActive) ? "active" : "ended";
    changed(runs);
  }
  async function refresh() {
    runs = await get(statesOf(ids));
    show();
  }
  const receive = (event) => {
    const run = runs.find((known) => known.id === event.run);
    if (!run || event.version <= (run.version ?? 0)) return;
    if (event.first > run.curve.length || !ACTIVE.includes(event.status)) {
      return refresh().then(() => announce(`${run.method}: ${t(`status.${event.status}`)}`));
    }
    const last = run.curve.at(-1)?.[0] ?? 0;
    const { first, points, ...state } = event;
    Object.assign(run, state, { id: run.id, curve: [...run.curve, ...points.filter((point) => point[0] > last)] });
    show();
  };
  show();
  return { element, refresh, close: listen(EVENTS, receive) };
}
