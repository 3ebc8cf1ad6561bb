// A node of a solved spot of hold'em: both ranges as grids, by made hand and draw, and as equity curves.
import { actionText } from "../actions.js";
import { get, holds, isShared, post } from "../api.js";
import { coloursBox, loadCards, suitMark } from "../cards.js";
import { chart } from "../chart.js";
import { attempt, fold, h, style, table, working } from "../dom.js";
import { options } from "../fields.js";
import { addKeys } from "../settings.js";
import { go, setAddress } from "../main.js";
import { queryText, readQuery } from "../query.js";
import { cells, hand, rangeGrid } from "../ranges.js";
import { choices, combos, filterButton, groups, lineAddress, title, top } from "../views/node.js";
import { number, percent, t } from "../words.js";

const VIEWS = ["strategy", "evs", "cards", "compare"];
const LISTS = ["made", "draw", "suit"];
const KEPT = ["show", "view", "with", ...LISTS]; // by links to other nodes

// The figures that are known: limit games have no EVs.
const figuresOf = (node) =>
  (node.players.some((one) => one.ev !== null) ? ["share", "ev", "equity", "loss"] : ["share", "equity"]);

// What the address says: the figure, its action, the ranges shown, filters, and the class in focus.
function readState(location, node) {
  const player = node.seats[node.player ?? 0].toLowerCase();
  const usual = { show: "share", action: "", player, made: "", draw: "", suit: "", class: "",
    view: "strategy", of: "", by: "", with: "" };
  const state = { ...readQuery(location, usual), usual };
  for (const name of LISTS) state[name] = state[name].split(",").filter(Boolean);
  if (!figuresOf(node).includes(state.show)) state.show = usual.show;
  return state;
}

function addressOf(state, names) {
  const lists = Object.fromEntries(LISTS.map((name) => [name, state[name].join(",")]));
  return queryText({ ...state, ...lists }, state.usual, names);
}

// A group of radio buttons drawn as one row.
function choice(state, name, label, pairs) {
  const option = ([value, text]) => h("button", { type: "button", role: "radio", "data-key": `${name}-${value}`,
    "aria-checked": `${value === state[name]}`, onclick: () => state.change({ [name]: value }) }, text);
  return h("div", { class: "choice", role: "radiogroup", "aria-label": label }, pairs.map(option));
}

function controls(state, node) {
  const seats = node.seats.map((seat) => [seat.toLowerCase(), seat]);
  if (seats.length === 2) seats.push(["both", t("spot.both")]);
  const actions = [["", t("spot.likeliest")], ...node.actions.map(({ name, text }) => [name, text])];
  return h("div", { class: "row controls" },
    choice(state, "show", t("spot.show"), figuresOf(node).map((name) => [name, t(`spot.${name}`)])),
    node.actions.length > 0 && ["share", "loss"].includes(state.show) && h("select", { "aria-label": t("spot.action"),
      "data-key": "action", onchange: ({ target }) => state.change({ action: target.value }) },
    options(actions, state.action)),
    choice(state, "player", t("spot.range"), seats), suitFilters(state), coloursBox());
}

// Buttons that leave only hands with a suit, and one that clears all filters.
function suitFilters(state) {
  const withSuit = (name) => ({ "aria-label": t("spot.with", { suit: t(`suit.${name}`) }) });
  const suit = (name) => filterButton(state, "suit", name, withSuit(name), suitMark(name));
  const reset = () => state.change({ made: [], draw: [], suit: [] });
  return [h("div", { class: "choice", role: "group", "aria-label": t("spot.suits") }, ["s", "h", "d", "c"].map(suit)),
    h("button", { type: "button", class: "plain", "data-key": "reset", onclick: reset,
      disabled: !LISTS.some((name) => state[name].length) }, t("spot.reset"))];
}

// The filters of the table of hands: made hand and suit.
function filters(state, node) {
  const known = new Set(node.players[node.player].rows.map(hand).map(({ made }) => node.made_hands[made]));
  const names = node.made_hands.filter((name) => known.has(name)).map((name) => [name, t(`spot.${name}`)]);
  const onchange = ({ target }) => state.change({ made: [target.value].filter(Boolean) });
  return h("div", { class: "row controls" }, h("select", { "aria-label": t("spot.made_hands"), "data-key": "made", onchange },
    options([["", t("spot.all made")], ...names], state.made[0] ?? "")), suitFilters(state), coloursBox());
}

function gridTwin(shown, actions) {
  const names = actions.map((one) => one.text);
  const rows = shown.filter((cell) => cell.hands.length).map((cell) => [
    cell.name, number(cell.hands.length), percent(cell.frequency), ...cell.shares.map((share) => percent(share)),
    number(cell.ev, 4), percent(cell.equity), ...cell.losses.map((loss) => number(loss, 3)),
  ]);
  const losses = names.map((name) => `${name}: ${t("spot.loss")}`);
  return table([t("spot.class"), t("spot.hands"), t("spot.frequency"), ...names, "EV", t("spot.equity"), ...losses],
    rows, { "aria-label": t("spot.grid") });
}

