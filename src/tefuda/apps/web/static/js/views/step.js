// An iteration of CFR: the numbers of each stage beside a drawing, its form, and its tables.
import { h, fold, table } from "../dom.js";
import { field } from "../fields.js";
import { element } from "../nodes.js";
import { number, percent, signed, t } from "../words.js";

export const STAGES = ["deal", "reach", "values", "regrets", "strategy", "average"];
const GAMES = ["kuhn", "leduc", "kuhn;players=3"];
const METHODS = ["cfr", "cfr+", "lcfr", "dcfr", "dcfr+", "pcfr+", "pdcfr+", "cfr-br"];
const ORDERS = ["simultaneous", "alternating"];

// A number with few significant digits.
const short = (value, digits) => Number(value.toPrecision(digits));

// The places of the histories on the ways from the root to an infoset, without the root.
function wayTo(infoset, histories) {
  const way = new Set();
  histories.forEach((history, start) => {
    if (history.infoset !== infoset) return;
    for (let place = start; histories[place].parent !== null; place = histories[place].parent) way.add(place);
  });
  return way;
}

// The action that leads to each history from an infoset of the iteration; undefined for others.
function actionsOf({ histories, infosets }) {
  const known = Object.fromEntries(infosets.map(({ infoset, actions }) => [infoset, actions]));
  const counts = {};
  return histories.map(({ parent }) => {
    if (parent === null) return undefined;
    const index = counts[parent] = (counts[parent] ?? -1) + 1;
    return known[histories[parent].infoset]?.[index];
  });
}

// The texts of a stage: `node` beside each history, `edge` beside its last move; those of the shown infoset are lit.
export function figures(stage, step) {
  const { histories, at, player, times } = step;
  const [way, actions] = [wayTo(at, histories), actionsOf(step)];
  return histories.map((history, place) => {
    const before = histories[history.parent];
    const [isHere, isAfter, action] = [history.infoset === at, before?.infoset === at, actions[place]];
    const share = before && number(short(history.share, 3));
    const ofAction = (text) => (action ? { edge: text(action), litEdge: isAfter } : {});
    if (stage === "deal") return before?.mover === -1 ? { edge: share, litEdge: way.has(place) } : {};
    if (stage === "values") return { node: signed(short(history.value, 3)), litNode: isHere || isAfter };
    if (stage === "regrets") return ofAction(({ regret }) => signed(short(times * regret, 2)));
    if (stage !== "reach") return ofAction((one) => number(short(stage === "strategy" ? one.next : one.average, 2)));
    const isOther = way.has(place) && before?.mover !== player;
    return { node: number(short(history.others, 3)), edge: share, litNode: isHere, litEdge: isOther };
  });
}

// The fields of the question; `values` has what the page shows.
export function form(values, names) {
  const select = (name, choices, write = (value) => value) => field(t(`step.field.${name}`),
    { name, value: values[name] }, [...new Set(choices)].map((value) => [value, write(value)]));
  const whole = (name, max) => field(t(`step.field.${name}`), { name, type: "number", value: values[name], min: 1, max });
  return h("div", { class: "row" }, select("game", [...GAMES, values.game]),
    select("method", [...METHODS, values.method]), whole("iteration", 100000),
    select("order", ORDERS, (order) => t(`step.order.${order}`)), select("at", names), whole("times", 1000000));
}

export const tabs = (shown, address) => h("nav", { class: "row stages", "aria-label": t("step.stages") },
  STAGES.map((stage, index) => h("a", { class: "button", href: address({ stage }),
    "aria-current": stage === shown && "step" }, `${index + 1}. `, t(`step.${stage}`))));

// The text of a stage, and its formulas at the shown infoset.
export function stagePanels(stage, { at: infoset, player, formulas, uniform, infosets }) {
  const { length: n } = infosets.find((update) => update.infoset === infoset).actions;
  const note = uniform.includes(stage) && h("p", {}, t(stage === "strategy" ? "step.noPositive" : "step.noSum", { n }));
  const scroll = { class: "scroll", tabindex: 0, role: "region", "aria-label": t("step.formulas") };
  return h("div", { class: "place" },
    h("section", { class: "panel" }, h("h2", {}, t(`step.${stage}`)), h("p", {}, t(`step.${stage}.about`))),
    h("section", { class: "panel formulas" }, h("h2", {}, t("step.at", { infoset, player })),
      h("div", scroll, formulas[stage].map((node) => element(node)), note)));
}

// The drawing as a table.
export function drawingTable({ histories }) {
  const head = ["history", "infoset", "share", "own", "others", "value"].map((name) => t(`step.${name}`));
  const rows = histories.map(({ path, infoset, share, own, others, value }) => [path.replaceAll("~", " "), infoset ?? "",
    ...[share, own, others].map((one) => number(short(one, 4))), signed(short(value, 4))]);
  return fold(t("as table"), {}, table(head, rows, { "aria-label": t("step.history") }));
}

// The figures of all actions of all infosets.
export function numbers({ infosets, at, times }, address) {
  const names = ["infoset", "action", "value", "regret", times > 1 && "scaled", "cumulative", "next", "averageShare"];
  const row = (infoset) => ({ action, value, regret, after, next, average }) => [
    h("a", { href: address({ at: infoset }), "aria-current": infoset === at && "true" }, infoset), action,
    signed(short(value, 4)), signed(short(regret, 4)),
    ...(times > 1 ? [h("span", { "data-scaled": `${infoset} ${action}` }, signed(short(times * regret, 4)))] : []),
    signed(short(after, 4)), percent(short(next, 4)), percent(short(average, 4)),
  ];
  return table(names.filter(Boolean).map((name) => t(`step.${name}`, { times })),
    infosets.flatMap(({ infoset, actions }) => actions.map(row(infoset))), { "aria-label": t("step.all") });
}
