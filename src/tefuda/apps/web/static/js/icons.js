// Icons as lines in the colour of the text.
import { svg } from "./dom.js";

const PATHS = {
  menu: "M3 5h14M3 10h14M3 15h14",
  plus: "M10 4v12M4 10h12",
  close: "M5 5l10 10M15 5L5 15",
  theme: "M10 2.5a7.5 7.5 0 1 0 0 15a7.5 7.5 0 1 0 0-15M10 2.5v15",
  search: "M8.5 3a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M12.5 12.5L17 17",
  play: "M6 4l10 6l-10 6z",
  pause: "M7 4v12M13 4v12",
  solve: "M3 16C8 16 7 5 17 4M3 3v14h14",
  explore: "M5 17V9a4 4 0 0 1 4-4h7M13 2l3 3l-3 3M5 11h7",
  exploit: "M5 18V3h10l-3 4l3 4H5",
  hands: "M3 6l6-2l4 11l-6 2zM11 4h6v12h-3.5",
  filter: "M3 4h14l-5.5 6v6l-3-2v-4z",
  runs: "M3 5h1M3 10h1M3 15h1M7 5h10M7 10h10M7 15h10",
  yaku: "M7 5h10M7 10h10M7 15h10M3 5h1M3 10h1M3 15h1",
  coach: "M10 2a5 5 0 0 1 3 9c-1 .8-1 1.5-1 2H8c0-.5 0-1.2-1-2a5 5 0 0 1 3-9M8 16h4M9 18h2",
  moves: "M4 8h9a4 4 0 0 1 0 8H8M7 4.5L3.5 8L7 11.5",
  rules: "M4 4h5a2 2 0 0 1 2 2v11a2 2 0 0 0-2-2H4zM11 6a2 2 0 0 1 2-2h3v11h-3a2 2 0 0 0-2 2",
  undo: "M4 8h9a4 4 0 0 1 0 8H8M7 4.5L3.5 8L7 11.5",
  first: "M5 4v12M15 4l-7 6l7 6",
  back: "M13 4l-7 6l7 6",
  next: "M7 4l7 6l-7 6",
  last: "M15 4v12M5 4l7 6l-7 6",
  pause: "M7 4v12M13 4v12",
  copy: "M7 7h9v10H7zM4 13V3h9",
  save: "M4 4h10l2 2v10H4zM7 4v4h6V4M7 16v-5h6v5",
  learn: "M4 4h5a2 2 0 0 1 2 2v11a2 2 0 0 0-2-2H4zM11 6a2 2 0 0 1 2-2h3v11h-3a2 2 0 0 0-2 2",
};

// The mark of the brand: two cards, as in icon.svg, which the browser loads for the tab.
export const brandMark = () => svg("svg", { viewBox: "0 0 32 32", width: 24, height: 24, "aria-hidden": "true" },
  svg("g", { stroke: "#1b1d21", "stroke-width": 1.5, fill: "#fbfaf7" },
    svg("rect", { x: 5, y: 7, width: 13, height: 19, rx: 2, transform: "rotate(-14 11 16)" }),
    svg("rect", { x: 13, y: 6, width: 13, height: 19, rx: 2, transform: "rotate(10 20 16)" })),
  svg("circle", { cx: 20, cy: 15.5, r: 3.6, fill: "#d55e00" }));

export const icon = (name) => svg("svg", { class: "icon", viewBox: "0 0 20 20", width: 20, height: 20,
  "aria-hidden": "true" }, svg("path", { d: PATHS[name] }));
