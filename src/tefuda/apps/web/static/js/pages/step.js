// One iteration of a method of the CFR family, stage by stage, with the formulas filled in.
import { get } from "../api.js";
import { h, style, table } from "../dom.js";
import { gameTree } from "../game_tree.js";
import { addKeys } from "../keys.js";
import { go } from "../main.js";
import { element } from "../nodes.js";
import { number, percent, signed, t } from "../words.js";

const STAGES = ["deal", "reach", "values", "regrets", "strategy", "average"];
const DEFAULTS = { game: "kuhn", method: "cfr", iteration: "1", order: "simultaneous", times: "1", at: "", stage: "deal" };
const METHODS = ["cfr", "cfr+", "lcfr", "dcfr", "dcfr+", "pcfr+", "pdcfr+", "cfr-br"];

function readState(location) {
  const state = Object.fromEntries(Object.entries(DEFAULTS).map(([name, value]) => [name, location.searchParams.get(name) || value]));
  return { ...state, stage: STAGES.includes(state.stage) ? state.stage : "deal" };
}

function query(state, names) {
  const text = new URLSearchParams();
  for (const name of names) if (state[name] !== DEFAULTS[name]) text.set(name, state[name]);
  return text.size ? `?${text}` : "";
}

const address = (state, changes = {}) => `/learn/step${query({ ...state, ...changes }, Object.keys(DEFAULTS))}`;

export async function show(root, location) {
  const state = readState(location);
  const [walk] = await Promise.all([get(`/api/step${query(state, ["game", "method", "iteration", "order", "times", "at"])}`), style("place")]);
  const update = walk.infosets.find(({ infoset }) => infoset === walk.at);
  const place = STAGES.indexOf(state.stage);
  root.append(h("h1", {}, t("step.title", { game: walk.game, method: walk.method, iteration: walk.iteration })), form(state, walk),
    h("nav", { class: "row stages", "aria-label": t("step.stages") }, STAGES.map((stage, index) => h("a", {
      class: "button", href: address(state, { stage }), "aria-current": stage === state.stage ? "step" : null }, `${index + 1}. ${t(`step.${stage}`)}`))),
    h("div", { class: "place" }, h("section", { class: "panel" }, h("h2", {}, t(`step.${state.stage}`)), h("p", {}, t(`step.${state.stage}.about`))),
      h("section", { class: "panel formulas" }, h("h2", {}, t("step.at", { infoset: walk.at, player: update.player })),
        h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("step.formulas") }, walk.formulas[state.stage].map((node) => element(node)), uniform(state, update)))),
    ...drawing(state, walk, update), ...numbers(state, walk));
  addKeys({
    ArrowLeft: [t("step.key.left"), () => place > 0 && go(address(state, { stage: STAGES[place - 1] }))],
    ArrowRight: [t("step.key.right"), () => place < STAGES.length - 1 && go(address(state, { stage: STAGES[place + 1] }))],
    ArrowUp: [t("step.key.up"), () => beside(state, walk, -1)],
    ArrowDown: [t("step.key.down"), () => beside(state, walk, 1)],
    n: [t("step.key.next"), () => go(address(state, { iteration: `${walk.iteration + 1}` }))],
  });
  return null;
}

// The moves from the root to a history, each a history itself.
function way(walk, history) {
  const steps = [];
  for (let place = history; place.parent !== null; place = walk.histories[place.parent]) steps.unshift(place);
  return steps;
}

// The reason for a uniform strategy, which has no formula.
function uniform(state, update) {
  const key = { strategy: update.positive > 0 ? null : "step.noPositive", average: update.total > 0 ? null : "step.noSum" }[state.stage];
  return key ? h("p", {}, t(key, { n: update.actions.length })) : null;
}

function beside(state, walk, step) {
  const at = walk.names[walk.names.indexOf(walk.at) + step];
  if (at) go(address(state, { at }));
}

