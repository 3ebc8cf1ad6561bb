// A small game drawn as a tree: chance and players' histories, ends, and infosets as dotted lines.
import { svg } from "./dom.js";

const WIDE = 40;
const HIGH = 84;
const EDGE = 22;

// The position of every history: ends side by side, others above the middle of their children.
function layout(histories) {
  const children = histories.map(() => []);
  histories.forEach((history, index) => history.parent !== null && children[history.parent].push(index));
  const places = histories.map(() => ({ x: 0, y: 0 }));
  let ends = 0;
  const visit = (index, depth) => {
    for (const child of children[index]) visit(child, depth + 1);
    const inside = children[index];
    places[index].y = 28 + depth * HIGH;
    places[index].x = inside.length ? (places[inside[0]].x + places[inside.at(-1)].x) / 2 : EDGE + WIDE * ends++;
  };
  visit(0, 0);
  return { places, width: Math.max(ends * WIDE + 2 * EDGE - WIDE, 320), height: Math.max(...places.map(({ y }) => y)) + 36 };
}

function dotted(histories, places, chosen) {
  const groups = Map.groupBy(histories.keys(), (index) => histories[index].infoset);
  groups.delete(null);
  return [...groups].flatMap(([name, indices], order) => indices.slice(1).map((index, place) => {
    const [a, b] = [places[indices[place]], places[index]];
    const bend = b.y === a.y ? 18 + (order % 3) * 7 : 0;
    const d = `M${a.x} ${a.y}Q${(a.x + b.x) / 2} ${Math.max(a.y, b.y) + bend} ${b.x} ${b.y}`;
    return svg("path", { class: `infoset${name === chosen ? " chosen" : ""}`, d });
  }));
}

function shape(history, { x, y }) {
  if (history.mover === -2) return svg("rect", { class: "end", x: x - 3, y: y - 3, width: 6, height: 6 });
  if (history.mover === -1) return svg("path", { class: "chance", d: `M${x} ${y - 11}L${x + 11} ${y}L${x} ${y + 11}L${x - 11} ${y}Z` });
  return [svg("circle", { class: `mover mover-${history.mover % 2}`, cx: x, cy: y, r: 10 }),
    svg("text", { class: "mover-name", x, y: y + 4, "text-anchor": "middle" }, `${history.mover}`)];
}

// Draw histories. numbers(history) gives {node, edge, litNode, litEdge}: texts beside a history and its last move.
export function gameTree({ histories, title, numbers, infoset = null, here = [], pick }) {
  const { places, width, height } = layout(histories);
  const edges = [];
  const nodes = histories.map((history, index) => {
    const [place, text] = [places[index], numbers(history)];
    if (history.parent !== null) {
      const from = places[history.parent];
      const part = Math.abs(place.x - from.x) <= WIDE ? 0.8 : 0.62; // low moves are close together
      const [x, y] = [from.x + (place.x - from.x) * part, from.y + (place.y - from.y) * 0.62];
      const lit = text.litEdge ? " lit" : "";
      edges.push(svg("line", { class: `edge${lit}`, x1: from.x, y1: from.y, x2: place.x, y2: place.y }),
        svg("text", { class: `move${lit}`, x, y: y - (text.edge ? 5 : 0), "text-anchor": "middle" }, history.label),
        text.edge && svg("text", { class: `figure${lit}`, x, y: y + 8, "text-anchor": "middle" }, text.edge));
    }
    const classes = ["node", here.includes(history.path) && "here", history.infoset !== null && history.infoset === infoset && "chosen"];
    return svg("g", { class: classes.filter(Boolean).join(" "), onclick: () => pick(history) }, svg("circle", { class: "target", cx: place.x, cy: place.y, r: 16 }),
      shape(history, place), text.node && svg("text", {
        class: `figure${text.litNode ? " lit" : ""}`, x: place.x, y: place.y + (history.mover === -2 ? 17 : 22), "text-anchor": "middle" }, text.node));
  });
  return svg("svg", { class: "game-tree", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title },
    dotted(histories, places, infoset), edges.filter(Boolean), nodes);
}
