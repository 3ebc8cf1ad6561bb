// One iteration of a method of the CFR family, stage by stage, with the formulas filled in.
import { get } from "../api.js";
import { fold, h, style, table } from "../dom.js";
import { field } from "../fields.js";
import { gameTree } from "../game_tree.js";
import { addKeys } from "../keys.js";
import { go } from "../main.js";
import { element, textOf } from "../nodes.js";
import { queryText, readQuery } from "../query.js";
import { number, percent, signed, t } from "../words.js";

const STAGES = ["deal", "reach", "values", "regrets", "strategy", "average"];
const QUESTION = { game: "kuhn", method: "cfr", iteration: "1", order: "simultaneous", times: "1", at: "" };
const USUAL = { ...QUESTION, stage: "deal" };
const METHODS = ["cfr", "cfr+", "lcfr", "dcfr", "dcfr+", "pcfr+", "pdcfr+", "cfr-br"];

const address = (state, changes = {}) => `/learn/step${queryText({ ...state, ...changes }, USUAL)}`;
const part = (label, ...content) =>
  h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, content);

function form(state, walk) {
  const onchange = ({ target: { name, value } }) =>
    value && go(address(state, { [name]: value, ...(name === "game" && { at: "" }) }));
  const control = (name, attributes, pairs) =>
    field(t(`step.field.${name}`), { name, value: state[name], onchange, ...attributes }, pairs);
  const select = (name, values, attributes) => control(name, attributes, [...new Set(values)].map((value) =>
    [value, name === "order" ? t(`step.order.${value}`) : value]));
  return h("div", { class: "row" }, select("game", ["kuhn", "leduc", "kuhn;players=3", state.game]),
    select("method", [...METHODS, state.method]), control("iteration", { type: "number", min: 1, max: 100000 }),
    select("order", ["simultaneous", "alternating"]), select("at", walk.names, { value: walk.at }),
    control("times", { type: "number", min: 1, max: 1000000 }));
}

function drawing(state, walk, { player }) {
  const title = t("step.drawing", { stage: t(`step.${state.stage}`) });
  const texts = walk.stages[state.stage];
  const histories = walk.histories.map((history, index) => ({ ...history, ...texts[index],
    edge: textOf(texts[index].edge), node: textOf(texts[index].node), chosen: history.infoset === walk.at }));
  const pick = ({ infoset }) => infoset && go(address(state, { at: infoset }));
  const rows = walk.histories.map((history) => [history.path.replaceAll("~", " "), history.infoset ?? "",
    ...["shares", "own", "others"].map((name) => number(history[name][player], 4)), signed(history.values[player])]);
  const head = ["history", "infoset", "share", "own", "others", "value"].map((name) => t(`step.${name}`));
  return [h("h2", {}, title), h("p", { class: "quiet" }, t("step.drawingAbout", { player })),
    part(title, gameTree(title, histories, pick)),
    fold(t("as table"), {}, table(head, rows, { "aria-label": title }))];
}

function numbers(state, walk) {
  const scaled = (content) => (walk.times > 1 ? [content()] : []);
  const words = (...names) => names.map((name) => t(`step.${name}`));
  const head = [...words("infoset", "action", "value", "regret"),
    ...scaled(() => t("step.scaled", { times: walk.times })), ...words("cumulative", "next", "averageShare")];
  const row = ({ infoset }) => (action) => [
    h("a", { href: address(state, { at: infoset }), "aria-current": infoset === walk.at && "true" }, infoset),
    action.action, signed(action.value), signed(action.regret),
    ...scaled(() => h("span", { "data-scaled": `${infoset} ${action.action}` }, signed(action.scaled, 4))),
    signed(action.after), percent(action.next), percent(action.average)];
  const rows = walk.infosets.flatMap((update) => update.actions.map(row(update)));
  return [h("h2", {}, t("step.all")), table(head, rows, { "aria-label": t("step.all") })];
}

export async function show(root, location) {
  const state = readQuery(location, USUAL);
  const place = Math.max(STAGES.indexOf(state.stage), 0);
  const stage = state.stage = STAGES[place];
  const [walk] = await Promise.all([get(`/api/step${queryText(state, QUESTION)}`), style("place")]);
  const update = walk.infosets.find(({ infoset }) => infoset === walk.at);
  const tab = (name, index) => h("a", { class: "button", href: address(state, { stage: name }),
    "aria-current": name === stage && "step" }, `${index + 1}. ${t(`step.${name}`)}`);
  const note = walk.notes[stage];
  root.append(h("h1", {}, t("step.title", walk)), form(state, walk),
    h("nav", { class: "row stages", "aria-label": t("step.stages") }, STAGES.map(tab)),
    h("div", { class: "place" },
      h("section", { class: "panel" }, h("h2", {}, t(`step.${stage}`)), h("p", {}, t(`step.${stage}.about`))),
      h("section", { class: "panel formulas" }, h("h2", {}, t("step.at", { infoset: walk.at, player: update.player })),
        part(t("step.formulas"), walk.formulas[stage].map((node) => element(node)),
          note && h("p", {}, textOf(note))))),
    ...drawing(state, walk, update), ...numbers(state, walk));
  const beside = (values, value, name, step) => () => {
    const next = values[values.indexOf(value) + step];
    if (next) go(address(state, { [name]: next }));
  };
  addKeys({
    ArrowLeft: [t("step.key.left"), beside(STAGES, stage, "stage", -1)],
    ArrowRight: [t("step.key.right"), beside(STAGES, stage, "stage", 1)],
    ArrowUp: [t("step.key.up"), beside(walk.names, walk.at, "at", -1)],
    ArrowDown: [t("step.key.down"), beside(walk.names, walk.at, "at", 1)],
    n: [t("step.key.next"), () => go(address(state, { iteration: `${walk.iteration + 1}` }))],
  });
  return null;
}
