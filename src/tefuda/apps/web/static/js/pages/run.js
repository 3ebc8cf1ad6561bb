// A run: live while it is solved, then its figures, downloads, and a form to resume it.
import { post } from "../api.js";
import { attempt, h, style } from "../dom.js";
import { goalFields, goalOf } from "../goal.js";
import { isActive, liveView, runAddress } from "../live.js";
import { facts, links } from "../views/run.js";
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
    about.replaceChildren(facts(run), ...links(run));
    below.replaceChildren(isActive(run) || run.status === "cancelled" ? "" : resumeForm(run, () => view.refresh()));
  };
  view = await liveView([id], { linked: false, changed });
  root.append(heading, h("div", { class: "stack" }, h("div", { class: "panel" }, view.element), about, below));
  return view.close;
}
