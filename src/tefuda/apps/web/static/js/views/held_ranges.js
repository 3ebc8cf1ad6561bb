// Both ranges at a table of a solved spot: a 13 x 13 grid with the own hand framed; colours with advice only.
import { actionClass } from "../actions.js";
import { post } from "../api.js";
import { attempt, h } from "../dom.js";
import { go } from "../main.js";
import { percent, t } from "../words.js";

let shownRange = "own"; // while the page is open

// A cell: its height is how often the class comes, its colours the shares of the actions.
function cell(name, index, { weight, shares, actions, isOwn }) {
  const fills = shares.length ? actions.map((action, place) => shares[place][index] > 0 &&
    h("i", { class: actionClass(action), style: { flexGrow: shares[place][index] } })) : h("i", { class: "held" });
  return h("div", { class: `held-cell${isOwn ? " own" : ""}${weight > 0 ? "" : " none"}`, title: `${name} ${percent(weight, 2)}` },
    weight > 0 && h("span", { style: { height: `${Math.max(100 * weight, 4)}%` } }, fills), h("b", {}, name));
}

// The panel of the ranges, with tabs for the person and the opponent.
export function rangesPanel({ id, ranges, actions: pending, advice, seats, seat, line }) {
  if (!ranges) return null;
  const isNow = pending.length > 0;
  const actions = isNow ? pending : advice.actions;
  const note = h("p", { class: "error", role: "alert" });
  const drill = () => attempt(note, async () => go(`/tables/${(await post(`/api/tables/${id}/drill`, { line: ranges.line })).id}`));
  const grid = h("div", { class: "held-range", role: "img" });
  const tabs = h("div", { class: "choice", role: "group", "aria-label": t("table.ranges") });
  const names = { own: t("player.you"), opponent: seats[1 - seat] };
  const show = (side) => {
    shownRange = side;
    tabs.replaceChildren(...Object.entries(names).map(([key, name]) =>
      h("button", { type: "button", "aria-pressed": `${key === side}`, onclick: () => show(key) }, name)));
    grid.setAttribute("aria-label", t("table.range of", { who: names[side] }));
    grid.replaceChildren(...ranges.classes.map((name, index) => cell(name, index, { weight: ranges[side][index], actions,
      shares: side === "own" ? ranges.shares : [], isOwn: side === "own" && index === ranges.hand })));
  };
  show(shownRange);
  return h("section", { class: "panel ranges-panel" }, h("div", { class: "panel-head" }, h("h2", {}, t(isNow ? "table.ranges" : "table.ranges last")), tabs), grid,
    h("p", { class: "quiet" }, t("table.ranges about")),
    ranges.line !== line && h("button", { type: "button", "data-role": "drill", onclick: drill }, t("table.drill")), note);
}
