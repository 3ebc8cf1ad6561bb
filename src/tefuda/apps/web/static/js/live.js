// Runs while they are solved: one chart of all, a table of their figures, and buttons to pause, resume and stop.
import { get, listen, post } from "./api.js";
import { chart } from "./chart.js";
import { announce, attempt, h, table } from "./dom.js";
import { field } from "./fields.js";
import { goalText } from "./goal.js";
import { loadWords, number, signed, t } from "./words.js";

const KEYS = ["method", "status", "act", "iterations", "seconds", "rate", "figure", "values", "stops at"];
const ENDING = ["pause", "stop"];
const BUTTONS = { waiting: ["pause"], building: ENDING, running: ENDING, interrupted: ["resume"] };

export const isActive = (run) => ["waiting", "building", "running"].includes(run.status);
export const runAddress = (id, part) => `/api/solve/${encodeURIComponent(id)}/${part}`;

// The address of the curves of runs, over iterations or seconds.
export const curvesOf = (ids, over = "iterations") => `/api/solve/curves?${new URLSearchParams({ ids, over })}`;

// A figure with its interval if it has one.
function figureText({ curve }) {
  const [, , value, low, high] = curve.at(-1) ?? [];
  if (value === undefined || value === null || low === high) return number(value, 4);
  return `${signed(value)} (${number(low, 3)} … ${number(high, 3)})`;
}

function statusText({ status, building }) {
  if (status !== "building" || !building) return t(`status.${status}`);
  return typeof building === "number" ? t("status.histories", { n: number(building) }) : building;
}

function figures(runs, linked, act) {
  const title = runs.find((run) => run.evaluator)?.evaluator.title ?? "NashConv";
  const button = (run) => (name) =>
    h("button", { "data-act": name, "data-run": run.id, onclick: () => act(run, name) },
      t(run.status === "waiting" ? "cancel" : name));
  const rows = runs.map((run) => [
    linked ? h("a", { href: `/runs/${encodeURIComponent(run.id)}` }, run.method) : run.method,
    h("span", { class: "status", "data-status": run.status }, statusText(run)),
    h("span", { class: "row acts" }, (BUTTONS[run.status] ?? []).map(button(run))),
    number(run.iterations), number(run.seconds, 3), number(run.seconds > 0 ? run.iterations / run.seconds : null, 3),
    figureText(run), run.values.map((value) => signed(value)).join(", ") || "–", goalText(run),
  ]);
  return table(KEYS.map((key) => t(key === "figure" ? title : key)), rows, { "aria-label": t("figures") });
}

// Replace the figures of a table by fresh ones; buttons stay in place, so that no click on them is lost.
function renew(numbers, fresh) {
  const cells = [...fresh.querySelectorAll("td")];
  numbers.querySelectorAll("td").forEach((cell, index) => {
    if (!cell.querySelector("button")) cell.replaceChildren(...cells[index].childNodes);
  });
}

// A live view of runs as {element, refresh, close}. `changed(runs)` is called after each change.
export async function liveView(ids, { linked = true, changed = () => {} } = {}) {
  await loadWords("live", "solve");
  let [runs, due] = [[], null];
  const place = h("div", {});
  const numbers = h("div", {});
  const error = h("p", { class: "error", role: "alert" });
  const axes = ["iterations", "seconds"].map((name) => [name, t(name)]);
  const axis = field(t("axis"), { name: "axis", class: "axis", onchange: () => attempt(error, refresh) }, axes);
  const element = h("section", { class: "live" }, axis, place, numbers, error);

  const act = (run, name) => attempt(error, async () => {
    await post(runAddress(run.id, name), {});
    await refresh();
  });
  async function show() {
    const before = new Map(runs.map((run) => [run.id, run.status]));
    const asked = get(`/api/solve/runs?${new URLSearchParams({ ids })}`);
    const [states, curves] = await Promise.all([asked, get(curvesOf(ids, axis.control.value))]);
    runs = states;
    const open = place.querySelector("details")?.open ?? false;
    place.replaceChildren(chart(t("curve.title"), curves));
    place.querySelector("details").open = open;
    const fresh = figures(runs, linked, act);
    const shape = JSON.stringify(runs.map((run) => [run.id, run.status]));
    const focus = document.activeElement?.dataset;
    shape === numbers.dataset.shape ? renew(numbers, fresh) : numbers.replaceChildren(fresh);
    numbers.dataset.shape = shape;
    if (focus?.act) [...numbers.querySelectorAll("button")].find(({ dataset }) => dataset.run === focus.run)?.focus();
    error.textContent = runs.map((run) => run.error).filter(Boolean).join(" ");
    element.dataset.status = runs.some(isActive) ? "active" : "ended";
    const ended = runs.filter((run) => !isActive(run) && (before.get(run.id) ?? run.status) !== run.status);
    for (const run of ended) announce(`${run.method}: ${t(`status.${run.status}`)}`);
    changed(runs);
  }
  // Show the present state: after the request under way if there is one, and once for all that wait for it.
  let running = Promise.resolve();
  function refresh() {
    due ??= running.catch(() => {}).then(() => {
      due = null;
      return (running = show());
    });
    return due;
  }
  await refresh();
  const follow = (event) => ids.includes(event.run) && attempt(error, refresh);
  return { element, refresh, close: listen("/api/solve/events", follow) };
}
