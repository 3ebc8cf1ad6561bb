// Classes of hands and their hands: the 13 x 13 chart, with weights by class.
export const RANKS = "AKQJT98765432";
export const SUITS = "shdc";

// Suited hands stand above the pairs.
export const CLASSES = [...RANKS].flatMap((row, i) => [...RANKS].map((column, j) =>
  (i === j ? row + row : i < j ? `${row}${column}s` : `${column}${row}o`)));

// The suits of the hands of a class, in the order of the server.
export function suitsOf(name) {
  const all = [...SUITS];
  if (name[2] === "s") return all.map((suit) => [suit, suit]);
  const pairs = all.flatMap((one) => all.map((other) => [one, other])).filter(([one, other]) => one !== other);
  return name[2] ? pairs : pairs.filter(([one, other]) => SUITS.indexOf(one) < SUITS.indexOf(other));
}

// The weights of a class, one for each hand.
export function spread(weights, name) {
  const { length } = suitsOf(name);
  return weights.length === length ? [...weights] : Array(length).fill(weights[0] ?? 0);
}

const mean = (weights) => weights.reduce((sum, each) => sum + each, 0) / weights.length;
const isEven = (weights) => weights.every((each) => each === weights[0]);

// What the chart shows of a class: its mean weight, and whether some of its hands differ.
export const summary = (weights) => ({ weight: mean(weights), isEven: isEven(weights) });

// A range as text, hand by hand where those of a class differ; the server writes it shorter.
// Hands with a dead card, such as one of the board, are not written one by one: no spot may name them.
export function rangeText(cells, dead = []) {
  const part = ([text, weight]) => (weight === 1 ? text : `${text}:${weight}`);
  return cells.flatMap((weights, index) => {
    const name = CLASSES[index];
    const hands = suitsOf(name).map((suits, place) => ({ cards: suits.map((suit, side) => name[side] + suit),
      weight: weights[place] }));
    const live = hands.filter(({ cards }) => !cards.some((card) => dead.includes(card)));
    const isWhole = live.every(({ weight }) => weight === live[0].weight);
    const parts = isWhole ? [[name, live[0]?.weight ?? 0]] : live.map(({ cards, weight }) => [cards.join(""), weight]);
    return parts.filter(([, weight]) => weight > 0).map(part);
  }).join(",");
}

// The number of hands of a range and its share of all hands.
export function size(cells) {
  const all = cells.flat();
  return { hands: all.filter((weight) => weight > 0).length, share: mean(all) };
}

// Cells of a message as one list of weights for each class.
export const cellsOf = (message) => message.cells.map((weights, index) => spread(weights, CLASSES[index]));

export const emptyCells = () => CLASSES.map((name) => spread([0], name));
