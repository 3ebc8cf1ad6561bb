// Parts of the page of a spot: the combos of a class, and groups of hands.
import { shareParts, sharesText } from "./actions.js";
import { cardsText } from "./cards.js";
import { h, table } from "./dom.js";
import { number, percent, signed, t } from "./words.js";

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
