// The graph of a hand: a line of the expected result, dots for own decisions, bars for their cost.
import { h, svg } from "../dom.js";
import { number, signed, t } from "../words.js";

const [TOP, ZERO, BARS, HEIGHT] = [14, 96, 132, 150]; // line, line at the bottom, foot of the bars, all
const LEFT = 52;
const LABELLED = 3; // dearest decisions whose cost is written

export const isMistake = ({ advice }) => ["slip", "blunder"].includes(advice?.verdict);
const valueOf = ({ advice, value }) => advice?.actions[advice.chosen]?.value ?? value ?? null;

// The graph of steps, of which the last is the end. `at` is the shown one, from 0; choose(place) is called.
export function reviewGraph(steps, result, at, choose) {
  const width = innerWidth > 760 ? 1200 : 400;
  const across = (place) => LEFT + ((width - LEFT - 40) * place) / Math.max(1, steps.length - 1);
  const points = steps.map((step, place) => [place, place === steps.length - 1 ? result : valueOf(step)])
    .filter(([, value]) => value !== null);
  const values = points.map(([, value]) => value);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const up = (value) => ZERO - ((ZERO - TOP) * (value - low)) / (high - low || 1);
  const line = points.map(([place, value]) => `${across(place)},${up(value)}`).join(" L");
  const edge = `L${across(points.at(-1)[0])},${up(0)} L${across(points[0][0])},${up(0)} Z`;
  const most = Math.max(...steps.map(({ advice }) => advice?.cost ?? 0), 1e-9);
  const level = (value) => [svg("path", { class: "grid", d: `M${LEFT},${up(value)} H${width - 20}` }),
    svg("text", { x: LEFT - 8, y: up(value) + 4, "text-anchor": "end" }, signed(value, 3))];
  const levels = [...new Set([low, 0, high])].filter((value) => value === 0 || Math.abs(up(value) - up(0)) > 14);
  const dearest = steps.filter(isMistake).sort((a, b) => b.advice.cost - a.advice.cost).slice(0, LABELLED);
  const bar = (step, place) => {
    if (!step.advice || step.advice.cost === null) return null;
    const height = Math.max(2, (22 * step.advice.cost) / most);
    return [svg("rect", { class: step.advice.verdict, x: across(place) - 6, y: BARS - height, width: 12, height }),
      dearest.includes(step) && svg("text", { class: "cost", x: across(place) + 10, y: BARS - 2 }, signed(-step.advice.cost, 3))];
  };
  const dot = ([place, value]) => steps[place].advice &&
    svg("circle", { class: steps[place].advice.verdict, cx: across(place), cy: up(value), r: place === at ? 6 : 4.5 });
  const every = Math.ceil(steps.length / (width > 760 ? 24 : 9));
  const numbers = steps.map((_, place) => place % every === 0 && place < steps.length - 1 &&
    svg("text", { x: across(place), y: HEIGHT - 2, "text-anchor": "middle" }, number(place + 1)));
  const nearest = (event) => {
    const { left, width: shown } = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - left) / shown) * width;
    const place = Math.round(((x - LEFT) / (width - LEFT - 40)) * (steps.length - 1));
    choose(Math.min(Math.max(place, 0), steps.length - 1));
  };
  return h("div", { class: "review-graph" }, svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": t("review.graph"),
    onclick: nearest }, levels.map(level), svg("path", { class: "under", d: `M${line} ${edge}` }),
  svg("path", { class: "line", d: `M${line}` }), svg("path", { class: "at", d: `M${across(at)},6 V${BARS + 4}` }),
  points.map(dot), steps.map(bar), numbers));
}
