// Beside the hand on Home: a curve, live if something is being solved, and the grid of a solved spot.
import { actionClass, actionText, mark, shareParts, sharesText } from "../actions.js";
import { curvesOf, get, isActive, listen, post, runAddress, statesOf } from "../api.js";
import { cardName } from "../cards.js";
import { chart } from "../chart.js";
import { attempt, h } from "../dom.js";
import { icon } from "../icons.js";
import { number, percent, t, written } from "../words.js";

const PLAN = { game: "leduc", parameters: {}, methods: ["cfr+", "cfr"], seconds: 2 };
const MOST = 7; // curves in a chart
const RANKS = [..."AKQJT98765432"];
const SUITS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const SMALL = 0.005; // shares below are left out of the legend

const gameOf = ({ game }) => written(`game.${game}`, game);
const pill = (name, isGood) => h("span", { class: isGood ? "pill good" : "pill" }, t(name));

// The runs of a first drawing: all that are active, or the newest with a figure.
function chosen(runs) {
  const active = runs.filter(isActive);
  const some = active.length ? active.filter(({ game }) => game === active[0].game)
    : runs.filter(({ figure }) => figure.value !== null).slice(0, 1);
  return some.slice(0, MOST).map(({ id }) => id);
}

const pageOf = (runs) => (runs.length === 1 ? `/runs/${encodeURIComponent(runs[0].id)}`
  : `/solve?${new URLSearchParams({ game: runs[0].game, runs: runs.map(({ id }) => id).join(",") })}`);

// A figure in words; NashConv is the usual distance.
const sentence = (title, value, n, unit) => t("home.figure", { title: title === "NashConv" ? t("home.distance") : t(title),
  value: number(value, 2), n: number(n), unit: t(unit) });

// The last figure of the first run.
function figureText([{ evaluator, unit, curve }]) {
  const [n, , value] = curve.at(-1) ?? [];
  return value === undefined ? t("home.first point") : sentence(evaluator?.title ?? "NashConv", value, n, unit);
}

// The panel of a curve as {element, close}: what is being solved, else the newest run, else a recorded curve.
export async function curvePanel(summaries, recorded) {
  let ids = chosen(summaries);
  let runs = [];
  let due = null;
  let isStarting = false; // events of the runs may come before the answer that names them
  let drawn = Promise.resolve();
  const head = h("div", { class: "home-head" });
  const about = h("p", { class: "quiet", role: "status" });
  const place = h("div", {});
  const error = h("p", { class: "error", role: "alert" });
  const element = h("section", { class: "panel home-curve" }, head, about, place, error);

  const solve = (button) => attempt(error, async () => {
    button.disabled = isStarting = true;
    try {
      ({ runs: ids } = await post("/api/solve", PLAN));
    } finally {
      isStarting = false;
    }
    await refresh();
  });
  const pause = () => attempt(error, () => Promise.all(runs.filter(isActive).map(({ id }) => post(runAddress(id, "pause"), {}))));

  function show(title, mark, text, curves, act) {
    head.replaceChildren(h("h2", {}, title), mark, act || "");
    about.replaceChildren(...text);
    place.replaceChildren(chart(title, curves));
  }

  async function draw() {
    if (!ids.length) {
      const [x, y] = recorded.lines[0].points.at(-1);
      return show(t("home.leduc"), pill("home.recorded"), [sentence("NashConv", y, x, "iterations")], recorded,
        h("button", { type: "button", onclick: ({ target }) => solve(target) }, t("home.solve now")));
    }
    const [states, curves] = await Promise.all([get(statesOf(ids)), get(curvesOf(ids))]);
    runs = states;
    const isLive = runs.some(isActive);
    element.dataset.status = isLive ? "live" : "ended";
    const known = summaries.find(({ id }) => id === runs[0].id);
    const title = isLive ? t("home.solving", { game: gameOf(runs[0]) }) : known?.name ?? gameOf(runs[0]);
    const text = [figureText(runs), " ", h("a", { href: pageOf(runs) }, t(isLive ? "home.watch" : "home.open run"))];
    const hasFocus = head.contains(document.activeElement);
    show(title, isLive ? pill("home.live", true) : pill(`status.${runs[0].status}`), text, curves,
      isLive && h("button", { type: "button", "aria-label": t("pause"), title: t("pause"), onclick: pause }, icon("pause")));
    if (hasFocus) head.querySelector("button")?.focus({ preventScroll: true });
    error.textContent = runs.map((run) => run.error).filter(Boolean).join(" ");
  }

  // Draw the present state: after the drawing under way, and once for all that wait for it.
  function refresh() {
    due ??= drawn.catch(() => {}).then(() => {
      due = null;
      return (drawn = draw());
    });
    return due;
  }

  // Follow a solve that was started elsewhere, unless one is shown already.
  async function meet(run) {
    const [state] = await get(statesOf([run]));
    if (isStarting || ids.includes(run) || !isActive(state) || runs.some(isActive)) return;
    ids = [run];
    await refresh();
  }
  await refresh().catch((problem) => { error.textContent = problem.message; });
  const close = listen("/api/solve/events", ({ run }) => attempt(error, () => (ids.includes(run) ? refresh() : meet(run))));
  return { element, close };
}

