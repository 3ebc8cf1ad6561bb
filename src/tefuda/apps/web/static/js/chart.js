// Charts of lines with logarithmic or linear axes. Colours and dashes are those of all figures of tefuda.
import { h, svg, table } from "./dom.js";
import { number, t } from "./words.js";

const WIDTH = 640;
const HEIGHT = 360;
const LEFT = 64;
const RIGHT = 120;
const TOP = 16;
const BOTTOM = 44;

// A scale from values to positions: {low, high, ticks, place(value)}.
export function scale(values, kind, start, end) {
  const usable = values.filter((value) => Number.isFinite(value) && (kind !== "log" || value > 0));
  let low = usable.length ? Math.min(...usable) : kind === "log" ? 1 : 0;
  let high = usable.length ? Math.max(...usable) : 1;
  if (kind === "log") {
    low = 10 ** Math.floor(Math.log10(low) + 1e-9);
    high = 10 ** Math.ceil(Math.log10(high) - 1e-9);
    if (low === high) high *= 10;
  } else if (low === high) {
    [low, high] = [low - 1, high + 1];
  }
  const inner = (value) => (kind === "log" ? Math.log10(value) : value);
  const place = (value) => start + ((inner(value) - inner(low)) / (inner(high) - inner(low))) * (end - start);
  return { low, high, place, ticks: kind === "log" ? decades(low, high) : steps(low, high) };
}

function decades(low, high) {
  const first = Math.round(Math.log10(low));
  const count = Math.round(Math.log10(high)) - first;
  const step = Math.max(1, Math.ceil(count / 6));
  return Array.from({ length: Math.floor(count / step) + 1 }, (_, index) => 10 ** (first + index * step));
}

export function steps(low, high) {
  const rough = (high - low) / 5;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((size) => size >= rough);
  const ticks = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) ticks.push(Number(value.toPrecision(12)));
  return ticks;
}

function axes(x, y, labels) {
  const grid = [];
  for (const value of y.ticks) {
    grid.push(svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y.place(value), y2: y.place(value) }));
    grid.push(svg("text", { class: "tick", x: LEFT - 6, y: y.place(value) + 4, "text-anchor": "end" }, number(value, 3)));
  }
  for (const value of x.ticks) {
    grid.push(svg("line", { class: "grid", x1: x.place(value), x2: x.place(value), y1: TOP, y2: HEIGHT - BOTTOM }));
    grid.push(svg("text", { class: "tick", x: x.place(value), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, number(value, 3)));
  }
  const middle = (TOP + HEIGHT - BOTTOM) / 2;
  grid.push(svg("text", { class: "label", x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, labels[0]));
  grid.push(svg("text", { class: "label", x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` }, labels[1]));
  return grid;
}

function drawn(line, index, x, y) {
  const usable = line.points.filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b) && (x.low <= 0 || a > 0) && (y.low <= 0 || b > 0));
  const path = usable.map(([a, b], step) => `${step ? "L" : "M"}${x.place(a).toFixed(1)} ${y.place(b).toFixed(1)}`).join("");
  const parts = [];
  if (line.band?.length) {
    const edge = (column) => line.band.map((row) => `${x.place(row[0]).toFixed(1)} ${y.place(row[column]).toFixed(1)}`);
    parts.push(svg("path", { class: `band line-${index % 7}`, d: `M${[...edge(1), ...edge(2).reverse()].join("L")}Z` }));
  }
  parts.push(svg("path", { class: `line line-${index % 7}`, d: path }));
  if (line.marks) parts.push(usable.map(([a, b]) => svg("circle", { class: `dot line-${index % 7}`, cx: x.place(a), cy: y.place(b), r: 4 })));
  return { parts, end: usable.length ? usable.at(-1) : null };
}

// A chart as {element, update(lines)}. Lines: {name, points: [[x, y]], band: [[x, low, high]], marks}; levels: {name: y}.
export function chart({ title, labels, scales = ["log", "log"], levels = {} }) {
  const picture = svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title });
  const twin = h("div", {});
  const element = h("figure", {}, picture, h("details", { class: "twin" }, h("summary", {}, t("as table")), twin));
  const update = (lines) => {
    const all = lines.flatMap((line) => line.points);
    const x = scale(all.map((point) => point[0]), scales[0], LEFT, WIDTH - RIGHT);
    const y = scale([...all.map((point) => point[1]), ...Object.values(levels)], scales[1], HEIGHT - BOTTOM, TOP);
    const shapes = lines.map((line, index) => drawn(line, index, x, y));
    const ends = shapes.map(({ end }, index) => ({ end, index })).filter(({ end }) => end);
    ends.sort((a, b) => y.place(a.end[1]) - y.place(b.end[1]));
    let last = -Infinity;
    const names = ends.map(({ end, index }) => {
      last = Math.max(y.place(end[1]) + 4, last + 15);
      return svg("text", { class: `name line-${index % 7}`, x: x.place(end[0]) + 6, y: last }, lines[index].name);
    });
    const horizontals = Object.entries(levels).map(([name, value]) => [
      svg("line", { class: "level", x1: LEFT, x2: WIDTH - RIGHT, y1: y.place(value), y2: y.place(value) }),
      svg("text", { class: "tick", x: WIDTH - RIGHT + 4, y: y.place(value) + 4 }, name),
    ]);
    picture.replaceChildren(...axes(x, y, labels), ...horizontals.flat(), ...shapes.flatMap(({ parts }) => parts.flat()), ...names);
    const rows = lines.flatMap((line) => line.points.map(([a, b]) => [line.name, number(a), number(b, 4)]));
    twin.replaceChildren(table([t("line"), ...labels], rows, { "aria-label": title }));
  };
  return { element, update };
}
