// A small game drawn as a tree: chance and players' histories, ends, and infosets as dotted lines.
import { svg } from "./dom.js";
import { treeLayout } from "./tree_layout.js";

const SIZES = { wide: 40, high: 84, edge: 22, top: 28, bottom: 36 };

function dotted(histories, places) {
  const groups = Map.groupBy(histories.keys(), (index) => histories[index].infoset);
  groups.delete(null);
  return [...groups.values()].flatMap((indices, order) => indices.slice(1).map((index, place) => {
    const [a, b] = [places[indices[place]], places[index]];
    const bend = b.y === a.y ? 18 + (order % 3) * 7 : 0;
    const d = `M${a.x} ${a.y}Q${(a.x + b.x) / 2} ${Math.max(a.y, b.y) + bend} ${b.x} ${b.y}`;
    return svg("path", { class: `infoset${histories[index].chosen ? " chosen" : ""}`, d });
  }));
}

const text = (kind, lit, x, y, content) =>
  svg("text", { class: `${kind}${lit ? " lit" : ""}`, x, y, "text-anchor": "middle" }, content);

function shape({ mover }, x, y) {
  if (mover === -2) return svg("rect", { class: "end", x: x - 3, y: y - 3, width: 6, height: 6 });
  if (mover === -1) return svg("path", { class: "chance", d: `M${x} ${y - 11}l11 11l-11 11l-11 -11Z` });
  return [svg("circle", { class: `mover mover-${mover % 2}`, cx: x, cy: y, r: 10 }),
    text("mover-name", false, x, y + 4, mover)];
}

function edge(history, place, from) {
  const part = Math.abs(place.x - from.x) <= SIZES.wide ? 0.8 : 0.62; // low moves are close together
  const [x, y] = [from.x + (place.x - from.x) * part, from.y + (place.y - from.y) * 0.62];
  const ends = { x1: from.x, y1: from.y, x2: place.x, y2: place.y };
  return [svg("line", { class: `edge${history.litEdge ? " lit" : ""}`, ...ends }),
    text("move", history.litEdge, x, y - (history.edge ? 5 : 0), history.label),
    history.edge && text("figure", history.litEdge, x, y + 8, history.edge)];
}

// Draw histories: {parent, label, mover, infoset}, the texts `node` and `edge` beside a history and its last move with
// `litNode` and `litEdge`, and what is `here` and `chosen`.
export function gameTree(title, histories, pick) {
  const { places, width, height } = treeLayout(histories, SIZES);
  const node = (history, index) => {
    const { x, y } = places[index];
    const classes = ["node", history.here && "here", history.chosen && "chosen"].filter(Boolean).join(" ");
    return svg("g", { class: classes, onclick: () => pick(history) },
      svg("circle", { class: "target", cx: x, cy: y, r: 16 }), shape(history, x, y),
      history.node && text("figure", history.litNode, x, y + (history.mover === -2 ? 17 : 22), history.node));
  };
  const edges = histories.map((history, index) =>
    (history.parent === null ? [] : edge(history, places[index], places[history.parent])));
  const size = { viewBox: `0 0 ${width} ${height}`, width, height };
  return svg("svg", { class: "game-tree", role: "img", "aria-label": title, ...size },
    dotted(histories, places), edges, histories.map(node));
}
