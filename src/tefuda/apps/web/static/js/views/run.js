// A run: a row of figures while it is solved, its facts, and links to its files and its strategy.
import { lineMark } from "../chart.js";
import { h, table } from "../dom.js";
import { textOf } from "../fields.js";
import { number, signed, t } from "../words.js";

const ENDING = ["pause", "stop"];
const BUTTONS = { waiting: ["pause"], building: ENDING, running: ENDING, interrupted: ["resume"] };
const FILES = ["curve.csv", "run.json", "curve.svg", "strategy.csv", "profile.npz"]; // the last two are those of trees
const TREES = ["tree", "partition"];

const part = encodeURIComponent;
const titleOf = ({ evaluator }) => evaluator?.title ?? "NashConv";

// A run's address, and the address of its strategy.
export const runPage = ({ id }) => `/runs/${part(id)}`;
export const strategyPage = ({ id }) => `/explore/${part(id)}/-`;

// Whether a run ended at its target.
function isReached({ status, goal, curve, evaluator }) {
  const [value, until] = [curve.at(-1)?.[2] ?? NaN, goal?.until ?? NaN];
  return status === "finished" && (evaluator?.lower_is_better ?? true ? value <= until : value >= until);
}

function statusText({ status, building, ...run }) {
  if (isReached({ status, ...run })) return t("status.reached", { n: number(run.goal.until, 3) });
  if (status !== "building" || !building) return t(`status.${status}`);
  return typeof building === "string" ? building : t("status.histories", { n: number(building) });
}

// The state of a run.
function pill(run) {
  const kind = isReached(run) ? "good" : run.status === "failed" ? "wrong" : BUTTONS[run.status]?.includes("pause") && "live";
  return h("span", { class: ["pill", kind].filter(Boolean).join(" "), "data-status": run.status }, statusText(run));
}

// The last figure, with its interval if it has one.
function figureText({ curve }) {
  const [, , value, low, high] = curve.at(-1) ?? [];
  if ((value ?? null) === null || low === high) return number(value, 4);
  return h("span", {}, `${signed(value)} (${number(low, 3)} … ${number(high, 3)})`);
}

// The rules that stop a run.
function goalText({ goal, unit, evaluator, ...run }) {
  const { iterations, until, seconds } = goal ?? {};
  const sign = evaluator?.lower_is_better ?? true ? "≤" : "≥";
  const rules = [
    iterations && t("goal.iterations", { n: number(iterations), unit: t(unit) }),
    Number.isFinite(until) && `${t(titleOf({ evaluator, ...run }))} ${sign} ${number(until)}`,
    seconds && t("goal.seconds", { n: number(seconds) }),
  ];
  return h("span", {}, rules.filter(Boolean).join(t("or")) || t("goal.default"));
}

// Links to the strategy of a run that has ended, and to a table against it.
function uses(run) {
  if (!run.explored || BUTTONS[run.status]?.includes("pause")) return [];
  const parameters = Object.entries(run.game_parameters).map(([name, value]) => [name, JSON.stringify(value)]);
  const table = new URLSearchParams([["game", run.game_id], ...parameters, ["opponent", `run:${run.id}`]]);
  return [h("a", { class: "knob", href: strategyPage(run) }, t("explore run")),
    TREES.includes(run.form) && h("a", { class: "knob", href: `/play?${table}` }, t("play run"))];
}

function row(run, index, linked) {
  const { id, method, status, iterations, seconds, values } = run;
  const button = (name) => h("button", { "data-act": name, "data-run": id },
    t(status === "waiting" ? "cancel" : name));
  return [
    h("span", { class: "row of-line" }, lineMark(index), linked ? h("a", { class: "knob", href: runPage(run) }, method) : method),
    pill(run), number(iterations), figureText(run),
    seconds > 0 ? t("per second", { n: number(iterations / seconds, 3) }) : "–",
    h("span", {}, values.map((value) => signed(value)).join(", ") || "–"),
    h("span", { class: "row acts" }, uses(run), (BUTTONS[status] ?? []).map(button)),
  ];
}

// The figures of runs as a table; the head is that of a run whose evaluation is known.
export function figures(runs, linked) {
  const title = titleOf(runs.find((run) => run.evaluator) ?? runs[0]);
  const head = ["method", "state", "iterations", title, "speed", "values", "act"];
  return table(head.map((key) => t(key)), runs.map((run, index) => row(run, index, linked)), { "aria-label": t("figures") });
}

// What a run solves, and how it was stopped.
export function facts(run) {
  const parameters = Object.entries(run.game_parameters).map(([name, value]) => `, ${name} ${textOf(value)}`);
  const pairs = {
    game: run.game + parameters.join(""), method: run.method, form: t(`form.${run.form}`), seed: `${run.seed}`,
    seconds: number(run.seconds, 3), "stops at": goalText(run), "stopped by": run.stop, folder: run.id,
  };
  const known = Object.entries(pairs).filter(([, value]) => value);
  return h("dl", { class: "facts" }, known.map(([name, value]) => [h("dt", {}, t(name)), h("dd", {}, value)]));
}

// Links to the files of a run, and to its strategy if it can be explored.
export function links(run) {
  const names = TREES.includes(run.form) ? FILES : FILES.slice(0, 3);
  const file = (name) => h("a", { class: "button", download: `${run.id}-${name}`,
    href: `/api/solve/${part(run.id)}/files/${name}` }, name);
  const strategy = run.explored && h("p", {}, h("a", { class: "button", href: strategyPage(run) }, t("explore")));
  const away = !run.game_id && h("p", { class: "quiet" }, t("own game away"), " ", h("code", {}, "tefuda web --game FILE.py:Class"));
  return [h("p", { class: "row" }, t("download"), names.map(file)), strategy || [], away || []].flat();
}
