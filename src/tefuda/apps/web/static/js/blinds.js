// Amounts of whole hands of hold'em in big blinds: the server counts chips.
const AMOUNTS = new Set(["pot", "bets", "stacks", "amount", "low", "high", "payoffs", "won", "cost", "value", "mean", "payoff",
  "luck", "skill"]);

function scaled(value, name, unit) {
  if (typeof value === "number") return AMOUNTS.has(name) ? value / unit : value;
  if (Array.isArray(value)) return value.map((each) => scaled(each, name, unit));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, scaled(each, key, unit)]));
}

// The big blind in chips; 1 for games without blinds.
export const unitOf = ({ game, parameters }) => (game === "holdem" ? parameters.blinds.at(-1) : 1);

// A state or a review with its amounts in big blinds; thresholds stay as they were given.
export function inBlinds(state) {
  const unit = unitOf(state);
  return unit === 1 ? state : { ...scaled(state, "", unit), thresholds: state.thresholds };
}
