// A run in the list of runs: picture, name, curve, figure, state, and what can be done with it.
import { card } from "../cards.js";
import { h, svg } from "../dom.js";
import { language, number, t, written } from "../words.js";
import { runPage, strategyPage } from "./run.js";
import { aboutText } from "./run_name.js";

const PICTURES = {
  kuhn: ["K", "ranks"], leduc: ["Q", "ranks"], nolimit_leduc: ["Q", "ranks"], goofspiel: ["13", "numbers"],
  liars_dice: ["5", "dice"], koikoi: ["8B", "hanafuda"], mini8: ["8B", "hanafuda"], mini12: ["8B", "hanafuda"],
  minikoi: ["8B", "hanafuda"], holdem: ["As", "suits"],
};
const UNITS = [[60, "second"], [60, "minute"], [24, "hour"], [30, "day"], [12, "month"], [Infinity, "year"]];
const PILLS = { finished: "good", interrupted: "wrong", failed: "wrong", damaged: "wrong" };
const [WIDE, HIGH] = [88, 26]; // of the small curve

function picture({ spot, game, error }) {
  if (error) return h("span", { class: "picture" }, card(null));
  const cards = spot ? spot.board.map((code) => card(code)) : [card(...PICTURES[game] ?? ["A", "ranks"])];
  return h("span", { class: "picture", "aria-hidden": "true" }, cards);
}

// The curve on logarithmic scales, without axes.
function smallCurve({ curve, name }) {
  if (curve.length < 2) return "";
  const points = curve.map((point) => point.map((value) => Math.log10(Math.max(value, 1e-300))));
  const [xs, ys] = [0, 1].map((index) => points.map((point) => point[index]));
  const place = (value, all) => (value - Math.min(...all)) / (Math.max(...all) - Math.min(...all) || 1);
  const d = points.map(([x, y]) => `${(2 + place(x, xs) * (WIDE - 4)).toFixed(1)} ${(HIGH - 2 - place(y, ys) * (HIGH - 4)).toFixed(1)}`);
  return svg("svg", { class: "small-curve", viewBox: `0 0 ${WIDE} ${HIGH}`, width: WIDE, height: HIGH, role: "img",
    "aria-label": t("runs.curve of", { name }) }, svg("path", { d: `M${d.join("L")}` }));
}

// A time as a distance from now, such as "18 min ago".
function ago(text) {
  let size = (new Date(text) - Date.now()) / 1000;
  for (const [most, unit] of UNITS) {
    if (Math.abs(size) < most) {
      return new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" }).format(Math.round(size), unit);
    }
    size /= most;
  }
  return "";
}

function iterationsText({ iterations, target }) {
  return target && target !== iterations ? t("runs.of", { n: number(iterations, 12), all: number(target, 12) })
    : number(iterations, 12);
}

function figure({ figure: { title, unit, value } }) {
  if (value === null) return "–";
  const isShare = unit.startsWith("% ");
  return [h("b", {}, isShare ? `${number(value, 3)} %` : number(value, 3)),
    h("small", {}, isShare ? written(unit.slice(2), unit.slice(2)) : written(title, title.replace("exploitability (NashConv / 2)", "exploitability")))];
}

const state = ({ status, written: time }) => [
  h("span", { class: `pill ${PILLS[status] ?? ""}` }, t(`status.${status}`)),
  time && h("time", { datetime: time, title: new Date(time).toLocaleString(language) }, ago(time))];

// The menu of a run: rename, share, export, bin.
export function menu(run) {
  const button = (act) => h("button", { class: "plain", "data-act": act }, t(`runs.${act}`));
  const files = { class: "button plain", download: `${run.id}.zip`, href: `/api/runs/${encodeURIComponent(run.id)}/files` };
  const acts = run.error ? [] : [button("rename"), run.shared && button("share"), h("a", files, t("runs.export"))];
  const title = h("span", { "aria-label": t("runs.actions of", { name: run.name }), role: "img" }, "⋯");
  return h("details", { class: "menu", name: "run-menu" }, h("summary", { class: "button" }, title),
    h("div", {}, acts, button("bin")));
}

// What is done with a run most: Explore, and Play or Resume.
export function mainActs(run, resumes = true) {
  if (run.error) return [];
  const canResume = resumes && ["interrupted", "stopped"].includes(run.status);
  return [run.explored && h("a", { class: "button", href: strategyPage(run) }, t("runs.explore")),
    canResume ? h("button", { "data-act": "resume" }, t("runs.resume"))
      : run.played && h("button", { "data-act": "play" }, t("runs.play"))];
}

// The cells of a run; `box` chooses it.
export function runRow(run, box) {
  const cell = (kind, ...content) => h("td", { class: kind }, content);
  const choose = h("td", { class: "choose" }, h("label", { class: "check" }, box,
    h("span", { class: "unseen" }, t("runs.choose this", { name: run.name }))));
  const about = run.error ? h("small", { class: "wrong" }, run.error) : h("small", {}, aboutText(run));
  const needsFile = !run.error && !run.explored && run.game.includes(".py:")
    && h("small", { class: "quiet" }, t("runs.start with", { game: run.game }));
  const link = run.error ? h("b", {}, run.name) : h("a", { href: runPage(run) }, run.name);
  const name = h("th", { scope: "row" }, h("div", {}, picture(run), h("div", { class: "naming" }, link, about, needsFile)));
  return h("tr", { "data-run": run.id, class: box.checked && "chosen" }, choose, name,
    cell("method", run.method), cell("curve", smallCurve(run)), cell("figure", figure(run)),
    cell("iterations", run.error ? "" : iterationsText(run)), cell("state", state(run)),
    cell("acts", h("div", {}, mainActs(run), menu(run))));
}
