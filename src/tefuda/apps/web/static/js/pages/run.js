// A run: live while it is solved, then its figures, downloads, and a form to resume it.
import { get, isActive, post, runAddress } from "../api.js";
import { attempt, h, style } from "../dom.js";
import { goalFields, goalOf } from "../fields.js";
import { liveView } from "../live.js";
import { go } from "../main.js";
import { facts, links } from "../views/run.js";
import { runActs } from "../views/run_acts.js";
import { nameRuns } from "../views/run_name.js";
import { mainActs, menu } from "../views/run_row.js";
import { loadWords, t } from "../words.js";

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

// Name a run in a heading, and show what can be done with it; a run that is not written yet has neither.
async function name(id, heading, place, note) {
  const { runs } = await get("/api/runs");
  const draw = async (all) => {
    const run = (await nameRuns(all)).find((each) => each.id === id);
    if (!run || (place.hasChildNodes() && !place.isConnected)) return go("/runs"); // it is in the bin, or back from it
    heading.textContent = run.name;
    return place.replaceChildren(...mainActs(run, false).filter(Boolean), menu(run));
  };
  const act = runActs(draw, note);
  place.onclick = ({ target }) => {
    const button = target.closest("[data-act]");
    if (button) act(button.dataset.act, [runs.find((run) => run.id === id)], button);
  };
  return runs.some((run) => run.id === id) && draw(runs);
}

export async function show(root, location) {
  await Promise.all([loadWords("run", "runs", "solve", "live"), style("solve"), style("runs"), style("menu")]);
  const id = decodeURIComponent(location.pathname.split("/")[2]);
  const about = h("div", { class: "panel" });
  const below = h("div", {});
  const heading = h("h1", {});
  const acts = h("div", { class: "row run-acts" });
  const note = h("p", { class: "error", role: "alert" });
  let [view, status] = [null, ""];
  const changed = ([run]) => {
    if (run.status === status) return;
    status = run.status;
    heading.textContent ||= run.title || `${run.game}, ${run.method}`;
    if (view) name(id, heading, acts, note);
    about.replaceChildren(facts(run), ...links(run));
    below.replaceChildren(isActive(run) || run.status === "cancelled" ? "" : resumeForm(run, () => view.refresh()));
  };
  view = await liveView([id], { linked: false, changed });
  await name(id, heading, acts, note);
  root.append(h("div", { class: "run-head" }, heading, acts), note,
    h("div", { class: "stack" }, h("div", { class: "panel" }, view.element), about, below));
  return view.close;
}