function rangePart(node, seat, state, detail) {
  const one = node.players[seat];
  const actions = one.acts ? node.actions : [];
  const shown = cells(one.rows.map(hand), node, { made: state.made, draw: state.draw, suit: state.suit });
  const rare = shown.filter((cell) => cell.rare).length;
  const choose = (cell, pinned) => {
    detail.replaceChildren(...combos(cell, actions, one.name, node.indifference));
    if (pinned) state.change({ class: cell.name }, false);
  };
  const title = t("spot.range of", { player: one.name });
  const commonest = shown.reduce((best, cell) => (cell.frequency > best.frequency ? cell : best));
  const start = shown.find((cell) => cell.name === state.class) ?? commonest;
  const action = node.actions.findIndex(({ name }) => name === state.action);
  const label = `${title}: ${t(`spot.${state.show}`)}`;
  if (!detail.hasChildNodes()) choose(start, false);
  return h("section", { class: "range-part" },
    h("h2", {}, title, " ", h("small", { class: "quiet" }, t("spot.size", { n: Math.round(one.hands) }))),
    rangeGrid(shown, { label, actions, show: state.show, action, start: start.number, choose }),
    h("p", { class: "quiet note" }, t(actions.length ? "spot.note" : "spot.note.equity")),
    rare > 0 && h("p", { class: "quiet note" }, t("spot.rare classes", { n: rare })),
    fold(t("as table"), { class: "twin" }, gridTwin(shown, actions)));
}

const curves = (node) => node.curves && h("section", { class: "curves" }, h("h2", {}, t("spot.curves")),
  h("p", { class: "quiet" }, t("spot.curves.note")), chart(t("spot.curves"), node.curves));

function ranges(node, state) {
  const detail = h("section", { class: "panel detail", "aria-live": "off" });
  const both = state.player === "both";
  const shown = both ? [0, 1] : [state.seat];
  const parts = shown.map((seat) => rangePart(node, seat, state, detail));
  return [controls(state, node), h("div", { class: both ? "ranges both" : "ranges" },
    both ? parts : h("div", {}, parts, curves(node)),
    h("div", { class: "side" }, h("div", {}, detail, both && curves(node)), groups(node, state)))];
}

// Sit down at a table with this spot: against the run, which also coaches. All hands begin at a line.
async function practise(run, { solution: { game, parameters } }, line) {
  const name = `run:${decodeURIComponent(run)}`;
  const coached = game === "spot" ? { coach: name, mode: "after", line } : {};
  const state = await post("/api/tables", { game, parameters, opponents: [name], ...coached });
  return go(`/tables/${state.id}`);
}

// The views of a node; a shared file has those whose data are inside.
function viewsOf(node, data) {
  const isSpot = node.solution.game === "spot";
  const has = { strategy: true, evs: isSpot && node.player !== null && holds(`${data}/evs`),
    cards: isSpot && node.cards.length > 0 && holds(`${data}/cards`), compare: isSpot && !isShared && node.players.length === 2 };
  return VIEWS.filter((name) => has[name]);
}

const viewLinks = (views, state) => views.length > 1 && h("nav", { class: "choice views", "aria-label": t("spot.views") },
  views.map((view) => h("button", { type: "button", "aria-pressed": `${view === state.view}`, "data-key": `view-${view}`,
    onclick: () => state.change({ view }) }, t(`spot.view.${view}`))));

export async function show(root, location) {
  const [, , run, part] = location.pathname.split("/");
  const data = `/api/spots/${run}/${part || "-"}`;
  const [node] = await Promise.all([get(data), loadCards(), style("spot")]);
  const state = readState(location, node);
  for (const action of node.actions) action.text = actionText(action.name);
  const address = (line) => lineAddress(run, line) + addressOf(state, KEPT);
  const views = viewsOf(node, data);
  const others = { evs: async (...of) => (await import("../views/spot_evs.js")).evsView(...of),
    cards: async (...of) => (await import("../views/spot_cards.js")).cardsView(...of),
    compare: async (...of) => (await import("../views/spot_compare.js")).compareView(...of) };
  state.change = (changes, draws = true) => {
    Object.assign(state, changes);
    setAddress(location.pathname + addressOf(state));
    if (draws) draw();
  };
  const draw = async () => {
    const focused = document.activeElement?.dataset.key;
    const named = node.seats.findIndex((seat) => seat.toLowerCase() === state.player);
    state.seat = named < 0 ? node.player ?? 0 : named;
    const note = h("span", { class: "error", role: "alert" });
    const begin = (name, line) => h("button", { class: "plain practise", type: "button", onclick: ({ target }) =>
      working(target, t("preparing.agents"), () => attempt(note, () => practise(run, node, line))) }, t(`spot.${name}`));
    const table = !isShared && node.solution.game
      && [begin("practise", ""), node.solution.game === "spot" && node.line && node.player !== null && begin("drill", node.line), note];
    const view = views.includes(state.view) ? state.view : "strategy";
    const other = others[view] && await others[view](run, part || "-", node, state, address);
    const hides = view === "cards";
    root.replaceChildren(top(node, address, table), title(node), hides ? "" : choices(node, address),
      viewLinks(views, { ...state, view }) || "", ...other ? [view === "evs" ? filters(state, node) : "", other] : node.players.length ? ranges(node, state) : []);
    root.querySelector(`[data-key="${CSS.escape(focused ?? "")}"]`)?.focus();
  };
  const likeliest = node.actions.toSorted((a, b) => (b.share ?? 0) - (a.share ?? 0))[0];
  const figures = figuresOf(node);
  const before = node.line.split("/").slice(0, -1).join("/");
  addKeys({
    ArrowLeft: [t("spot.key.back"), () => node.line && go(address(before))],
    ArrowRight: [t("spot.key.next"), () => likeliest && go(address(likeliest.line))],
    e: [t("spot.key.figure"), () =>
      state.change({ show: figures[(figures.indexOf(state.show) + 1) % figures.length] })],
  });
  await draw();
}
