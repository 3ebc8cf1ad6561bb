// Charts of lines with logarithmic or linear axes. Colours and dashes are those of all figures of tefuda.
import { h, svg, table } from "./dom.js";
import { number, t } from "./words.js";

const WIDTHS = [300, 720];
const HEIGHT = 360;
const LEFT = 64;
const TOP = 16;
const BOTTOM = 44;
const LETTER = 7.5; // width of a letter of a line's name

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
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) {
    ticks.push(Number(value.toPrecision(12)));
  }
  return ticks;
}

// The label of a tick: powers of ten if it is very small or large.
function tickText(value) {
  const short = value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e5);
  return short ? number(value, 3) : value.toExponential().replace("e+", "e");
}

function axes(x, y, labels, right) {
  const grid = [];
  for (const value of y.ticks) {
    grid.push(svg("line", { class: "grid", x1: LEFT, x2: right, y1: y.place(value), y2: y.place(value) }));
    const label = { class: "tick", x: LEFT - 6, y: y.place(value) + 4, "text-anchor": "end" };
    grid.push(svg("text", label, tickText(value)));
  }
  const sparse = Math.ceil((x.ticks.length * 48) / (right - LEFT)); // ticks without overlapping labels
  for (const [index, value] of x.ticks.entries()) {
    const place = x.place(value);
    grid.push(svg("line", { class: "grid", x1: place, x2: place, y1: TOP, y2: HEIGHT - BOTTOM }));
    if (index % sparse) continue;
    const label = { class: "tick", x: place, y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" };
    grid.push(svg("text", label, tickText(value)));
  }
  const middle = (TOP + HEIGHT - BOTTOM) / 2;
  const below = { class: "label", x: (LEFT + right) / 2, y: HEIGHT - 6, "text-anchor": "middle" };
  grid.push(svg("text", below, labels[0]));
  const turned = { x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` };
  grid.push(svg("text", { class: "label", ...turned }, labels[1]));
  return grid;
}

function drawn(line, index, x, y) {
  const on = (value, axis) => Number.isFinite(value) && (axis.low <= 0 || value > 0);
  const fits = ([a, b]) => on(a, x) && on(b, y);
  const usable = line.points.filter(fits);
  const at = (a, b) => `${x.place(a).toFixed(1)} ${y.place(b).toFixed(1)}`;
  const path = usable.map(([a, b], step) => `${step ? "L" : "M"}${at(a, b)}`).join("");
  const parts = [];
  const band = (line.band ?? []).filter(([a, low, high]) => fits([a, low]) && fits([a, high]));
  if (band.length) {
    const edge = (column) => band.map((row) => at(row[0], row[column]));
    const outline = `M${[...edge(1), ...edge(2).reverse()].join("L")}Z`;
    parts.push(svg("path", { class: `band line-${index % 7}`, d: outline }));
  }
  parts.push(svg("path", { class: `line line-${index % 7}`, d: path }));
  const dots = line.marks ? usable : usable.length === 1 ? usable : [];
  const dot = ([a, b]) => svg("circle", { class: `dot line-${index % 7}`, cx: x.place(a), cy: y.place(b), r: 4 });
  parts.push(dots.map(dot));
  return { parts, end: usable.length ? usable.at(-1) : null };
}

// Names at the ends of their lines, at least 15 apart.
function nameTexts(shapes, lines, x, y) {
  const ends = shapes.map(({ end }, index) => ({ end, index })).filter(({ end }) => end);
  ends.sort((a, b) => y.place(a.end[1]) - y.place(b.end[1]));
  let last = -Infinity;
  return ends.map(({ end, index }) => {
    last = Math.max(y.place(end[1]) + 4, last + 15);
    return svg("text", { class: `name line-${index % 7}`, x: x.place(end[0]) + 6, y: last }, lines[index].name);
  });
}

function picture(lines, levels, scales, labels, width) {
  const names = lines.map((line) => line.name);
  const right = width - 14 - LETTER * Math.min(16, Math.max(0, ...names.map((name) => name.length)));
  const bands = lines.flatMap((line) => line.band ?? []).flatMap(([, low, high]) => [low, high]);
  const points = lines.flatMap((line) => line.points);
  const x = scale(points.map((point) => point[0]), scales[0], LEFT, right);
  const heights = [...points.map((point) => point[1]), ...bands, ...Object.values(levels)];
  const y = scale(heights, scales[1], HEIGHT - BOTTOM, TOP);
  const shapes = lines.map((line, index) => drawn(line, index, x, y));
  const horizontals = Object.entries(levels).flatMap(([name, value]) => [
    svg("line", { class: "level", x1: LEFT, x2: right, y1: y.place(value), y2: y.place(value) }),
    svg("text", { class: "tick", x: LEFT + 4, y: y.place(value) - 4 }, name),
  ]);
  const drawings = shapes.flatMap(({ parts }) => parts.flat());
  return [...axes(x, y, labels, right), ...horizontals, ...drawings, ...nameTexts(shapes, lines, x, y)];
}

// A chart as {element, update(lines, levels)}.
// Lines: {name, points: [[x, y]], band: [[x, low, high]], marks}; levels: {name: y}.
export function chart({ title, labels, scales = ["log", "log"], levels = {} }) {
  const drawing = svg("svg", { class: "chart", role: "img", "aria-label": title });
  const twin = h("div", {});
  const element = h("figure", {}, drawing, h("details", { class: "twin" }, h("summary", {}, t("as table")), twin));
  let shown = [[], levels];
  const draw = () => {
    const width = Math.min(WIDTHS[1], Math.max(WIDTHS[0], element.clientWidth || WIDTHS[1]));
    drawing.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    drawing.replaceChildren(...picture(...shown, scales, labels, width));
  };
  const update = (lines, horizontals = levels) => {
    shown = [lines, horizontals];
    draw();
    const banded = lines.some((line) => line.band?.length);
    const ends = (line, index) => (line.band?.[index] ?? [0, null, null]).slice(1).map((end) => number(end, 4));
    const row = (line) => ([a, b], index) => [line.name, number(a), number(b, 4), ...(banded ? ends(line, index) : [])];
    const rows = lines.flatMap((line) => line.points.map(row(line)));
    const head = [t("line"), ...labels, ...(banded ? [t("low"), t("high")] : [])];
    twin.replaceChildren(table(head, rows, { "aria-label": title }));
  };
  let width = 0;
  new ResizeObserver(() => {
    if (element.clientWidth !== width) draw();
    width = element.clientWidth;
  }).observe(element);
  return { element, update };
}
