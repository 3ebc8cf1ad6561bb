// The dock of a solve: facts of the form or of the runs, and the main action.
import { isActive, post, runAddress } from "../api.js";
import { attempt, h } from "../dom.js";
import { number, t } from "../words.js";

const fact = (name, content) => h("div", {}, h("small", {}, name), h("b", {}, content));
const SHOWN = 3; // facts of a size

// The best of the last figures, with its method.
function best(runs) {
  const ends = runs.map((run) => [run.method, run.curve.at(-1)?.[2] ?? NaN]).filter(([, value]) => Number.isFinite(value));
  const sign = runs[0].evaluator?.lower_is_better ?? true ? 1 : -1;
  return ends.sort(([, one], [, other]) => sign * (one - other))[0];
}

// The facts of runs.
function runFacts(runs) {
  const active = runs.filter(isActive).length;
  const count = t("solve.methods running", { n: runs.length }) + (active ? t("solve.running", { n: active }) : "");
  const [method, value] = best(runs) ?? [];
  return [fact(t("solve.on the chart"), count), fact(t("solve.elapsed"),
    t("goal.seconds", { n: number(Math.max(...runs.map((run) => run.seconds)), 2) })),
  method && h("div", { class: "best" }, h("small", {}, t("solve.best")), h("b", { class: "good" }, `${method} ${number(value, 3)}`))];
}

export class Dock {
  constructor(start) {
    this.runs = [];
    this.facts = h("div", { class: "facts-row" });
    this.error = h("p", { class: "error", role: "alert" });
    this.start = h("button", { type: "button", class: "main", "data-role": "start", onclick: start }, t("solve.start"));
    const act = (name) => h("button", { type: "button", "data-role": name, onclick: () => this.act(name) }, t(`solve.${name} all`));
    this.acting = ["pause", "stop"].map(act);
    this.element = h("div", { class: "dock" }, this.facts, this.error, h("div", { class: "acts" }, this.acting, this.start));
    this.draw();
  }

  // Show the size of a form.
  showSize(numbers) {
    this.size = Object.entries(numbers).filter(([, value]) => value !== null).slice(0, SHOWN);
    this.draw();
  }

  // Show runs, active or ended.
  showRuns(runs) {
    this.runs = runs;
    this.draw();
  }

  // Forget the runs: the form has changed.
  forget() {
    if (!this.runs.some(isActive)) this.showRuns([]);
  }

  draw() {
    const sizes = () => (this.size ?? []).map(([name, value]) => fact(t(`solve.fact.${name}`), number(value, 3)));
    const isActiveNow = this.runs.some(isActive);
    this.facts.replaceChildren(...(this.runs.length ? runFacts(this.runs) : sizes()).filter(Boolean));
    for (const button of this.acting) button.hidden = !isActiveNow;
    this.start.hidden = isActiveNow;
    this.start.textContent = t(this.runs.length ? "solve.again" : "solve.start");
  }

  act(name) {
    const active = this.runs.filter(isActive);
    return attempt(this.error, () => Promise.all(active.map(({ id }) => post(runAddress(id, name), {}))));
  }
}
