// Scales of charts: values to places from 0 to 1,000, with ticks.
import { number } from "./words.js";

export const SIZE = 1000;
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

const raised = (power) => `${power < 0 ? "⁻" : ""}${[...`${Math.abs(power)}`].map((digit) => SUPERSCRIPTS[digit]).join("")}`;

// A power of ten as the label of a tick.
const powerText = (power) => (power >= -2 && power <= 3 ? number(10 ** power) : `10${raised(power)}`);

function scaleOf(low, high, inner, marks, has) {
  const place = (value) => (SIZE * (inner(value) - low)) / (high - low);
  return { place, has, ticks: marks.map(([value, text]) => [(SIZE * (value - low)) / (high - low), text]),
    value: (at) => low + (at / SIZE) * (high - low), inner };
}

// A logarithmic scale of whole decades; of `exact` limits where it is zoomed.
function decades(low, high, isExact) {
  const [first, last] = [Math.floor(low + 1e-9), Math.max(Math.ceil(high - 1e-9), Math.floor(low + 1e-9) + 1)];
  const [from, to] = isExact ? [low, high] : [first, last];
  const all = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const marks = all.filter((power) => power >= from && power <= to).map((power) => [power, powerText(power)]);
  return scaleOf(from, to, Math.log10, marks.length > 1 ? marks
    : [from, to].map((power) => [power, number(10 ** power, 3)]), (value) => Number.isFinite(value) && value > 0);
}

// A linear scale with five to ten round ticks.
function linear(low, high) {
  const width = Math.max(high - low, 1e-9);
  const least = 10 ** Math.floor(Math.log10(width / 2));
  const step = least * (([1, 2, 5].find((times) => width / (least * times) <= 8)) ?? 5);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor((low + width) / step + 1e-9) - first + 1;
  const marks = Array.from({ length: count }, (_, index) => step * (first + index));
  return scaleOf(low, low + width, (value) => value, marks.map((mark) => [mark, number(mark, 4)]), Number.isFinite);
}

// The scale of an axis with room for values; limits, if any, are those of a zoomed axis.
export function scale(values, kind, limits = null) {
  const isLog = kind === "log";
  const usable = values.filter((value) => Number.isFinite(value) && (!isLog || value > 0));
  const [low, high] = limits ?? (usable.length ? [Math.min(...usable), Math.max(...usable)] : [1, 1]);
  if (isLog) return decades(Math.log10(low), Math.log10(high), limits !== null);
  return low < high ? linear(low, high) : linear(low - 1, high + 1);
}

// Places at least `gap` apart, in their order and moved as little as possible.
export function spread(places, gap) {
  const order = places.map((_, index) => index).sort((one, other) => places[one] - places[other]);
  const blocks = [];
  order.forEach((index, rank) => {
    let block = { total: places[index] - rank * gap, size: 1 };
    while (blocks.length && blocks.at(-1).total / blocks.at(-1).size > block.total / block.size) {
      const { total, size } = blocks.pop();
      block = { total: block.total + total, size: block.size + size };
    }
    blocks.push(block);
  });
  const starts = blocks.flatMap(({ total, size }) => Array(size).fill(total / size));
  const moved = [];
  order.forEach((index, rank) => { moved[index] = starts[rank] + rank * gap; });
  return moved;
}
