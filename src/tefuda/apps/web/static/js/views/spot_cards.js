// All cards: what happens after each card that may come next.
import { actionText, shareParts, sharesText } from "../actions.js";
import { get } from "../api.js";
import { cardsText } from "../cards.js";
import { h, table } from "../dom.js";
import { chipsText } from "../ranges.js";
import { percent, t } from "../words.js";

const [SUITS, RANKS] = ["shdc", "AKQJT98765432"];
const ORDERS = ["ev", "bets", "equity"];
const isBet = ({ kind }) => !["check", "call", "fold"].includes(kind);

const bar = (actions, shares) => h("span", { class: "bar small", "aria-hidden": "true" }, shareParts(actions, shares));

// The kind of a card on a board: pairs it, a third of its suit, higher than all, or another.
function kindOf(code, board) {
  if (board.some(([rank]) => rank === code[0])) return "pairs";
  if (board.filter(([, suit]) => suit === code[1]).length > 1) return "flush";
  return board.every(([rank]) => RANKS.indexOf(rank) > RANKS.indexOf(code[0])) ? "over" : "other";
}

const mean = (list, value) => list.reduce((sum, one) => sum + value(one), 0) / list.length;

function kinds(cards, actions, board) {
  const groups = Map.groupBy(cards, ({ card }) => kindOf(card, board));
  const rows = ["over", "pairs", "flush", "other"].filter((kind) => groups.has(kind)).map((kind) => {
    const some = groups.get(kind);
    const shares = actions.map((_, index) => mean(some, (one) => one.shares[index] ?? 0));
    return [t(`spot.kind.${kind}`), `${some.length}`, h("div", {}, bar(actions, shares),
      h("span", { class: "unseen" }, sharesText(actions, shares))), chipsText(mean(some, ({ value }) => value)),
    percent(mean(some, (one) => one.share), 2)];
  });
  const title = t("spot.kinds");
  return h("section", { class: "panel kinds" }, h("h2", {}, title),
    table([t("spot.kind"), t("spot.cards"), t("spot.share"), "EV", t("spot.equity")], rows, { "aria-label": title }));
}

function strip(cards, actions, state, address) {
  const value = { ev: (one) => one.value, equity: (one) => one.share,
    bets: (one) => one.shares.reduce((sum, share, index) => sum + (isBet(actions[index]) ? share : 0), 0) }[state.by] ?? ((one) => one.value);
  const by = ORDERS.includes(state.by) ? state.by : "ev";
  const order = h("div", { class: "choice", role: "radiogroup", "aria-label": t("spot.sorted") }, ORDERS.map((name) =>
    h("button", { type: "button", role: "radio", "aria-checked": `${name === by}`, "data-key": `order-${name}`,
      onclick: () => state.change({ by: name }) }, t(`spot.by ${name}`))));
  const column = ({ card, shares }) => h("a", { href: address(card), tabindex: -1, "data-card": card },
    h("span", { class: "stack-bar" }, shareParts(actions, shares)), cardsText([card]));
  return h("section", { class: "panel" }, h("div", { class: "row" }, h("h2", {}, t("spot.sorted")), order),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("spot.sorted") },
      h("div", { class: "strip" }, cards.toSorted((a, b) => value(b) - value(a)).map(column))));
}

// The view as an element; `address(line)` is that of a node.
export async function cardsView(run, part, node, state, address) {
  const { player, actions, cards } = await get(`/api/spots/${run}/${part}/cards`);
  for (const action of actions) action.text = actionText(action.name);
  const seat = player ?? 0;
  const all = cards.map((one) => ({ ...one, value: one.ev[seat], share: one.equity[seat] }));
  const known = new Map(all.map((one) => [one.card, one]));
  const to = (card) => address(`${node.line}/${card}`);
  const cell = (code) => {
    const one = known.get(code);
    if (!one) return h("span", { class: "card-cell" });
    const label = [`EV ${chipsText(one.value)}`, sharesText(actions, one.shares)].filter(Boolean).join(", ");
    return h("a", { class: "card-cell", href: to(code), title: label }, cardsText([code]), bar(actions, one.shares),
      h("span", { class: "value" }, chipsText(one.value)), h("span", { class: "unseen" }, sharesText(actions, one.shares)));
  };
  const legend = actions.map((action, index) => [action.text, percent(mean(all, (one) => one.shares[index] ?? 0), 2)].join(" "));
  const title = t("spot.on each card", { player: node.seats[seat] });
  return h("div", { class: "all-cards" }, h("section", { class: "panel" }, h("div", { class: "row" }, h("h2", {}, title),
    h("span", { class: "quiet" }, legend.join(" · "))),
  h("div", { class: "card-cells" }, [...SUITS].map((suit) => h("div", {}, [...RANKS].map((rank) => cell(rank + suit))))),
  h("p", { class: "quiet note" }, t("spot.cards note"))), kinds(all, actions, node.board), strip(all, actions, state, to));
}
