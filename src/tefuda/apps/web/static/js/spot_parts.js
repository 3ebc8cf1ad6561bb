// Parts of the page of a spot: head, actions, the combos of a class, and groups of hands.
import { actionClass, mark, shareParts, sharesText } from "./actions.js";
import { card, cardsText } from "./cards.js";
import { h, table } from "./dom.js";
import { number, percent, signed, t } from "./words.js";

const SUITS = ["s", "h", "d", "c"];

// The name of an action or card in the page's language.
function actionText(name) {
  const [, word, amount] = name.match(/^([A-Za-z]+)(?:\((\d+)\))?$/) ?? [];
  return [t(`spot.${word}`), amount].filter(Boolean).join(" ");
}

// The actions of a node with their words as texts.
export const namedActions = (node) => node.actions.map((action) => ({ ...action, text: actionText(action.name) }));

function facts(node) {
  const known = (figure) => node.players.some((player) => player[figure] !== null);
  const pair = (figure, format) => known(figure) && node.players.map((player) =>
    h("span", {}, h("small", {}, `${player.name} `), format(player[figure]), " "));
  const pairs = [[t("spot.pot"), number(node.pot)], [t("spot.behind"), node.behind !== null && number(node.behind)],
    ["EV", pair("ev", (value) => number(value, 4))], [t("spot.equity"), pair("equity", percent)],
    [t("spot.reached"), node.probability !== null && percent(node.probability)]];
  return h("dl", { class: "facts" }, pairs.filter(([, value]) => value).map(([name, value]) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

// The head of a node: where it is, the board, pot, EV and equity of both players.
export function head(node, link, practise) {
  const { seats, player, solution } = node;
  const step = ({ name, kind, player: seat, line }) => [line, kind === "card" ? cardsText([name])
    : [h("small", {}, seats[seat]), " ", actionText(name)]];
  const steps = [["", t("spot.start")], ...node.path.map(step)].map(([line, text]) =>
    h("li", {}, h("a", { href: link(line), "aria-current": line === node.line && "page" }, text)));
  const where = player === null ? t(node.cards.length ? "spot.a card" : "spot.over")
    : t("spot.to act", { player: seats[player] });
  const figures = { figure: number(solution.figure, 3), n: solution.iterations };
  const about = [solution.name, t(`spot.quality.${solution.quality}`, figures),
    solution.locks.length > 0 && t("spot.locks", { n: solution.locks.length })];
  return [
    h("div", { class: "spot-top" },
      h("nav", { "aria-label": t("spot.line") }, h("ol", { class: "list row line" }, steps)),
      h("p", { class: "quiet" }, about.filter(Boolean).join(" · ")),
      practise && h("button", { class: "plain practise", type: "button", onclick: practise }, t("spot.practise"))),
    h("div", { class: "spot-head" },
      node.board.length > 0 && h("div", { class: "board" }, node.board.map((code) => card(code))),
      h("h1", {}, `${t(`spot.${node.street}`)}: ${where}`), facts(node)),
  ];
}

// The actions of a node as a bar and as links.
export function actionLinks(node, link) {
  const actions = namedActions(node);
  const links = actions.map((action, index) =>
    h("a", { class: "button choose", href: link(action.line), "data-key": `go-${index}` },
      h("span", { class: `${actionClass(action)} swatch`, "aria-hidden": "true" }, mark(action)),
      h("span", {}, action.text, action.part && h("small", { class: "quiet" }, ` ${percent(action.part, 2)}`)),
      h("b", {}, percent(action.share))));
  const parts = shareParts(actions, actions.map(({ share }) => share ?? 0), (action) => h("span", {}, mark(action)));
  return h("section", { class: "spot-actions", "aria-label": t("spot.actions") },
    h("div", { class: "bar", "aria-hidden": "true" }, parts), h("div", { class: "row" }, links));
}

// The cards that may come next, as links; or the way the hand ends.
export function cardChoice(node, link) {
  if (!node.cards.length) return h("p", { class: "quiet" }, t("spot.over.note"));
  const one = (text) => (node.cards.includes(text)
    ? h("a", { class: "next-card", href: link(`${node.line}/${text}`) }, cardsText([text]))
    : h("span", { class: "next-card", "aria-hidden": "true" }));
  return h("section", { "aria-label": t("spot.a card") }, h("h2", {}, t("spot.choose card")),
    h("div", { class: "next-cards" },
      SUITS.map((suit) => h("div", {}, [..."AKQJT98765432"].map((rank) => one(rank + suit))))));
}

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
  const actions = player.acts ? namedActions(node) : [];
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
