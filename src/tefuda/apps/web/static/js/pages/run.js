// A run: live while it is solved, then its figures, downloads, and a form to resume it.
import { post } from "../api.js";
import { attempt, h, style } from "../dom.js";
import { textOf } from "../fields.js";
import { goalFields, goalOf, goalText } from "../goal.js";
import { isActive, liveView, runAddress } from "../live.js";
import { loadWords, t } from "../words.js";

const FILES = ["curve.csv", "run.json", "curve.svg", "strategy.csv", "profile.npz"];
const EXPLORED = ["tree", "partition", "hands", "buckets"];

function facts(run) {
  const parameters = Object.entries(run.game_parameters).map(([name, value]) => `${name} ${textOf(value)}`);
  const rows = [
    ["game", [run.game, ...parameters].join(", ")], ["method", run.method], ["form", t(`form.${run.form}`)],
    ["seed", `${run.seed}`], ["stops at", goalText(run)], ["stopped by", run.stop], ["folder", run.id],
  ].filter(([, value]) => value);
  return h("dl", { class: "facts" }, rows.map(([name, value]) => [h("dt", {}, t(name)), h("dd", {}, value)]));
}

function links(run) {
  const button = (text, attributes) => h("a", { class: "button", ...attributes }, text);
  const names = FILES.slice(0, ["tree", "partition"].includes(run.form) ? 5 : 3);
  const file = (name) => button(name, { href: runAddress(run.id, `files/${name}`), download: `${run.id}-${name}` });
  const explorable = EXPLORED.includes(run.form) && run.curve.length > 0;
  return [h("p", { class: "row" }, t("download"), names.map(file)),
    explorable && h("p", {}, button(t("explore"), { href: `/explore/${encodeURIComponent(run.id)}/-` }))];
}

function resumeForm(run, resumed) {
  const rules = goalFields(run.goal ?? {});
  const error = h("p", { class: "error", role: "alert" });
  const submit = (event) => {
    event.preventDefault();
    attempt(error, async () => {
      await post(runAddress(run.id, "resume"), goalOf(rules));
      await resumed();
    });
  };
  return h("form", { class: "panel", onsubmit: submit }, h("h2", {}, t("run.resume")),
    h("p", { class: "quiet" }, t("run.resume.help")), h("div", { class: "fields" }, rules),
    error, h("button", { class: "main", "data-role": "resume" }, t("resume")));
}

export async function show(root, location) {
  await Promise.all([loadWords("run", "solve", "live"), style("solve")]);
  const id = decodeURIComponent(location.pathname.split("/")[2]);
  const about = h("div", { class: "panel" });
  const below = h("div", {});
  const heading = h("h1", {});
  let [view, status] = [null, ""];
  const changed = ([run]) => {
    if (run.status === status) return;
    status = run.status;
    heading.textContent = run.title || `${run.game}, ${run.method}`;
    about.replaceChildren(facts(run), ...links(run).filter(Boolean));
    below.replaceChildren(isActive(run) || run.status === "cancelled" ? "" : resumeForm(run, () => view.refresh()));
  };
  view = await liveView([id], { linked: false, changed });
  root.append(heading, h("div", { class: "stack" }, h("div", { class: "panel" }, view.element), about, below));
  return view.close;
}
