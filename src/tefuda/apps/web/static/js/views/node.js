// Parts of the page of a spot: the head of a node, actions or cards that may come next, the combos of a class, groups.
import { actionBar, actionClass, actionText, mark, shareParts, sharesText } from "../actions.js";
import { card, cardsText } from "../cards.js";
import { h, table } from "../dom.js";
import { number, percent, signed, t } from "../words.js";

const SUITS = [..."shdc"];
const RANKS = [..."AKQJT98765432"];

const here = (isHere) => ({ "aria-current": isHere && "page" });

// The address of a node's page; the slashes of its line are written as ~.
export const lineAddress = (run, line) => `/explore/${run}/${encodeURIComponent(line.replaceAll("/", "~")) || "-"}`;

// The way to a node as links, and the quality of its solution; `more` follows it.
export function top({ line, path, seats, solution }, address, more) {
  const step = ({ name, kind, player, line: after }) => h("li", {}, h("a", { href: address(after), ...here(after === line) },
    kind === "card" ? cardsText([name]) : [player !== null && h("small", {}, `${seats[player]} `), actionText(name)]));
  const { iterations: n, quality, locks } = solution;
  const about = t(`spot.quality.${quality}`, { figure: number(solution.figure, 3), n });
  const locked = locks.length ? ` · ${t("spot.locks", { n: locks.length })}` : "";
  return h("div", { class: "spot-top" }, h("nav", { "aria-label": t("spot.line") }, h("ol", { class: "list row line" },
    h("li", {}, h("a", { href: address(""), ...here(!line) }, t("spot.start"))), path.map(step))),
  h("p", { class: "quiet" }, `${about}${locked}`), more);
}

// The board, the player to act, and the figures of both players.
export function title({ player, cards, seats, players, street, board, ...node }) {
  const where = player === null ? t(cards.length ? "spot.a card" : "spot.over")
    : t("spot.to act", { player: seats[player] });
  const both = (figure, write) => players.some((one) => one[figure] !== null) && players.map((one) =>
    h("span", {}, h("small", {}, `${one.name} `), write(one[figure]), " "));
  const facts = [
    [t("spot.pot"), number(node.pot)],
    [t("spot.behind"), node.behind !== null && number(node.behind)],
    ["EV", both("ev", (value) => number(value, 4))],
    [t("spot.equity"), both("equity", (value) => percent(value))],
    [t("spot.reached"), node.probability !== null && percent(node.probability)],
  ];
  return h("div", { class: "spot-head" }, board.length > 0 && h("div", { class: "board" }, board.map((code) => card(code))),
    h("h1", {}, `${t(`spot.${street}`)}: ${where}`),
    h("dl", { class: "facts" }, facts.filter(([, value]) => value).map(([name, value]) =>
      h("div", {}, h("dt", {}, name), h("dd", {}, value)))));
}

// The actions as a bar and as links.
function actions(all, address) {
  const link = (action, index) => h("a", { href: address(action.line), class: "button choose", "data-key": `go-${index}` },
    h("span", { class: `${actionClass(action)} swatch`, "aria-hidden": "true" }, mark(action)),
    h("span", {}, action.text, action.part && h("small", { class: "quiet" }, ` ${percent(action.part, 2)}`)),
    h("b", {}, percent(action.share)));
  return h("section", { class: "spot-actions", "aria-label": t("spot.actions") },
    h("div", { "aria-hidden": "true" }, actionBar(all.map((action) => ({ ...action, name: action.text })))),
    h("div", { class: "row" }, all.map(link)));
}

// The cards that may come next as links, or the reason why none comes.
function cardChoice({ cards, line }, address) {
  if (!cards.length) return h("p", { class: "quiet" }, t("spot.over.note"));
  const choice = (code) => (cards.includes(code)
    ? h("a", { href: address(`${line}/${code}`), class: "next-card" }, cardsText([code]))
    : h("span", { class: "next-card", "aria-hidden": "true" }));
  return h("section", { "aria-label": t("spot.a card") }, h("h2", {}, t("spot.choose card")),
    h("div", { class: "next-cards" },
      SUITS.map((suit) => h("div", {}, RANKS.map((rank) => choice(rank + suit))))));
}

