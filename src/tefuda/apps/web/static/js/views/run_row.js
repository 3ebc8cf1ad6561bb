// A run in the list of runs: its figures, a box to compare it, and a menu of actions.
import { h } from "../dom.js";
import { language, number, t } from "../words.js";
import { runPage, strategyPage } from "./run.js";

export const nameOf = (run) => run.title || run.id;

function cells(run) {
  const { title, unit, value } = run.figure;
  const time = run.written
    ? h("time", { datetime: run.written }, new Date(run.written).toLocaleString(language)) : "–";
  const box = h("label", { class: "check" }, h("input", { type: "checkbox" }),
    h("span", { class: "unseen" }, t("runs.compare this", { name: nameOf(run) })));
  const figure = [number(value, 4), value !== null && h("span", { class: "quiet" }, ` ${title}, ${unit}`)];
  return [h("span", { title: run.game_parameters }, run.game), run.method, t(`status.${run.status}`),
    number(run.iterations), figure, time, box].map((content) => h("td", {}, content));
}

function menu(run) {
  const button = (act) => h("button", { "data-act": act }, t(`runs.${act}`));
  const link = (act, attributes) => h("a", { class: "button", ...attributes }, t(`runs.${act}`));
  const files = { download: `${run.id}.zip`, href: `/api/runs/${encodeURIComponent(run.id)}/files` };
  const acts = run.error ? [] : [button("rename"), run.status === "interrupted" && button("resume"),
    run.explored && link("explore", { href: strategyPage(run) }), link("export", files)];
  const title = h("span", { "aria-label": t("runs.actions of", { name: nameOf(run) }), role: "img" }, "⋯");
  return h("td", {}, h("details", { class: "menu" }, h("summary", {}, title),
    h("div", { class: "row" }, acts, button("bin"))));
}

function damage(run) {
  const reason = h("td", { colspan: 6, class: "wrong" }, `${t("status.damaged")}: ${run.error}`);
  return [h("th", { scope: "row" }, run.id), reason, h("td", {})];
}

export function runRow(run) {
  const intact = () => [h("th", { scope: "row" }, h("a", { href: runPage(run) }, nameOf(run))), cells(run)];
  return h("tr", { "data-run": run.id }, run.error ? damage(run) : intact(), menu(run));
}
