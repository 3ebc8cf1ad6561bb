// A run: live while it is solved, then its figures, downloads, and a form to resume it.
import { post } from "../api.js";
import { h, style } from "../dom.js";
import { textOf } from "../fields.js";
import { goalText, isActive, liveView } from "../live.js";
import { loadWords, t } from "../words.js";

const FILES = ["curve.csv", "run.json", "curve.svg", "strategy.csv", "profile.npz"];
const EXPLORED = ["tree", "partition", "hands"];
const RULES = ["iterations", "until", "seconds"];

function facts(run) {
  const parameters = Object.entries(run.game_parameters).map(([name, value]) => `${name} ${textOf(value)}`);
  const rows = [
    ["game", [run.game, ...parameters].join(", ")], ["method", run.method], ["form", t(`form.${run.form}`)],
    ["seed", `${run.seed}`], ["stops at", goalText(run)], ["stopped by", run.stop], ["folder", run.id],
  ].filter(([, value]) => value);
  return h("dl", { class: "facts" }, rows.map(([name, value]) => [h("dt", {}, t(name)), h("dd", {}, value)]));
}

function files(run) {
  const exact = run.form === "tree" || run.form === "partition";
  const names = FILES.filter((name) => exact || !["strategy.csv", "profile.npz"].includes(name));
  const address = (name) => `/api/solve/${encodeURIComponent(run.id)}/files/${name}`;
  const link = (name) => h("a", { class: "button", href: address(name), download: `${run.id}-${name}` }, name);
  return h("p", { class: "row" }, t("download"), names.map(link));
}

function resumeForm(run, resumed) {
  const inputs = RULES.map((name) =>
    h("input", { name, type: "text", inputmode: "decimal", value: run.goal?.[name] ?? "" }));
  const error = h("p", { class: "error", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    const given = inputs.filter((input) => input.value.trim());
    const goal = Object.fromEntries(given.map((input) => [input.name, Number(input.value)]));
    try {
      await post(`/api/solve/${encodeURIComponent(run.id)}/resume`, goal);
      await resumed();
    } catch (problem) {
      error.textContent = problem.message;
    }
  };
  const named = (input) => h("label", {}, h("span", {}, t(`solve.${input.name}`)), input);
  return h("form", { class: "panel", onsubmit: submit },
    h("h2", {}, t("run.resume")), h("p", { class: "quiet" }, t("run.resume.help")),
    h("div", { class: "fields" }, inputs.map(named)),
    error, h("button", { class: "main", "data-role": "resume" }, t("resume")));
}

export async function show(root, location) {
  await Promise.all([loadWords("run", "solve", "live"), style("solve")]);
  const id = decodeURIComponent(location.pathname.split("/")[2]);
  const about = h("div", { class: "panel" });
  const below = h("div", {});
  const heading = h("h1", {});
  let view = null;
  let status = "";
  const changed = ([run]) => {
    if (run.status === status) return;
    status = run.status;
    heading.textContent = run.title || `${run.game}, ${run.method}`;
    const explorable = EXPLORED.includes(run.form) && run.curve.length > 0;
    const explore = h("a", { class: "button", href: `/explore/${encodeURIComponent(id)}/-` }, t("explore"));
    about.replaceChildren(facts(run), files(run), explorable ? h("p", {}, explore) : "");
    below.replaceChildren(isActive(run) || run.status === "cancelled" ? "" : resumeForm(run, () => view.refresh()));
  };
  view = await liveView([id], { linked: false, changed });
  root.append(heading, h("div", { class: "run" }, h("div", { class: "panel results" }, view.element), about, below));
  return view.close;
}