export const choices = (node, address) =>
  (node.player === null ? cardChoice(node, address) : actions(node.actions, address));

// The columns of all tables of hands, from the shares on.
const shareHead = (actions) => [...(actions.length ? [t("spot.share")] : []), "EV", t("spot.equity")];

function shareCells(one, actions) {
  const bar = () => h("div", { class: "wide" }, h("span", { class: "bar small", "aria-hidden": "true" },
    shareParts(actions, one.shares)), h("span", { class: "unseen" }, sharesText(actions, one.shares)));
  return [...(actions.length ? [bar()] : []), number(one.ev, 4), percent(one.equity, 3)];
}

// The hands of a class, each with its shares, EV and equity.
export function combos(cell, actions, player, indifference) {
  const { hands } = cell;
  const about = [player, t("spot.combos", { n: hands.length }),
    hands.length > 0 && t("spot.of range", { share: percent(cell.frequency) })];
  const title = h("h2", {}, cell.name, " ", h("small", { class: "quiet" }, about.filter(Boolean).join(" · ")));
  if (!hands.length) return [title, h("p", { class: "quiet" }, t(cell.left ? "spot.filtered" : "spot.absent"))];
  const judged = cell.losses.some((loss) => loss !== null);
  const isBest = (one) => (_, index) => one.losses[index] !== null && one.losses[index] >= -indifference;
  const best = (one) => actions.filter(isBest(one)).map((action) => action.text).join(", ");
  const row = (one) => [cardsText([one.text.slice(0, 2), one.text.slice(2)]), ...(judged ? [best(one)] : []),
    ...shareCells(one, actions)];
  const head = [t("spot.hand"), ...(judged ? [t("spot.best")] : []), ...shareHead(actions)];
  const losses = actions.map((action, index) => h("li", {}, `${action.text} ${percent(cell.shares[index])}`,
    cell.losses[index] < -indifference && h("span", { class: "wrong" }, ` ${signed(cell.losses[index], 2)} EV`)));
  return [title, cell.rare ? h("p", { class: "quiet" }, t("spot.rare")) : "", h("ul", { class: "list row" }, losses),
    table(head, hands.map(row), { "aria-label": cell.name })];
}

// A button that switches a value of a filter on and off.
export function filterButton(state, name, value, attributes, content) {
  const pressed = state[name].includes(value);
  const values = pressed ? state[name].filter((one) => one !== value) : [...state[name], value];
  return h("button", { type: "button", class: "toggle", "aria-pressed": `${pressed}`, "data-key": `${name}-${value}`,
    onclick: () => state.change({ [name]: values }), ...attributes }, content);
}

// A player's hands by made hand and by draw; the first column of each table filters the grid.
export function groups(node, state) {
  const player = node.players[state.seat];
  if (!player.made_hands.length) return null;
  const actions = player.acts ? node.actions : [];
  const part = (kind, name) => {
    const most = Math.max(...player[name].map((group) => group.frequency));
    const amount = ({ frequency }) => h("span", { class: "amount" },
      h("span", { style: { width: `${(100 * frequency) / most}%` } }), percent(frequency, 2));
    const row = (group) => [filterButton(state, kind, group.name, {}, t(`spot.${group.name}`)), amount(group),
      ...shareCells(group, actions)];
    const title = t(`spot.${name}`);
    return table([title, t("spot.frequency"), ...shareHead(actions)], player[name].map(row),
      { "aria-label": title, class: "groups" });
  };
  return h("section", { class: "panel" }, h("h2", {}, t("spot.breakdown", { player: player.name })),
    part("made", "made_hands"), node.street !== "river" && part("draw", "draws"));
}
