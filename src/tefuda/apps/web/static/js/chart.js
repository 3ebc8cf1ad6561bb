// Charts: lines with their values at the pointer or by arrows, zoom by dragging, scales and differences to the best.
import { fold, h, svg, table } from "./dom.js";
import { SIZE, scale, spread } from "./scale.js";
import { number, t } from "./words.js";

const GAP = 57; // between two names of lines, in thousandths of the height
const NARROWEST = 20; // thousandths of the width that a drag must cross to zoom
const KINDS = 7; // of lines
const per = (place) => `${place / 10}%`;
const round = (place) => Math.round(place * 10) / 10;

// A piece of the line of a chart, with its colour and pattern.
export const lineMark = (index) => svg("svg", { class: "line-mark", viewBox: "0 0 24 4", "aria-hidden": "true" },
  svg("path", { class: `line-${index % KINDS}`, d: "M0 2H24" }));

// The lines as they are shown: differences to the best line at each x where these are asked for.
function shownLines({ lines }, { difference }) {
  if (!difference) return lines;
  const best = (x) => Math.min(...lines.map((line) => valueAt(line, x)).filter(Number.isFinite));
  return lines.map((line) => ({ ...line, points: line.points.map(([x, y]) => [x, y - best(x)]) }));
}

// The value of a line at x: that of its last point before it.
function valueAt({ points }, x) {
  const index = points.findLastIndex((point) => point[0] <= x);
  return index < 0 ? NaN : points[index][1];
}

function scalesOf(message, lines, { zoom, scales: [, up] = [] }) {
  const [kind, usual] = message.scales;
  const rows = lines.flatMap((line) => line.points);
  const inside = zoom ? rows.filter(([x]) => x >= zoom[0] && x <= zoom[1]) : rows;
  const levels = message.levels.map(([, value]) => value);
  return [scale(rows.map(([x]) => x), kind, zoom),
    scale([...inside.flatMap((row) => row.slice(1)), ...levels], up ?? usual)];
}

function pathsOf(line, x, y, zoom) {
  const usable = line.points.filter(([at, ...values]) => x.has(at) && values.every(y.has)
    && (!zoom || (at >= zoom[0] && at <= zoom[1])));
  const place = (at, value) => `${round(x.place(at))} ${round(SIZE - y.place(value))}`;
  const path = usable.map(([at, value]) => place(at, value));
  const isBand = usable.some(([, , low, high]) => low !== high);
  const band = isBand ? [...usable.map(([at, , low]) => place(at, low)),
    ...usable.map(([at, , , high]) => place(at, high)).reverse()] : [];
  const joined = (parts) => (parts.length ? `M${parts.join("L")}` : "");
  const last = usable.at(-1);
  return { path: joined(path), band: isBand ? `${joined(band)}Z` : "",
    dots: line.marks || path.length === 1 ? path.map((each) => `M${each}h0`) : [],
    end: last && [x.place(last[0]), SIZE - y.place(last[1])] };
}

// The tip at x: the value of each line, the best first.
function tipRows(lines, x, name) {
  const known = lines.map((line, index) => ({ index, name: name(line.name), value: valueAt(line, x) }))
    .filter(({ value }) => Number.isFinite(value)).sort((one, other) => one.value - other.value);
  return known.map((each) => h("li", { class: `line-${each.index % 7}` }, h("span", {}, each.name || t("value")),
    h("b", {}, number(each.value, 4))));
}

