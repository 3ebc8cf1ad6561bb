// A small game drawn whole: deals side by side, moves as wide as they are likely, infosets dotted, payoffs at the ends.
import { svg } from "./dom.js";
import { treeLayout } from "./tree_layout.js";
import { say, signed, t } from "./words.js";

const SIZES = { wide: 37, high: 96, edge: 30, top: 24, bottom: 30 };
const WIDEST = 9; // of a move

const text = (kind, x, y, content) => svg("text", { class: kind, x, y, "text-anchor": "middle" }, content);

// The move to a node: curved from chance, straight from a player.
function move({ name, kind, share }, place, from, isChance) {
  if (isChance) {
    const middle = from.y + 40;
    return [svg("path", { class: "deal", d: `M${from.x} ${from.y}C${from.x} ${middle} ${place.x} ${middle - 10} ${place.x} ${place.y}` }),
      name && text("move", place.x, place.y - 22, say(name))];
  }
  const [x, y] = [from.x + (place.x - from.x) * 0.62, from.y + (place.y - from.y) * 0.55];
  const side = place.x < from.x ? -12 : place.x > from.x ? 12 : 10;
  return [svg("line", { class: `edge action action-${kind.replaceAll(" ", "-")}${share < 0.0005 ? " never" : ""}`, x1: from.x, y1: from.y,
    x2: place.x, y2: place.y, "stroke-width": Math.max(WIDEST * share, 1) }, svg("title", {}, say(name ?? ""))),
  text("share", x + side, y, `${Math.round(100 * share)}`)];
}

function dotted(nodes, places) {
  const groups = Map.groupBy(nodes.keys(), (index) => nodes[index].infoset);
  groups.delete(null);
  return [...groups].flatMap(([infoset, indices]) => indices.slice(1).map((index, rank) => {
    const [a, b] = [places[indices[rank]], places[index]];
    const bend = b.x - a.x > 6 * SIZES.wide ? 30 : 0;
    return svg("path", { class: "same", "data-infoset": infoset, d: `M${a.x} ${a.y}Q${(a.x + b.x) / 2} ${(a.y + b.y) / 2 + bend} ${b.x} ${b.y}` });
  }));
}

// What a player holds, as short as the name of the infoset has it; nothing if it is unknown.
const handText = (infoset, hand) => infoset?.match(/^\d+: ([^|~]{1,4})(\||$)/)?.[1] ?? (hand ? say(hand).slice(0, 4) : "");

function shape({ mover, hand, infoset, values }, x, y) {
  if (mover === -2) return text(`payoff ${values?.[0] > 0 ? "good" : values?.[0] < 0 ? "wrong" : ""}`, x, y + 12, signed(values?.[0], 2));
  if (mover === -1) return svg("circle", { class: "chance", cx: x, cy: y, r: 11 });
  const [width, round] = [36, mover % 2 ? 4 : 13];
  return [svg("rect", { class: `mover mover-${mover % 3}`, x: x - width / 2, y: y - 13, width, height: 26, rx: round }),
    text("hand", x, y + 5, handText(infoset, hand))];
}

// Draw the nodes of a whole tree; `pick(node)` opens one, and `chosen(node)` says whether it is shown.
export function wholeTree(title, nodes, pick, chosen) {
  const { places, width, height } = treeLayout(nodes, SIZES);
  const frame = (drawing, infoset) => {
    for (const each of drawing.querySelectorAll("[data-infoset]")) each.classList.toggle("framed", each.dataset.infoset === infoset);
  };
  const node = (one, index) => {
    const { x, y } = places[index];
    const opens = one.path !== null || one.infoset !== null;
    const act = opens && one.mover !== -2;
    const light = (event) => frame(event.currentTarget.ownerSVGElement, one.infoset ?? "");
    const focus = act && { tabindex: 0, role: "link", "aria-label": `${one.infoset ?? t("place.chance")}`, onfocus: light, onpointerenter: light,
      onkeydown: (event) => event.key === "Enter" && pick(one), onclick: () => pick(one) };
    return svg("g", { class: `node${chosen(one) ? " chosen" : ""}`, "data-infoset": one.infoset, ...focus || {} }, shape(one, x, y));
  };
  const moves = nodes.map((one, index) => (one.parent === null ? []
    : move(one, places[index], places[one.parent], nodes[one.parent].mover === -1)));
  return svg("svg", { class: "whole-tree", role: "group", "aria-label": title, viewBox: `0 0 ${width} ${height}`, width, height },
    dotted(nodes, places), moves, nodes.map(node));
}
