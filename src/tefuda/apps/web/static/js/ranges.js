// Ranges as data: rows of hands, filters, classes of hands and their figures.
export const RANKS = "AKQJT98765432";
export const SUITS = ["s", "h", "d", "c"];
export const RARE = 0.005; // of the commonest class: below it a class is dimmed

// The 169 classes in the order of the chart: suited above the pairs, offsuit below.
export const CLASSES = Array.from({ length: 169 }, (_, index) => {
  const [row, column] = [Math.floor(index / 13), index % 13];
  const ranks = RANKS[Math.min(row, column)] + RANKS[Math.max(row, column)];
  return row === column ? ranks : ranks + (row < column ? "s" : "o");
});

// A row of the message as an object.
export function hand([text, number, frequency, reach, made, draw, ev, equity, shares, losses]) {
  return { text, number, frequency, reach, made, draw, ev, equity, shares, losses };
}

// True if a hand passes a filter {made: [], draw: [], suit: []}; an empty list passes all.
export function passes(one, filter, names) {
  const has = (list, value) => !list.length || list.includes(value);
  return has(filter.made, names.made_hands[one.made]) && has(filter.draw, names.draws[one.draw])
    && (!filter.suit.length || [one.text[1], one.text[3]].some((suit) => filter.suit.includes(suit)));
}

function mean(hands, weights, figure) {
  let [sum, total] = [0, 0];
  hands.forEach((one, index) => {
    const value = figure(one);
    if (value === null || value === undefined) return;
    sum += weights[index];
    total += weights[index] * value;
  });
  return sum > 0 ? total / sum : null;
}

// The figures of several hands together, weighted by how often they come.
export function together(hands) {
  const known = hands.some((one) => one.frequency > 0);
  const weights = hands.map((one) => (known ? one.frequency : one.reach));
  const actions = hands[0]?.shares.length ?? 0;
  const each = (name) => Array.from({ length: actions }, (_, action) => mean(hands, weights, (one) => one[name][action]));
  return {
    hands,
    frequency: hands.reduce((sum, one) => sum + one.frequency, 0),
    reach: hands.reduce((sum, one) => sum + one.reach, 0),
    shares: each("shares"),
    losses: each("losses"),
    ev: mean(hands, weights, (one) => one.ev),
    equity: mean(hands, weights, (one) => one.equity),
  };
}

// The 169 cells of a player's grid. The weight of a cell is relative to the commonest class of the whole range.
export function cells(rows, sizes, filter, names) {
  const all = CLASSES.map(() => []);
  rows.forEach((row) => all[row.number].push(row));
  const reach = all.map((hands, number) => hands.reduce((sum, one) => sum + one.reach, 0) / Math.max(sizes[number], 1));
  const most = Math.max(...reach) || 1;
  return all.map((hands, number) => {
    const chosen = hands.filter((one) => passes(one, filter, names));
    const cell = together(chosen);
    const weight = cell.reach / Math.max(sizes[number], 1) / most;
    return { ...cell, number, name: CLASSES[number], weight, rare: weight > 0 && weight < RARE, left: hands.length - chosen.length };
  });
}

// The figure of a cell: of the action, or of its likeliest one; equity where the player does not act.
export function figure(cell, show, action) {
  if (show === "ev" || show === "equity") return cell[show];
  if (!cell.shares.length) return cell.equity;
  const index = action ?? cell.shares.indexOf(Math.max(...cell.shares));
  return (show === "share" ? cell.shares : cell.losses)[index] ?? null;
}
