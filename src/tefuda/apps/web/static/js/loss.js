// Losses of actions: five levels by their part of the pot, and amounts with two decimals.
import { language } from "./words.js";

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