// Make the plot of a message; `redraw()` is called when the state changes.
function plot(title, message, name, state, redraw) {
  const lines = shownLines(message, state);
  const [x, y] = scalesOf(message, lines, state);
  const drawn = lines.map((line) => pathsOf(line, x, y, state.zoom));
  const ends = drawn.map(({ end }, index) => end && { index, left: end[0], top: end[1] }).filter(Boolean);
  const tops = spread(ends.map(({ top }) => top), GAP);
  const path = (kind, d) => d && svg("path", { class: kind, d });
  const level = ([key, value]) => y.has(value) && [key, SIZE - y.place(value), value];
  const levels = message.levels.map(level).filter(Boolean);
  const text = (kind, left, top, content) => h("span", { class: kind, style: { left, top } }, content);
  const tip = h("div", { class: "tip", hidden: true });
  const mark = h("div", { class: "at", hidden: true });
  const picture = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, preserveAspectRatio: "none" },
    x.ticks.map(([at]) => path("grid", `M${at} 0V${SIZE}`)), y.ticks.map(([at]) => path("grid", `M0 ${SIZE - at}H${SIZE}`)),
    levels.map(([, top]) => path("level", `M0 ${top}H${SIZE}`)),
    drawn.map((line, index) => ["band", "path", "dots"].map((part) =>
      [line[part]].flat().map((d) => path(`${part} line-${index % 7}`, d)))));

  const xs = [...new Set(lines.flatMap((line) => line.points.map(([at]) => at)).filter(x.has))]
    .filter((at) => !state.zoom || (at >= state.zoom[0] && at <= state.zoom[1])).sort((one, other) => one - other);
  const show = (at) => {
    state.at = at;
    [tip.hidden, mark.hidden] = [at === null, at === null];
    if (at === null) return;
    const left = x.place(at);
    mark.style.left = per(left);
    Object.assign(tip.style, left > SIZE / 2 ? { right: per(SIZE - left), left: "" } : { left: per(left), right: "" });
    tip.replaceChildren(h("b", {}, number(at)), h("ul", { class: "list" }, tipRows(lines, at, name)));
  };
  const nearest = (place) => xs.reduce((best, at) =>
    (Math.abs(x.place(at) - place) < Math.abs(x.place(best) - place) ? at : best), xs[0] ?? null);
  const placeOf = (event) => {
    const { left, width } = area.getBoundingClientRect();
    return Math.min(Math.max((SIZE * (event.clientX - left)) / width, 0), SIZE);
  };
  const valueOf = (place) => (message.scales[0] === "log" ? 10 ** x.value(place) : x.value(place));
  let from = null;
  const selection = h("div", { class: "selection", hidden: true });
  const area = h("div", { class: "area", tabindex: 0, role: "img", "aria-label": title, "aria-roledescription": t("chart"),
    onpointerdown: (event) => { from = placeOf(event); },
    onpointermove: (event) => {
      const place = placeOf(event);
      if (xs.length) show(nearest(place));
      selection.hidden = from === null || Math.abs(place - from) < NARROWEST;
      if (!selection.hidden) {
        Object.assign(selection.style, { left: per(Math.min(place, from)), width: per(Math.abs(place - from)) });
      }
    },
    onpointerup: (event) => {
      const limits = [from, placeOf(event)].sort((one, other) => one - other);
      from = null;
      if (limits[1] - limits[0] < NARROWEST || event.pointerType === "touch") return;
      state.zoom = limits.map(valueOf);
      redraw();
    },
    onpointerleave: () => {
      from = null;
      selection.hidden = true;
      if (document.activeElement !== area) show(null);
    },
    onblur: () => show(null),
    ondblclick: () => {
      state.zoom = null;
      redraw();
    },
    onkeydown: (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.key === "Escape" && state.zoom) {
        state.zoom = null;
        redraw();
      } else if (step && xs.length) {
        const index = state.at === null || state.at === undefined ? (step > 0 ? -1 : xs.length) : xs.indexOf(state.at);
        show(xs[Math.min(Math.max(index + step, 0), xs.length - 1)]);
        event.preventDefault();
      }
    } }, picture, mark, selection);
  if (xs.includes(state.at)) show(state.at);
  return h("div", { class: "plot" }, area,
    ends.map(({ index, left }, order) => text(`name line-${index % 7}`, per(left), per(tops[order]), name(lines[index].name))),
    x.ticks.map(([at, label]) => text("across", per(at), null, label)),
    y.ticks.map(([at, label]) => text("up", null, per(SIZE - at), label)),
    levels.map(([key, top, value]) => text("over", null, per(top), `${t(key)} ${number(value, 3)}`)), tip);
}

// Buttons of scale and difference, where they mean something.
function controls(message, state, redraw) {
  const positive = message.lines.every((line) => line.points.every((point) => point.slice(1).every((value) => value > 0)));
  const kind = state.scales?.[1] ?? message.scales[1];
  const button = (text, isOn, change) => h("button", { type: "button", "aria-pressed": `${isOn}`, onclick: () => {
    change();
    redraw();
  } }, t(text));
  const scales = positive && !state.difference && h("div", { class: "choice" }, ["log", "linear"].map((each) =>
    button(`chart.${each}`, kind === each, () => { state.scales = [null, each]; })));
  const difference = message.lines.length > 1 && button("chart.difference", Boolean(state.difference), () => {
    state.difference = !state.difference;
    state.scales = state.difference ? [null, "linear"] : null;
  });
  const whole = state.zoom && button("chart.whole", false, () => { state.zoom = null; });
  return h("div", { class: "row chart-controls" }, state.before?.(), scales, difference, whole);
}

// A chart of a message with its twin as a table. `name` turns the names of lines into words; `state` outlives a redraw;
// its function `before`, if any, makes the first of the controls.
export function chart(title, message, name = (text) => text, state = null) {
  const own = state ?? {};
  const labels = message.labels.map((keys) => keys.map((key) => t(key)).join(", "));
  const place = h("div", {});
  const redraw = () => place.replaceChildren(h("div", { class: "row chart-top" }, h("p", {}, labels[1]),
    state && controls(message, own, redraw)), plot(title, message, name, own, redraw), h("p", {}, labels[0]));
  redraw();
  const hasBand = (line) => line.points.some(([, , low, high]) => low !== high);
  const rows = message.lines.flatMap((line) => line.points.map((point) =>
    [name(line.name), number(point[0]), ...(hasBand(line) ? point.slice(1) : [point[1]]).map((value) => number(value, 4))]));
  const head = [t("line"), ...labels, t("low"), t("high")].slice(0, Math.max(3, ...rows.map((row) => row.length)));
  return h("figure", { class: "chart" }, place,
    fold(t("as table"), { class: "twin" }, table(head, rows, { "aria-label": title })));
}
