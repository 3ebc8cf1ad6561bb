// The 13 x 13 grid of a range: width is the share of an action, height how often the class comes.
import { actionClass } from "./actions.js";
import { h } from "./dom.js";
import { figure } from "./ranges.js";
import { number, percent, t } from "./words.js";

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -13, ArrowDown: 13 };

// The figure of a cell as a short text.
export function figureText(cell, show, action) {
  const value = figure(cell, show, action);
  if (value === null || Number.isNaN(value)) return "";
  if (show === "share" || show === "equity" || (show === "loss" && !cell.shares.length)) return `${Math.round(100 * value)}`;
  const rounded = Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 10) / 10;
  return number(rounded === 0 ? 0 : rounded).replace("-", "−");
}

// One sentence about a cell: class, shares, EV and equity.
export function cellText(cell, actions) {
  if (!cell.hands.length) return `${cell.name}: ${t(cell.left ? "spot.filtered" : "spot.absent")}`;
  const shares = cell.shares.map((share, index) => `${actions[index].text} ${percent(share)}`);
  const parts = [
    t("spot.combos", { n: cell.hands.length }), ...shares, cell.ev === null ? null : `EV ${number(cell.ev, 4)}`,
    cell.equity === null ? null : `${t("spot.equity")} ${percent(cell.equity)}`, cell.rare ? t("spot.rare") : null,
  ];
  return `${cell.name}: ${parts.filter(Boolean).join(", ")}`;
}

function fills(cell, actions) {
  if (!cell.shares.length) {
    const step = cell.equity === null ? 2 : Math.min(4, Math.floor(5 * cell.equity));
    return h("span", { class: `equity equity-${step}`, style: { flexGrow: 1 } });
  }
  return cell.shares.map((share, index) => share > 0 && h("span", { class: actionClass(actions[index]), style: { flexGrow: share } }));
}

function element(cell, actions, show, action) {
  const state = !cell.hands.length ? "empty" : cell.rare ? "rare" : "";
  const height = cell.hands.length ? Math.max(100 * Math.min(cell.weight, 1), 4) : 0;
  return h("div", {
    role: "gridcell", class: `cell ${state}`, "data-class": cell.name, "aria-label": cellText(cell, actions), "aria-selected": "false", tabindex: -1,
  },
    h("span", { class: "fill", style: { height: `${height}%` } }, fills(cell, actions)),
    h("b", { "aria-hidden": "true" }, cell.name),
    h("i", { "aria-hidden": "true" }, cell.hands.length ? figureText(cell, show, action) : ""));
}

// A grid as an element. `choose(cell, pinned)` is called for the cell under the pointer or focus, pinned by a click.
export function rangeGrid(cells, { label, actions, show, action, start, choose }) {
  const boxes = cells.map((cell) => element(cell, actions, show, action));
  let current = start;
  const mark = (index, pinned) => {
    boxes[current].tabIndex = -1;
    boxes[current].setAttribute("aria-selected", "false");
    current = index;
    boxes[current].tabIndex = 0;
    boxes[current].setAttribute("aria-selected", "true");
    choose(cells[current], pinned);
  };
  const rows = Array.from({ length: 13 }, (_, row) => h("div", { role: "row" }, boxes.slice(13 * row, 13 * row + 13)));
  const grid = h("div", { role: "grid", class: "range", "aria-label": label }, rows);
  const indexOf = (event) => boxes.indexOf(event.target.closest(".cell"));
  grid.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    const column = current % 13;
    const ends = { Home: current - column, End: current - column + 12, PageUp: column, PageDown: 156 + column };
    const next = step !== undefined ? current + step : ends[event.key];
    const wraps = Math.abs(step) === 1 && Math.floor(next / 13) !== Math.floor(current / 13);
    if (event.ctrlKey || event.altKey || event.metaKey || next === undefined) return;
    event.preventDefault();
    if (next < 0 || next > 168 || wraps) return;
    mark(next, true);
    boxes[next].focus();
  });
  grid.addEventListener("mouseover", (event) => indexOf(event) >= 0 && choose(cells[indexOf(event)], false));
  grid.addEventListener("mouseleave", () => choose(cells[current], false));
  grid.addEventListener("click", (event) => {
    if (indexOf(event) < 0) return;
    mark(indexOf(event), true);
    boxes[current].focus();
  });
  boxes[current].tabIndex = 0;
  boxes[current].setAttribute("aria-selected", "true");
  return grid;
}
