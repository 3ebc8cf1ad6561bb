// Ranges as data: rows of hands, filters, classes of hands and their figures; levels and texts of losses.
import { language } from "./words.js";

const RARE = 0.005; // of the commonest class: below it a class is dimmed

// A row of the message as an object.
export const hand = ([text, number, frequency, reach, made, draw, ev, equity, shares, losses]) =>
  ({ text, number, frequency, reach, made, draw, ev, equity, shares, losses });

// True if a hand passes a filter {made: [], draw: [], suit: []}; an empty list passes all.
export function passes(one, { made, draw, suit }, node) {
  const of = { made: [node.made_hands[one.made]], draw: [node.draws[one.draw]], suit: [one.text[1], one.text[3]] };
  return Object.entries({ made, draw, suit }).every(([name, list]) => !list.length || of[name].some((value) => list.includes(value)));
}

const sum = (hands, value) => hands.reduce((total, one) => total + value(one), 0);

function mean(hands, weight, figure) {
  const known = hands.filter((one) => (figure(one) ?? null) !== null);
  const total = sum(known, weight);
  return total > 0 ? sum(known, (one) => weight(one) * figure(one)) / total : null;
}

// The figures of several hands together, weighted by how often they come.
function together(hands) {
  const weigh = hands.some((one) => one.frequency > 0) ? (one) => one.frequency : (one) => one.reach;
  const each = (name) => (hands[0]?.[name] ?? []).map((_, action) => mean(hands, weigh, (one) => one[name][action]));
  return {
    hands,
    frequency: sum(hands, (one) => one.frequency),
    reach: sum(hands, (one) => one.reach),
    shares: each("shares"),
    losses: each("losses"),
    ev: mean(hands, weigh, (one) => one.ev),
    equity: mean(hands, weigh, (one) => one.equity),
  };
}

// The cells of a player's grid. The weight of a cell is relative to the commonest class of the whole range.
export function cells(rows, node, filter) {
  const groups = Map.groupBy(rows, (one) => one.number);
  const all = node.classes.map((name, number) => ({ name, number, size: Math.max(node.class_sizes[number], 1),
    all: groups.get(number) ?? [] }));
  const most = Math.max(...all.map((cell) => sum(cell.all, (one) => one.reach) / cell.size)) || 1;
  return all.map((cell) => {
    const chosen = together(cell.all.filter((one) => passes(one, filter, node)));
    const weight = chosen.reach / cell.size / most;
    const left = cell.all.length - chosen.hands.length;
    return { ...cell, ...chosen, weight, rare: weight > 0 && weight < RARE, left };
  });
}

// The figure of a cell: of the action, or of its likeliest one; equity where the player does not act.
export function figure(cell, show, action) {
  if (show === "ev" || show === "equity") return cell[show];
  if (!cell.shares.length) return cell.equity;
  const index = action < 0 ? cell.shares.indexOf(Math.max(...cell.shares)) : action;
  return (show === "share" ? cell.shares : cell.losses)[index] ?? null;
}

const LIMITS = [0.004, 0.02, 0.07, 0.18]; // of the pot

// The level of a loss, from 0 to 4; losses are 0 or negative.
export const lossLevel = (loss, pot) => LIMITS.filter((limit) => -loss / pot >= limit).length;

const amount = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

// An amount with two decimals and a true minus, which is none at 0.00.
export function chipsText(value, isSigned = false) {
  if ((value ?? null) === null) return "–";
  const text = amount.format(value).replace("-", "−").replace(/^−([0.,]+)$/, "$1");
  return isSigned && value > 0 ? `+${text}` : text;
}
