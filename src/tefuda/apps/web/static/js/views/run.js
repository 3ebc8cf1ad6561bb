// A run: a row of figures while it is solved, its facts, and links to its files and its strategy.
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

function statusText({ status, building }) {
  if (status !== "building" || !building) return t(`status.${status}`);
  return typeof building === "string" ? building : t("status.histories", { n: number(building) });
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

function row(run, linked) {
  const { id, method, status, iterations, seconds, values } = run;
  const button = (name) => h("button", { "data-act": name, "data-run": id },
    t(status === "waiting" ? "cancel" : name));
  return [
    linked ? h("a", { href: runPage(run) }, method) : method,
    h("span", { class: "status", "data-status": status }, statusText(run)),
    h("span", { class: "row acts" }, (BUTTONS[status] ?? []).map(button)),
    number(iterations), number(seconds, 3), number(seconds > 0 ? iterations / seconds : null, 3), figureText(run),
    h("span", {}, values.map((value) => signed(value)).join(", ") || "–"), goalText(run),
  ];
}

// The figures of runs as a table; the head is that of a run whose evaluation is known.
export function figures(runs, linked) {
  const title = titleOf(runs.find((run) => run.evaluator) ?? runs[0]);
  const head = ["method", "status", "act", "iterations", "seconds", "rate", title, "values", "stops at"];
  return table(head.map((key) => t(key)), runs.map((run) => row(run, linked)), { "aria-label": t("figures") });
}

// What a run solves, and how it was stopped.
export function facts(run) {
  const parameters = Object.entries(run.game_parameters).map(([name, value]) => `, ${name} ${textOf(value)}`);
  const pairs = {
    game: run.game + parameters.join(""), method: run.method, form: t(`form.${run.form}`), seed: `${run.seed}`,
    "stops at": goalText(run), "stopped by": run.stop, folder: run.id,
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
  return [h("p", { class: "row" }, t("download"), names.map(file)), strategy || []].flat();
}
