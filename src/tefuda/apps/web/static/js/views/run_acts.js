// What is done with runs: play, resume, rename, share, and the bin with its way back.
import { get, post, runAddress, save } from "../api.js";
import { h } from "../dom.js";
import { go } from "../main.js";
import { message } from "../messages.js";
import { showSheet } from "../visits.js";
import { t } from "../words.js";
import { runPage } from "./run.js";

const address = (run, part) => `/api/runs/${encodeURIComponent(run.id)}/${part}`;

// Play against a run at a new table, with the run as coach.
async function play([run]) {
  const [{ game, game_parameters: parameters }] = await get(`/api/solve/runs?${new URLSearchParams({ ids: run.id })}`);
  const name = `run:${run.id}`;
  const coached = ["tree", "partition", "hands"].includes(run.form) ? { coach: name, mode: "after" } : {};
  const { id } = await post("/api/tables", { game, parameters, opponents: [name], ...coached });
  return go(`/tables/${id}`);
}

async function share(runs) {
  for (const run of runs) await save(address(run, "share"), `${run.id}.html`);
}

async function resume([run]) {
  await post(runAddress(run.id, "resume"), {});
  return go(runPage(run));
}

// Move runs to the bin; for 5 seconds a button takes it back.
async function bin(runs, changed) {
  const binned = [];
  let answer = null;
  const restore = async () => {
    for (const [run, folder] of binned) answer = await post(address(run, "restore"), { binned: folder });
    await changed(answer.runs);
  };
  for (const run of runs) {
    answer = await post(address(run, "bin"), {});
    binned.push([run, answer.moved.split("/").at(-1)]);
  }
  await changed(answer.runs);
  message(t("runs.binned", { n: runs.length }), restore);
}

// Ask for the title of a run in a sheet.
function rename([run], changed) {
  const error = h("p", { class: "error", role: "alert" });
  const input = h("input", { value: run.title, maxlength: 200, placeholder: run.name, "aria-label": t("runs.new title") });
  const dialog = h("dialog", { class: "goto", "aria-label": t("runs.rename") });
  const keep = async (event) => {
    event.preventDefault();
    try {
      const { runs } = await post(address(run, "title"), { title: input.value });
      dialog.close();
      await changed(runs);
      message(t("runs.renamed"));
    } catch (failure) {
      error.textContent = failure.message;
    }
  };
  dialog.append(h("form", { onsubmit: keep }, h("div", { class: "field" }, input, h("button", { class: "main" }, t("runs.save"))),
    error));
  showSheet(dialog);
  input.focus();
}

// A function that acts on runs by name. `changed(runs)` gets the runs that are left; a button that works is disabled.
export function runActs(changed, note) {
  const acts = { play, share, resume, rename, bin };
  return async (name, runs, button) => {
    note.textContent = "";
    button.disabled = true;
    try {
      await acts[name](runs, changed);
    } catch (error) {
      note.textContent = error.message;
    } finally {
      button.disabled = false;
    }
  };
}
