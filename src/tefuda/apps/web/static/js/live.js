// Runs while they are solved: one chart of all, a table of their figures, and buttons to pause, resume and stop.
import { curvesOf, get, isActive, listen, post, runAddress, statesOf } from "./api.js";
import { chart } from "./chart.js";
import { announce, attempt, h } from "./dom.js";
import { figures } from "./views/run.js";
import { loadWords, t } from "./words.js";

// Replace the figures of a table by fresh ones; buttons stay in place, so that no click on them is lost.
function renew(numbers, fresh) {
  const cells = [...fresh.querySelectorAll("td")];
  numbers.querySelectorAll("td").forEach((cell, index) => {
    if (!cell.querySelector("button")) cell.replaceChildren(...cells[index].childNodes);
  });
}

// A live view of runs as {element, refresh, close}. `changed(runs)` is called after each change.
export async function liveView(ids, { linked = true, changed = () => {} } = {}) {
  await loadWords("live", "solve");
  let [runs, due] = [[], null];
  let [over, curves, pressed] = ["iterations", null, false];
  const axis = (name) => h("button", { type: "button", "aria-pressed": `${over === name}`, onclick: () => {
    [over, shown.zoom] = [name, null];
    attempt(error, refresh);
  } }, t(name));
  // Zoom, scales and the place of the tip; the first buttons choose the axis.
  const shown = { before: () => h("div", { class: "choice" }, ["iterations", "seconds"].map(axis)) };
  // Draw the chart anew: focus and tip stay, and nothing is replaced under a pointer that is down.
  const draw = () => {
    if (pressed) return;
    const parts = () => [...place.querySelectorAll("button, .area, summary")];
    const [focus, { at }] = [parts().indexOf(document.activeElement), shown];
    const open = place.querySelector("details")?.open ?? false;
    place.replaceChildren(chart(t("curve.title"), curves, undefined, shown));
    place.querySelector("details").open = open;
    shown.at = at;
    parts()[focus]?.focus({ preventScroll: true });
  };
  const release = () => pressed && setTimeout(() => {
    pressed = false;
    draw();
  });
  const place = h("div", { onpointerdown: () => { pressed = true; }, onpointerup: release, onpointercancel: release,
    onpointerleave: release });
  const numbers = h("div", { onclick: ({ target }) => act(target.closest("[data-act]")?.dataset) });
  const error = h("p", { class: "error", role: "alert" });
  const element = h("section", { class: "live" }, h("div", { class: "panel" }, place), h("div", { class: "panel" }, numbers, error));

  const act = (button) => button && attempt(error, async () => {
    await post(runAddress(button.run, button.act), {});
    await refresh();
  });
  async function show() {
    const before = new Map(runs.map((run) => [run.id, run.status]));
    [runs, curves] = await Promise.all([get(statesOf(ids)), get(curvesOf(ids, over))]);
    draw();
    const fresh = figures(runs, linked);
    const shape = JSON.stringify(runs.map((run) => [run.id, run.status]));
    const focus = document.activeElement?.dataset;
    shape === numbers.dataset.shape ? renew(numbers, fresh) : numbers.replaceChildren(fresh);
    numbers.dataset.shape = shape;
    if (focus?.act) [...numbers.querySelectorAll("button")].find(({ dataset }) => dataset.run === focus.run)?.focus();
    error.textContent = runs.map((run) => run.error).filter(Boolean).join(" ");
    element.dataset.status = runs.some(isActive) ? "active" : "ended";
    const ended = runs.filter((run) => !isActive(run) && (before.get(run.id) ?? run.status) !== run.status);
    for (const run of ended) announce(`${run.method}: ${t(`status.${run.status}`)}`);
    changed(runs);
  }
  // Show the present state: after the request under way if there is one, and once for all that wait for it.
  let running = Promise.resolve();
  function refresh() {
    due ??= running.catch(() => {}).then(() => {
      due = null;
      return (running = show());
    });
    return due;
  }
  await refresh();
  const follow = (event) => ids.includes(event.run) && attempt(error, refresh);
  return { element, refresh, close: listen("/api/solve/events", follow) };
}