function form(state, walk) {
  const change = (name) => (event) => event.target.value && go(address(state, { [name]: event.target.value, ...(name === "game" ? { at: "" } : {}) }));
  const labelled = (name, field) => h("label", {}, h("span", {}, t(`step.field.${name}`)), field);
  const select = (name, options, chosen) => labelled(name, h("select", { name, onchange: change(name) },
    options.map((value) => h("option", { value, selected: value === chosen }, name === "order" ? t(`step.order.${value}`) : value))));
  const input = (name, most) => labelled(name, h("input", { name, type: "number", min: 1, max: most, value: state[name], onchange: change(name) }));
  const games = [...new Set(["kuhn", "leduc", "kuhn;players=3", state.game])];
  return h("div", { class: "row" }, select("game", games, state.game), select("method", [...new Set([...METHODS, state.method])], state.method),
    input("iteration", 100000), select("order", ["simultaneous", "alternating"], state.order), select("at", walk.names, walk.at), input("times", 1000000));
}

// The texts beside a history and its last move in a stage, and whether they are lit.
function figures(state, walk, update) {
  const player = update.player;
  const updates = new Map(walk.infosets.map((one) => [one.infoset, one]));
  const first = new Map();
  walk.histories.forEach((history, index) => history.parent !== null && !first.has(history.parent) && first.set(history.parent, index));
  const onWay = new Set(walk.histories.filter(({ infoset }) => infoset === walk.at).flatMap((history) => way(walk, history)));
  const parent = (history) => walk.histories[history.parent];
  const action = (history) => updates.get(parent(history)?.infoset)?.actions[walk.histories.indexOf(history) - first.get(history.parent)];
  const chosen = (history) => parent(history)?.infoset === walk.at;
  const ofAction = (read) => (history) => (action(history) ? { edge: read(action(history)), litEdge: chosen(history) } : {});
  return {
    deal: (history) => (history.parent !== null && parent(history).mover === -1 ? { edge: number(history.shares[player], 3), litEdge: onWay.has(history) } : {}),
    reach: (history) => ({ node: number(history.others[player], 3), litNode: history.infoset === walk.at,
      edge: history.parent === null ? null : number(history.shares[player], 2), litEdge: onWay.has(history) && parent(history).mover !== player }),
    values: (history) => ({ node: signed(history.values[player], 3), litNode: history.infoset === walk.at || chosen(history) }),
    regrets: ofAction((one) => signed(walk.times === 1 ? one.regret : one.scaled, 2)),
    strategy: ofAction((one) => number(one.next, 2)),
    average: ofAction((one) => number(one.average, 2)),
  }[state.stage];
}

function drawing(state, walk, update) {
  const title = t("step.drawing", { stage: t(`step.${state.stage}`) });
  const pick = ({ infoset }) => infoset && go(address(state, { at: infoset }));
  const player = update.player;
  const rows = walk.histories.map((history) => [history.path.replaceAll("~", " "), history.infoset ?? "",
    number(history.shares[player], 4), number(history.own[player], 4), number(history.others[player], 4), signed(history.values[player])]);
  const head = [t("step.history"), t("step.infoset"), t("step.share"), t("step.own"), t("step.others"), t("step.value")];
  return [h("h2", {}, title), h("p", { class: "quiet" }, t("step.drawingAbout", { player })),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
      gameTree({ histories: walk.histories, title, numbers: figures(state, walk, update), infoset: walk.at, pick })),
    h("details", {}, h("summary", {}, t("as table")), table(head, rows, { "aria-label": title }))];
}

function numbers(state, walk) {
  const scaled = walk.times > 1;
  const head = [t("step.infoset"), t("step.action"), t("step.value"), t("step.regret"), ...(scaled ? [t("step.scaled", { times: walk.times })] : []),
    t("step.cumulative"), t("step.next"), t("step.averageShare")];
  const rows = walk.infosets.flatMap((update) => update.actions.map((action) => [
    h("a", { href: address(state, { at: update.infoset }), "aria-current": update.infoset === walk.at ? "true" : null }, update.infoset), action.action,
    signed(action.value), signed(action.regret), ...(scaled ? [h("span", { "data-scaled": `${update.infoset} ${action.action}` }, signed(action.scaled, 4))] : []),
    signed(action.after), percent(action.next), percent(action.average)]));
  const title = t("step.all");
  return [h("h2", {}, title), table(head, rows, { "aria-label": title })];
}
