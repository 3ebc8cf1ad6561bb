// A node of a solved spot of hold'em: both ranges as grids, by made hand and draw, and as equity curves.
import { get, isShared, post } from "../api.js";
import { loadCards } from "../cards.js";
import { chart } from "../chart.js";
import { h, style, table } from "../dom.js";
import { addKeys } from "../keys.js";
import { go, setAddress } from "../main.js";
import { rangeGrid } from "../range_grid.js";
import { cells, hand } from "../ranges.js";
import { actionLinks, cardChoice, combos, groups, head, namedActions, suitFilter } from "../spot_parts.js";
import { number, percent, t } from "../words.js";

const FIGURES = ["share", "ev", "equity", "loss"];
const LISTS = ["made", "draw", "suit"];

// The figures that are known: limit games have no EVs.
const figuresOf = (node) => (node.players.some((one) => one.ev !== null) ? FIGURES : ["share", "equity"]);

// What the address says: the figure, its action, the ranges shown, filters, and the class in focus.
function readState(query, node) {
  const named = node.seats.findIndex((seat) => seat.toLowerCase() === query.get("player"));
  const player = named < 0 ? node.player ?? 0 : named;
  const filter = Object.fromEntries(LISTS.map((name) => [name, query.get(name)?.split(",") ?? []]));
  const show = FIGURES.includes(query.get("show")) ? query.get("show") : "share";
  const action = node.actions.findIndex((one) => one.name === query.get("action"));
  return { show, action: action < 0 ? null : action, player, both: query.get("player") === "both", filter, selected: query.get("class") };
}

function writeState(state, node, base) {
  const query = new URLSearchParams();
  if (state.show !== "share") query.set("show", state.show);
  if (state.action !== null) query.set("action", node.actions[state.action].name);
  if (state.both) query.set("player", "both");
  else if (state.player !== (node.player ?? 0)) query.set("player", node.seats[state.player].toLowerCase());
  for (const name of LISTS) if (state.filter[name].length) query.set(name, state.filter[name].join(","));
  const kept = new URLSearchParams(query);
  if (state.selected) query.set("class", state.selected);
  for (const one of ["action", "player"]) kept.delete(one);
  const text = (part) => (part.size ? `?${part}`.replaceAll("%2C", ",") : "");
  setAddress(base + text(query));
  return text(kept);
}

// A group of radio buttons drawn as one row.
function choice(label, name, options, value, choose) {
  const option = ([key, text]) => h("button", {
    type: "button", role: "radio", "aria-checked": `${key === value}`, "data-key": `${name}-${key}`, onclick: () => choose(key),
  }, text);
  return h("div", { class: "choice", role: "radiogroup", "aria-label": label }, options.map(option));
}

function controls(state, node, change) {
  const figures = choice(t("spot.show"), "show", figuresOf(node).map((name) => [name, t(`spot.${name}`)]), state.show, (show) => change({ show }));
  const seats = [...node.seats.map((seat, index) => [`${index}`, seat]), ...(node.seats.length === 2 ? [["both", t("spot.both")]] : [])];
  const ranges = choice(t("spot.range"), "player", seats, state.both ? "both" : `${state.player}`,
    (value) => change(value === "both" ? { both: true } : { both: false, player: Number(value) }));
  const needsAction = node.actions.length > 0 && ["share", "loss"].includes(state.show);
  const select = needsAction && h("select", { "aria-label": t("spot.action"), "data-key": "action",
    onchange: (event) => change({ action: event.target.value === "" ? null : Number(event.target.value) }) },
  h("option", { value: "" }, t("spot.likeliest")),
  namedActions(node).map((one, index) => h("option", { value: index, selected: state.action === index }, one.text)));
  return h("div", { class: "row controls" }, figures, select, ranges, suitFilter(state, change));
}

function gridTwin(shown, actions) {
  const names = actions.map((one) => one.text);
  const rows = shown.filter((cell) => cell.hands.length).map((cell) => [
    cell.name, number(cell.hands.length), percent(cell.frequency), ...names.map((_, index) => percent(cell.shares[index])),
    number(cell.ev, 4), percent(cell.equity), ...names.map((_, index) => number(cell.losses[index] ?? null, 3)),
  ]);
  const losses = names.map((name) => `${name}: ${t("spot.loss")}`);
  return table([t("spot.class"), t("spot.hands"), t("spot.frequency"), ...names, "EV", t("spot.equity"), ...losses], rows,
    { "aria-label": t("spot.grid") });
}

