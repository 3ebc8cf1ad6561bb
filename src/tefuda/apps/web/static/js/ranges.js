// Ranges: rows of hands, filters, classes with their figures, levels and texts of losses; and the 13 x 13 grid, in which
// width is the share of an action and height how often the class comes.
import { shareParts, sharesText } from "./actions.js";
import { h } from "./dom.js";
import { language, number, percent, t } from "./words.js";

const RARE = 0.005; // of the commonest class: below it a class is dimmed

// A row of the message as an object.
export const hand = ([text, number, frequency, reach, made, draw, ev, equity, shares, losses]) =>
  ({ text, number, frequency, reach, made, draw, ev, equity, shares, losses });

// True if a hand passes a filter {made: [], draw: [], suit: []}; an empty list passes all.
export function passes(one, { made, draw, suit }, node) {
  const of = { made: [node.made_hands[one.made]], draw: [node.draws[one.draw]], suit: [one.text[1], one.text[3]] };
  return Object.entries({ made, draw, suit }).every(([name, list]) => !list.length || of[name].some((value) => list.includes(value)));
}

const sum = (hands, value) => hands.reduce((total, one) => total + value(one), 0);

function mean(hands, weight, figure) {
  const known = hands.filter((one) => (figure(one) ?? null) !== null);
  const total = sum(known, weight);
  return total > 0 ? sum(known, (one) => weight(one) * figure(one)) / total : null;
}

// The figures of several hands together, weighted by how often they come.
function together(hands) {
  const weigh = hands.some((one) => one.frequency > 0) ? (one) => one.frequency : (one) => one.reach;
  const each = (name) => (hands[0]?.[name] ?? []).map((_, action) => mean(hands, weigh, (one) => one[name][action]));
  return {
    hands,
    frequency: sum(hands, (one) => one.frequency),
    reach: sum(hands, (one) => one.reach),
    shares: each("shares"),
    losses: each("losses"),
    ev: mean(hands, weigh, (one) => one.ev),
    equity: mean(hands, weigh, (one) => one.equity),
  };
}

// The cells of a player's grid. The weight of a cell is relative to the commonest class of the whole range.
export function cells(rows, node, filter) {
  const groups = Map.groupBy(rows, (one) => one.number);
  const all = node.classes.map((name, number) => ({ name, number, size: Math.max(node.class_sizes[number], 1),
    all: groups.get(number) ?? [] }));
  const most = Math.max(...all.map((cell) => sum(cell.all, (one) => one.reach) / cell.size)) || 1;
  return all.map((cell) => {
    const chosen = together(cell.all.filter((one) => passes(one, filter, node)));
    const weight = chosen.reach / cell.size / most;
    const left = cell.all.length - chosen.hands.length;
    return { ...cell, ...chosen, weight, rare: weight > 0 && weight < RARE, left };
  });
}

// The figure of a cell: of the action, or of its likeliest one; equity where the player does not act.
export function figure(cell, show, action) {
  if (show === "ev" || show === "equity") return cell[show];
  if (!cell.shares.length) return cell.equity;
  const index = action < 0 ? cell.shares.indexOf(Math.max(...cell.shares)) : action;
  return (show === "share" ? cell.shares : cell.losses)[index] ?? null;
}

const LIMITS = [0.004, 0.02, 0.07, 0.18]; // of the pot

// The level of a loss, from 0 to 4; losses are 0 or negative.
export const lossLevel = (loss, pot) => LIMITS.filter((limit) => -loss / pot >= limit).length;

const amount = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

// An amount with two decimals and a true minus, which is none at 0.00.
export function chipsText(value, isSigned = false) {
  if ((value ?? null) === null) return "–";
  const text = amount.format(value).replace("-", "−").replace(/^−([0.,]+)$/, "$1");
  return isSigned && value > 0 ? `+${text}` : text;
}

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -13, ArrowDown: 13 };

// The figure of a cell as a short text.
function figureText(cell, show, action) {
  const value = figure(cell, show, action);
  if (value === null) return "";
  if (["share", "equity"].includes(show) || !cell.shares.length) return `${Math.round(100 * value)}`;
  const rounded = Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 10) / 10;
  return number(rounded || 0).replace("-", "−");
}

