// What is known of a spot: its size before it is solved; then the first decision, and at the end EV and equity.
import { actionBar, actionText } from "../actions.js";
import { get, isActive } from "../api.js";
import { h } from "../dom.js";
import { number, percent, t } from "../words.js";

const ROUNDS = 100; // iterations whose time is shown
const PAUSE = 3000; // milliseconds between two questions while the run goes on

// Ask for the size of a spot; nothing is built.
export const sizeOf = (parameters) => get(`/api/solve/size?${new URLSearchParams({ game: "spot", fields: "{}",
  parameters: JSON.stringify(parameters) })}`);

// Decisions, memory and time.
export function sizeFacts({ decisions, boards, megabytes, seconds_per_iteration: seconds }) {
  const fact = (name, content) => h("div", {}, h("small", {}, t(`spot.fact.${name}`)), h("b", {}, content));
  return [fact("size", t("spot.decisions", { n: number(decisions), boards: number(boards) })),
    fact("memory", `${number(megabytes, 2)} MB`), fact("time", t("spot.seconds", { n: number(ROUNDS * seconds, 2) }))];
}

function values({ players }, names, unit) {
  const head = ["", "EV", t("spot.fact.equity")].map((text) => h("th", { scope: "col" }, text));
  const row = ({ ev, equity }, place) => h("tr", {}, h("th", { scope: "row" }, names[place]),
    h("td", {}, `${number(ev / unit, 3)} ${t(unit === 1 ? "spot.chips" : "spot.bb")}`), h("td", {}, percent(equity)));
  return h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, players.map(row)));
}

export class SoFar {
  constructor() {
    this.element = h("section", { class: "so-far", hidden: true });
    this.due = 0;
  }

  // Show a run; nothing is shown before its first checkpoint. `names` are those of the players.
  async show(run, names, unit) {
    const active = isActive(run);
    if (!run.explored || (active && Date.now() < this.due)) return;
    this.due = Date.now() + PAUSE;
    const id = encodeURIComponent(run.id);
    const [grid, node] = await Promise.all([get(`/api/home/grids/${id}`), !active && get(`/api/spots/${id}/-`)])
      .catch(() => []);
    if (!grid) return;
    const actions = grid.actions.map((action) => ({ ...action, name: actionText(action.name) }));
    this.element.hidden = false;
    this.element.replaceChildren(
      h("div", { class: "panel-head" }, h("h2", {}, t("spot.so far")),
        h("a", { href: `/explore/${id}/-` }, t(active ? "spot.explore running" : "spot.explore run"))),
      h("p", { class: "quiet" }, t("spot.first action", { who: names[grid.player === "IP" ? 1 : 0] })),
      actionBar(actions), node ? values(node, names, unit) : "");
  }
}