function rangePart(node, player, state, change, detail) {
  const one = node.players[player];
  const actions = one.acts ? namedActions(node) : [];
  const shown = cells(one.rows.map(hand), node.class_sizes, state.filter, node);
  const rare = shown.filter((cell) => cell.rare).length;
  const choose = (cell, pinned) => {
    detail.replaceChildren(...combos(cell, actions, one.name, node.indifference));
    if (pinned) change({ selected: cell.name }, false);
  };
  const label = `${t("spot.range of", { player: one.name })}: ${t(`spot.${state.show}`)}`;
  const start = shown.find((cell) => cell.name === state.selected) ?? shown.reduce((best, cell) => (cell.frequency > best.frequency ? cell : best));
  const grid = rangeGrid(shown, { label, actions, show: state.show, action: state.action, start: start.number, choose });
  return { start: () => choose(start, false), element: h("section", { class: "range-part" },
    h("h2", {}, t("spot.range of", { player: one.name }), " ", h("small", { class: "quiet" }, t("spot.size", { n: Math.round(one.hands) }))),
    grid, h("p", { class: "quiet note" }, t(actions.length ? "spot.note" : "spot.note.equity")),
    rare ? h("p", { class: "quiet note" }, t("spot.rare classes", { n: rare })) : null,
    h("details", { class: "twin" }, h("summary", {}, t("as table")), gridTwin(shown, actions))) };
}

function curves(node) {
  if (!node.players.some((one) => one.curve.length)) return null;
  const picture = chart({ title: t("spot.curves"), labels: [t("spot.percentile"), t("spot.equity percent")], scales: ["linear", "linear"] });
  const points = (curve) => curve.flatMap(([share, equity], index) => [curve[index - 1]?.[0] ?? 0, share].map((x) => [100 * x, 100 * equity]));
  picture.update(node.players.filter((one) => one.curve.length).map((one) => ({ name: one.name, points: points(one.curve) })));
  return h("section", { class: "curves" }, h("h2", {}, t("spot.curves")), h("p", { class: "quiet" }, t("spot.curves.note")), picture.element);
}

// Sit down at a table with this spot: against the run, which also coaches.
async function practise(run, node) {
  const name = `run:${decodeURIComponent(run)}`;
  const { game, parameters } = node.solution;
  const coached = game === "spot" ? { coach: name, mode: "after" } : {};
  const table = await post("/api/tables", { game, parameters, opponents: [name], ...coached });
  return go(`/tables/${table.id}`);
}

export async function show(root, location) {
  const [, , run, part] = location.pathname.split("/");
  const [node] = await Promise.all([get(`/api/spots/${run}/${part || "-"}`), loadCards(), style("spot")]);
  const base = location.pathname;
  const address = (line) => `/explore/${run}/${encodeURI(line.replaceAll("/", "~")) || "-"}`;
  const state = readState(location.searchParams, node);
  const body = h("div", {});
  const change = (changes, draws = true) => {
    Object.assign(state, changes);
    const kept = writeState(state, node, base);
    if (draws) draw(kept);
  };
  const draw = (kept) => {
    const focused = document.activeElement?.dataset.key;
    const detail = h("section", { class: "panel detail", "aria-live": "off" });
    const shown = !node.players.length ? [] : state.both ? [0, 1] : [state.player];
    const ranges = shown.map((player) => rangePart(node, player, state, change, detail));
    const link = (line) => address(line) + kept;
    body.replaceChildren(
      ...head(node, link, isShared || !node.solution.game ? null : () => practise(run, node)),
      node.player === null ? cardChoice(node, link) : actionLinks(node, link),
      shown.length ? controls(state, node, change) : "",
      h("div", { class: state.both ? "ranges both" : "ranges" },
        state.both ? ranges.map((each) => each.element) : h("div", {}, ranges[0]?.element, shown.length ? curves(node) : null),
        h("div", { class: "side" }, shown.length ? h("div", {}, detail, state.both ? curves(node) : null) : null,
          shown.length ? groups(node, state, change) : null)));
    ranges[0]?.start();
    body.querySelector(`[data-key="${CSS.escape(focused ?? "")}"]`)?.focus();
  };
  const likeliest = node.actions.reduce((best, one) => ((one.share ?? 0) > (best?.share ?? -1) ? one : best), null);
  const kept = () => writeState(state, node, base);
  addKeys({
    ArrowLeft: [t("spot.key.back"), () => node.line && go(address(node.parent) + kept())],
    ArrowRight: [t("spot.key.next"), () => likeliest && go(address(likeliest.line) + kept())],
    e: [t("spot.key.figure"), () => change({ show: figuresOf(node)[(figuresOf(node).indexOf(state.show) + 1) % figuresOf(node).length] })],
  });
  root.append(body);
  draw(kept());
}
