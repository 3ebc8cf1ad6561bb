// A priced decision of a recorded hand: the values of its actions, its cost, and how far that can be trusted.
import { actionText } from "../actions.js";
import { h } from "../dom.js";
import { number, percent, t } from "../words.js";
import { coachRow, widthOf } from "./panels.js";

const KINDS = { Fold: "fold", Check: "check", Call: "call", AllIn: "all-in" };
const DIGITS = 1e4; // values are rounded to this part of a big blind
const GOOD = 0.001; // of the pot: actions that lose at most this are as good as the best

const nameOf = (label) => actionText(label.replace("bb)", ")"));

// The advice of a priced decision, in the form of the coach's. A mistake is a blunder if its cost is certain, else a slip.
export function adviceOf({ evs, action, cost, kind, certain, pot }) {
  const best = Math.max(...Object.values(evs));
  const actions = Object.entries(evs).map(([label, value], index) => ({ index, label, name: nameOf(label), kind: KINDS[label.split("(")[0]] ?? "bet",
    verb: "", amount: null, cards: [], share: null, value: Math.round(value * DIGITS) / DIGITS, good: best - value <= GOOD * pot }));
  return { hint: false, actions, chosen: actions.findIndex(({ label }) => label === action), cost,
    verdict: kind === "best or mixed" ? "fine" : certain ? "blunder" : "slip" };
}

// "certain", or "open" where the lower end of the cost is under 1 % of the pot.
export const trustWord = ({ certain }) => t(certain ? "price.certain" : "price.open");

// The interval of a cost: "7.1–10.4".
export const intervalText = ({ cost_interval: ends }) => (ends ? ends.map((end) => number(end, 2)).join("–") : "");

export const playedText = ({ action }) => nameOf(action);

// The panel of a decision; `said` is its sentence, `further` the ways on from it.
export function pricePanel(priced, said, further) {
  const { kind, cost, frequency, exploitability, ranges, weight, forced } = priced;
  const advice = adviceOf(priced);
  const width = widthOf(advice.actions, "suits");
  const rows = advice.actions.map((action) => coachRow(action, { deck: "suits", chosen: advice.chosen, width, more: () => null }));
  const trust = [["trust", [intervalText(priced) ? t("price.between", { trust: trustWord(priced), interval: intervalText(priced) })
    : t("price.no interval"), forced && ` ${t("price.forced")}`]],
  ["ranges", [h("span", { lang: "en" }, `${ranges.join("; ")}.`), " ", t(weight > 0 ? "price.inside" : "price.outside", { weight: number(weight, 2) })]],
  ["solved", t("price.percent", { n: number(exploitability, 2) })],
  frequency !== null && ["frequency", percent(frequency, 2)]];
  return h("section", { class: "panel price-box", "data-role": "price" }, h("p", { class: "row" },
    h("span", { class: kind === "best or mixed" ? "pill good" : "pill wrong" }, t(`price.${kind}`, { cost: number(cost, 3) })),
    h("b", {}, said)), h("ul", { class: "list advice-list", tabindex: 0, "aria-label": t("coach.name") }, rows),
  h("dl", { class: "facts" }, trust.filter(Boolean).map(([key, value]) => [h("dt", {}, t(`price.${key}`)), h("dd", {}, value)])), further);
}
