// A run: live while it is solved, then its figures, downloads, and a form to resume it.
import { post } from "../api.js";
import { h, style } from "../dom.js";
import { goalText, isActive, liveView } from "../live.js";
import { loadWords, t } from "../words.js";

const FILES = ["curve.csv", "run.json", "curve.svg", "strategy.csv", "profile.npz"];
const RULES = ["iterations", "until", "seconds"];

function facts(run) {
  const parameters = Object.entries(run.game_parameters).map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  const rows = [
    [t("game"), [run.game, ...parameters].join(", ")], [t("method"), run.method], [t("form"), t(`form.${run.form}`)],
    [t("seed"), `${run.seed}`], [t("stops at"), goalText(run)], run.stop ? [t("stopped by"), run.stop] : null, [t("folder"), run.id],
  ];
  return h("dl", { class: "facts" }, rows.filter(Boolean).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

function files(run) {
  const exact = run.form === "tree" || run.form === "partition";
  const names = FILES.filter((name) => exact || !["strategy.csv", "profile.npz"].includes(name));
  const address = (name) => `/api/solve/${encodeURIComponent(run.id)}/files/${name}`;
  return h("p", { class: "row" }, t("download"), names.map((name) => h("a", { class: "button", href: address(name), download: `${run.id}-${name}` }, name)));
}

function resumeForm(run, resumed) {
  const inputs = RULES.map((name) => h("input", { name, type: "text", inputmode: "decimal", value: run.goal?.[name] ?? "" }));
  const error = h("p", { class: "error", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    const goal = Object.fromEntries(inputs.filter((input) => input.value.trim()).map((input) => [input.name, Number(input.value)]));
    try {
      await post(`/api/solve/${encodeURIComponent(run.id)}/resume`, goal);
      await resumed();
    } catch (problem) {
      error.textContent = problem.message;
    }
  };
  return h("form", { class: "panel", onsubmit: submit }, h("h2", {}, t("run.resume")), h("p", { class: "quiet" }, t("run.resume.help")),
    h("div", { class: "fields" }, RULES.map((name, index) => h("label", {}, h("span", {}, t(`solve.${name}`)), inputs[index]))),
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
    const explorable = ["tree", "partition", "hands"].includes(run.form) && !["waiting", "building", "failed"].includes(run.status);
    about.replaceChildren(facts(run), files(run), explorable ? h("p", {}, h("a", { class: "button", href: `/explore/${encodeURIComponent(id)}/-` }, t("explore"))) : "");
    below.replaceChildren(isActive(run) || run.status === "cancelled" ? "" : resumeForm(run, () => view.refresh()));
  };
  view = await liveView([id], { linked: false, changed });
  root.append(heading, h("div", { class: "run" }, h("div", { class: "panel results" }, view.element), about, below));
  return view.close;
}
