// EV of actions: the grid by the loss of one action, and a table of all hands with the EV of each action.
import { actionClass, shareParts, sharesText } from "../actions.js";
import { get } from "../api.js";
import { cardsText } from "../cards.js";
import { h } from "../dom.js";
import { cells, chipsText, hand, lossLevel, passes, rangeGrid } from "../ranges.js";
import { percent, t } from "../words.js";

const shown = (value) => (value === null ? -Infinity : value);

// The hands of the player to act with their EVs, in the order that the state asks for.
function rowsOf(node, state, values) {
  const hands = node.players[node.player].rows.map(hand).filter((one) => passes(one, state, node)
    && (!state.class || node.classes[one.number] === state.class));
  const rows = hands.map((one) => ({ ...one, values: values[one.text] ?? [] }));
  const by = state.by.replace("-", "");
  const keys = { hand: (one) => -one.number, equity: (one) => shown(one.equity), share: (one) => one.shares[state.action] };
  const value = keys[by] ?? ((one) => (by in node.actions ? one.values[by] : Math.max(...one.values)));
  const sign = state.by.startsWith("-") ? -1 : 1;
  return rows.sort((a, b) => sign * (value(b) - value(a)) || a.number - b.number);
}

function heading(node, state) {
  const button = (name, ...content) => {
    const isSorted = state.by.replace("-", "") === `${name}`;
    const order = isSorted && (state.by.startsWith("-") ? "ascending" : "descending");
    const onclick = () => state.change({ by: isSorted && order === "descending" ? `-${name}` : `${name}` });
    return h("th", { scope: "col", "aria-sort": order }, h("button", { class: "plain", type: "button", onclick,
      "data-key": `by-${name}` }, content, order && (order === "descending" ? " ↓" : " ↑")));
  };
  return h("tr", {}, button("hand", t("spot.hand")), node.actions.map((action, index) => button(index,
    h("span", { class: `${actionClass(action)} dot`, "aria-hidden": "true" }), " ", action.text)),
  button("share", t("spot.share")), button("equity", t("spot.equity")));
}

function row(one, node) {
  const best = Math.max(...one.values);
  const value = (ev) => {
    const loss = ev - best;
    return h("td", { class: `loss loss-${lossLevel(loss, node.pot)}` }, h("b", {}, chipsText(ev)),
      h("small", {}, chipsText(loss) === chipsText(0) ? "" : chipsText(loss)));
  };
  const bar = h("div", { class: "wide" }, h("span", { class: "bar small", "aria-hidden": "true" },
    shareParts(node.actions, one.shares)), h("span", { class: "unseen" }, sharesText(node.actions, one.shares)));
  return h("tr", { "data-hand": one.text }, h("th", { scope: "row" }, cardsText([one.text.slice(0, 2), one.text.slice(2)])),
    one.values.map(value), h("td", {}, bar), h("td", {}, percent(one.equity, 2)));
}

function legend() {
  return h("p", { class: "legend" }, t("spot.no loss"), [0, 1, 2, 3, 4].map((level) =>
    h("span", { class: `loss-${level}`, "aria-hidden": "true" })), t("spot.loss from", { share: percent(0.18) }));
}

// The view as an element; `controls` are those of the page.
export async function evsView(run, part, node, state) {
  const { hands: values } = await get(`/api/spots/${run}/${part}/evs`);
  const of = Math.max(0, node.actions.findIndex(({ name }) => name === state.of));
  const filter = { made: state.made, draw: state.draw, suit: state.suit };
  const all = cells(node.players[node.player].rows.map(hand), node, filter);
  const paint = (cell) => {
    const loss = cell.losses[of];
    const level = lossLevel(loss, node.pot);
    return { kind: `loss-${level}${cell.rare ? " rare" : ""}`, text: level ? chipsText(-loss).slice(0, 5) : "",
      label: `${cell.name}: ${node.actions[of].text}, ${t("spot.loss of one", { loss: chipsText(loss) })}` };
  };
  const choose = (cell, isPinned) => isPinned && state.change({ class: cell.name === state.class ? "" : cell.name });
  const start = all.find((cell) => cell.name === state.class) ?? all[0];
  const pick = h("div", { class: "choice", role: "radiogroup", "aria-label": t("spot.loss of") }, node.actions.map((action, index) =>
    h("button", { type: "button", role: "radio", "aria-checked": `${index === of}`, "data-key": `of-${index}`,
      onclick: () => state.change({ of: action.name }) }, action.text)));
  const title = t("spot.evs of all");
  return h("div", { class: "evs" },
    h("section", { class: "panel" }, h("div", { class: "row" }, h("h2", {}, t("spot.loss of")), pick),
      rangeGrid(all, { label: t("spot.loss of"), actions: node.actions, start: start.number, choose, paint }), legend()),
    h("section", { class: "panel" }, h("div", { class: "row" }, h("h2", {}, title), h("span", { class: "quiet" },
      state.class ? h("button", { class: "toggle", type: "button", "aria-pressed": "true", "data-key": "class",
        onclick: () => state.change({ class: "" }) }, state.class, " ×") : t("spot.evs note"))),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, h("table", { "aria-label": title },
      h("thead", {}, heading(node, state)), h("tbody", {}, rowsOf(node, state, values).map((one) => row(one, node)))))));
}