// One sentence about a cell: class, shares, EV and equity.
function cellText(cell, actions) {
  if (!cell.hands.length) return `${cell.name}: ${t(cell.left ? "spot.filtered" : "spot.absent")}`;
  const parts = [t("spot.combos", { n: cell.hands.length }), sharesText(actions, cell.shares),
    cell.ev !== null && `EV ${number(cell.ev, 4)}`,
    cell.equity !== null && `${t("spot.equity")} ${percent(cell.equity)}`, cell.rare && t("spot.rare")];
  return `${cell.name}: ${parts.filter(Boolean).join(", ")}`;
}

// A cell in one colour; `kind` is its class.
const painted = ({ name }, { kind, text, label }) => h("div", { role: "gridcell", class: `cell plain ${kind}`, tabindex: -1,
  "data-class": name, "aria-label": label, "aria-selected": "false" },
h("b", { "aria-hidden": "true" }, name), h("i", { "aria-hidden": "true" }, text));

function element(cell, { actions, show, action, paint }) {
  const some = cell.hands.length > 0;
  if (paint) return painted(cell, some ? paint(cell) : { kind: "empty", text: "", label: cellText(cell, []) });
  const height = some ? Math.max(100 * Math.min(cell.weight, 1), 4) : 0;
  const level = cell.equity === null ? 2 : Math.min(4, Math.floor(5 * cell.equity));
  const fills = cell.shares.length ? shareParts(actions, cell.shares) : h("span", { class: `equity equity-${level}` });
  return h("div", { role: "gridcell", class: `cell ${!some ? "empty" : cell.rare ? "rare" : ""}`, tabindex: -1,
    "data-class": cell.name, "aria-label": cellText(cell, actions), "aria-selected": "false" },
  h("span", { class: "fill", style: { height: `${height}%` } }, fills), h("b", { "aria-hidden": "true" }, cell.name),
  h("i", { "aria-hidden": "true" }, some ? figureText(cell, show, action) : ""));
}

// The cell that a key leads to; undefined if it leads nowhere.
function keyTarget(key, current) {
  const column = current % 13;
  const ends = { Home: current - column, End: current - column + 12, PageUp: column, PageDown: 156 + column };
  const next = key in STEPS ? current + STEPS[key] : ends[key];
  const wraps = Math.abs(STEPS[key]) === 1 && Math.floor(next / 13) !== Math.floor(current / 13);
  return wraps || next < 0 || next > 168 ? current : next;
}

// A grid as an element; `paint(cell)` gives cells one colour. `choose(cell, pinned)` is called for the cell under the pointer or focus, pinned by a click.
export function rangeGrid(cells, { label, start, choose, ...figures }) {
  const boxes = cells.map((cell) => element(cell, figures));
  let current = start;
  const select = (index) => {
    boxes[current].tabIndex = -1;
    boxes[current].setAttribute("aria-selected", "false");
    current = index;
    boxes[current].tabIndex = 0;
    boxes[current].setAttribute("aria-selected", "true");
  };
  const pin = (index) => {
    select(index);
    choose(cells[index], true);
    boxes[index].focus();
  };
  const under = (event, act) => {
    const index = boxes.indexOf(event.target.closest(".cell"));
    if (index >= 0) act(index);
  };
  const onkeydown = (event) => {
    const next = keyTarget(event.key, current);
    if (event.ctrlKey || event.altKey || event.metaKey || next === undefined) return;
    event.preventDefault();
    pin(next);
  };
  select(start);
  return h("div", { role: "grid", class: "range", "aria-label": label, onkeydown, onclick: (event) => under(event, pin),
    onmouseover: (event) => under(event, (index) => choose(cells[index], false)),
    onmouseleave: () => choose(cells[current], false) },
  Array.from({ length: 13 }, (_, row) => h("div", { role: "row" }, boxes.slice(13 * row, 13 * row + 13))));
}
