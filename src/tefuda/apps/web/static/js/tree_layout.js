// Places of the nodes of a drawn tree: ends side by side, others above the middle of their children.
const LEAST = 320; // pixels of a drawing's width

// The places of nodes, which name their parents by index, and the size of the drawing.
export function treeLayout(nodes, { wide, high, edge, top, bottom }) {
  const children = Map.groupBy(nodes.keys(), (index) => nodes[index].parent);
  const places = [];
  let ends = 0;
  const visit = (index, depth) => {
    const inside = children.get(index) ?? [];
    for (const child of inside) visit(child, depth + 1);
    const x = inside.length ? (places[inside[0]].x + places[inside.at(-1)].x) / 2 : edge + wide * ends++;
    places[index] = { x, y: top + depth * high };
  };
  visit(0, 0);
  const height = Math.max(...places.map(({ y }) => y)) + bottom;
  return { places, width: Math.max((ends - 1) * wide + 2 * edge, LEAST), height };
}
