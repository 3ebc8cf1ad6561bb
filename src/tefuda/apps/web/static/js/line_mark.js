// A piece of the line of a chart, with its colour and pattern.
import { svg } from "./dom.js";

const KINDS = 7;

export const lineMark = (index) => svg("svg", { class: "line-mark", viewBox: "0 0 24 4", "aria-hidden": "true" },
  svg("path", { class: `line-${index % KINDS}`, d: "M0 2H24" }));
