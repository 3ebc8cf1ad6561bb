// Bars of actions: the same order, colours and second cues everywhere. The server names the kind of each action.
import { h } from "./dom.js";
import { percent, t } from "./words.js";

const BETS = { "small bet": "·", bet: "··", "large bet": "···", "all-in": "A" };
const LETTERS = { fold: "F", check: "K", call: "C", ...BETS };

// The class of an action's colour and pattern.
export const actionClass = (action) => `action action-${action.kind.replaceAll(" ", "-")}`;

// The second cue of an action beside its colour.
export const mark = (action) => LETTERS[action.kind] ?? action.label.slice(0, 1).toUpperCase();

// The name of an action in words, such as "Bet 50".
export function actionText(name) {
  const [label, amount] = name.replace(/\)$/, "").split("(");
  const action = t(`spot.${label}`);
  return amount ? t("spot.sized", { action, amount }) : action;
}

// The parts of a bar, as wide as the shares of actions.
export const shareParts = (actions, shares, content = () => null) => actions.map((action, index) =>
  shares[index] > 0 && h("span", { class: actionClass(action), style: { flexGrow: shares[index] } }, content(action)));

// The shares of actions in words.
export const sharesText = (actions, shares) =>
  actions.map((action, index) => `${action.text} ${percent(shares[index])}`).join(", ");

// A bar whose parts are as wide as the shares of actions; parts are links if `href(action)` gives an address.
export function actionBar(actions, href = null) {
  const parts = actions.map((action) => {
    const name = `${action.name} ${percent(action.share)}`;
    const attributes = { class: actionClass(action), style: { flexGrow: action.share ?? 0 }, title: name };
    const text = h("span", {}, `${mark(action)} ${percent(action.share, 2)}`);
    return href ? h("a", { ...attributes, href: href(action), "aria-label": name }, text) : h("span", attributes, text);
  });
  return h("div", { class: "bar" }, parts);
}