// The classes row by row: suited hands to the right of the pairs, offsuit hands to the left.
const classOf = (row, column) => (row === column ? RANKS[row] + RANKS[row]
  : row < column ? `${RANKS[row]}${RANKS[column]}s` : `${RANKS[column]}${RANKS[row]}o`);

function cell(row, column, { cells, actions }) {
  const [weight, ...shares] = cells[13 * row + column];
  const fill = h("span", { style: { height: `${weight && Math.max(weight, 4)}%` } }, shareParts(actions, shares));
  return h("div", { class: weight ? "home-cell some" : "home-cell" }, fill, h("b", {}, classOf(row, column)));
}

// The grid as a picture: its cells are read out at the page of the spot.
function picture(grid, name) {
  const rows = RANKS.map((_, row) => h("div", { class: "home-row" }, RANKS.map((__, column) => cell(row, column, grid))));
  return h("div", { class: "home-range", role: "img", "aria-label": name }, rows);
}

// The board in letters, so that Home needs no drawings of these cards.
const boardText = (board) => h("p", { class: "home-board", role: "img", "aria-label": board.map((code) => cardName(code)).join(", ") },
  board.map(([rank, suit]) => h("span", { class: "hd".includes(suit) ? "red" : null }, rank.replace("T", "10"), SUITS[suit], " ")));

const legend = (actions) => h("ul", { class: "list home-legend" }, actions.filter(({ share }) => share >= SMALL).map((action) =>
  h("li", {}, h("span", { class: `${actionClass(action)} home-swatch`, "aria-hidden": "true" }, mark(action)),
    h("span", {}, action.text), h("b", {}, percent(action.share, 2)))));

// The panel of a grid; summaries are those of the runs.
export async function gridPanel(summaries, bundled) {
  const run = summaries.find(({ game, explored, status }) => game === "spot" && explored && status !== "running");
  const found = run && await get(`/api/home/grids/${encodeURIComponent(run.id)}`).catch(() => null);
  const grid = found ?? bundled;
  const actions = grid.actions.map((action) => ({ ...action, text: actionText(action.name) }));
  const title = t(`home.solved.${grid.street}`);
  const shares = sharesText(actions, actions.map(({ share }) => share));
  const about = t(grid.line ? "home.after a check" : "home.acts first", { player: grid.player });
  return h("section", { class: "panel home-solved" }, picture({ ...grid, actions }, `${title}: ${shares}`),
    h("div", {}, h("h2", {}, title), boardText(grid.board), h("p", { class: "quiet" }, about),
      legend(actions), h("a", { class: "knob", href: found ? `/explore/${encodeURIComponent(grid.run)}/-` : "/solve" },
        t("home.open spot"))));
}
