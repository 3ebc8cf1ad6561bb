// The formulas of one stage of an iteration, filled in with the numbers of an infoset, as MathML.
import { h, math } from "./dom.js";
import { number, t } from "./words.js";

const figure = (value) => math(value < 0 ? "mrow" : "mn", {}, value < 0 ? [math("mo", {}, "−"), math("mn", {}, number(-value, 4))] : number(value, 4));
const term = (value) => (value < 0 ? math("mrow", {}, math("mo", {}, "("), figure(value), math("mo", {}, ")")) : figure(value));
const name = (text) => math("mtext", {}, text);
const sign = (text) => math("mo", {}, text);
const result = (value) => math("mrow", { class: "lit" }, figure(value));
const call = (letter, of) => math("mrow", {}, letter, sign("("), name(of), sign(")"));
const letter = (text, below = null) => (below === null ? math("mi", {}, text) : math("msub", {}, math("mi", {}, text), below));
const between = (parts, text) => parts.flatMap((part, index) => (index ? [sign(text), part] : [part]));

function equation(left, ...sides) {
  return math("math", { display: "block", tabindex: 0 }, math("mrow", {}, between([left, ...sides], "=")));
}

function products(factors, values) {
  return math("mrow", {}, between(factors.map((factor, index) => math("mrow", {}, figure(factor), sign("×"), term(values[index]))), "+"));
}

// The moves from the root to a history, each a history itself.
export function way(walk, history) {
  const steps = [];
  for (let place = history; place.parent !== null; place = walk.histories[place.parent]) steps.unshift(place);
  return steps;
}

const moverBefore = (walk, history) => walk.histories[history.parent].mover;
const text = (path) => path.replaceAll("~", " ");

function inside(walk, update) {
  return walk.histories.filter((history) => history.infoset === update.infoset);
}

function deal(walk, update) {
  return inside(walk, update).map((history) => {
    const chances = way(walk, history).filter((step) => moverBefore(walk, step) === -1);
    const sides = chances.length ? math("mrow", {}, between(chances.map((step) => result(step.shares[update.player])), "×")) : figure(1);
    return equation(call(letter("c"), text(history.path)), sides);
  });
}

function reach(walk, update) {
  const player = update.player;
  const lines = inside(walk, update).map((history) => {
    const others = way(walk, history).filter((step) => moverBefore(walk, step) !== player);
    const factors = math("mrow", {}, between(others.map((step) => figure(step.shares[player])), "×"));
    const left = call(letter("π", math("mrow", {}, sign("−"), math("mn", {}, `${player}`))), text(history.path));
    return others.length > 1 ? equation(left, factors, result(history.others[player])) : equation(left, result(history.others[player]));
  });
  return [...lines, equation(call(letter("π", math("mn", {}, `${player}`)), update.infoset), result(update.own_reach))];
}

function values(walk, update) {
  const lines = update.actions.map((action) => equation(call(letter("v"), action.action), products(update.reach, action.history_values), result(action.value)));
  const mean = products(update.actions.map((action) => action.probability), update.actions.map((action) => action.value));
  return [...lines, equation(letter("v"), mean, result(update.value))];
}

function regrets(walk, update) {
  return update.actions.flatMap((action) => {
    const sum = math("mrow", {}, figure(action.before), sign("+"), term(action.regret));
    const scaled = action.factor === 1 ? sum : math("mrow", {}, figure(action.factor), sign("×"), sign("("), sum, sign(")"));
    const side = update.rule.clip ? math("mrow", {}, math("mi", {}, "max"), sign("("), scaled, sign(","), math("mn", {}, "0"), sign(")")) : scaled;
    const times = walk.times === 1 ? [] : [equation(math("mrow", {}, math("mn", {}, `${walk.times}`), sign("×"), call(letter("r"), action.action)), result(action.scaled))];
    return [equation(call(letter("r"), action.action), math("mrow", {}, figure(action.value), sign("−"), term(update.value)), result(action.regret)),
      ...times, equation(call(letter("R"), action.action), side, result(action.after))];
  });
}

function fraction(left, above, below, value) {
  return equation(left, math("mfrac", {}, figure(above), figure(below)), result(value));
}

function strategy(walk, update) {
  const predicted = update.rule.prediction ? update.actions.map((action) => equation(call(math("msup", {}, letter("R"), sign("′")), action.action),
    math("mrow", {}, figure(action.after), sign("+"), figure(update.rule.prediction), sign("×"), term(action.prediction)), result(action.matched))) : [];
  if (update.positive <= 0) return [...predicted, h("p", {}, t("step.noPositive", { n: update.actions.length }))];
  return [...predicted, ...update.actions.map((action) => fraction(call(letter("σ"), action.action), action.positive, update.positive, action.next))];
}

function average(walk, update) {
  const { weight, decay } = update.rule;
  const sums = update.actions.map((action) => {
    const old = decay === 1 ? figure(action.sum_before) : math("mrow", {}, figure(decay), sign("×"), figure(action.sum_before));
    const added = between([weight, update.own_reach, action.averaged].map(figure), "×");
    return equation(call(letter("S"), action.action), math("mrow", {}, old, sign("+"), added), result(action.sum));
  });
  if (update.total <= 0) return [...sums, h("p", {}, t("step.noSum", { n: update.actions.length }))];
  const shares = update.actions.map((action) => fraction(call(math("mover", {}, letter("σ"), sign("¯")), action.action), action.sum, update.total, action.average));
  return [...sums, ...shares];
}

export const FORMULAS = { deal, reach, values, regrets, strategy, average };
