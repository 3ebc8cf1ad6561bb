// Panels below a history: the strategy in its public state, over the iterations, and the game as a drawing.
import { actionBar } from "../actions.js";
import { get, isShared } from "../api.js";
import { chart } from "../chart.js";
import { fold, h, table } from "../dom.js";
import { options } from "../fields.js";
import { gameTree } from "../game_tree.js";
import { go } from "../main.js";
import { ROOT } from "../places.js";
import { wholeTree } from "../whole_tree.js";
import { number, percent, say, signed, t } from "../words.js";
import { merged, pathText, playerName } from "./place.js";

// The panels that a history has; a shared file holds no panel over time, and draws small games only.
export function panelsOf({ method, small }, { infoset, public_state: state }) {
  const has = { values: true, table: state !== null, time: infoset && method && !isShared,
    tree: small || (infoset && !isShared) };
  return Object.keys(has).filter((name) => has[name]);
}

export const tabs = (place, names, shown) => h("nav", { class: "row tabs", "aria-label": t("place.panels") },
  names.map((show) => h("a", { class: "button", href: place.address(place.path, { show }),
    "aria-current": show === shown && "true" }, t(`place.show.${show}`))));

// The whole tree of a small game, as the players or one of them know it.
export async function whole(place, { infoset }) {
  const { nodes, count } = await get(place.data("/whole", place.seat === null ? {} : { seat: place.seat }));
  const title = t("place.show.tree");
  const shown = (one) => (infoset !== null && one.infoset === infoset) || (one.path !== null && one.path === place.path);
  const pick = ({ path, infoset: name }) => go(path === null ? place.address(ROOT, { infoset: name, show: "tree" })
    : place.address(path, { show: "tree" }));
  const movers = [...new Set(nodes.map(({ mover }) => mover))].filter((mover) => mover >= 0).sort();
  return h("section", { class: "panel whole" },
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, wholeTree(title, nodes, pick, shown)),
    h("p", { class: "quiet note" }, movers.map((mover) => h("span", { class: `key mover-${mover % 3}` }, playerName(mover))),
      t("place.wholeAbout", { n: count })));
}

// A panel as elements.
export async function panel(name, place, about, position) {
  const { infoset, public_state: number } = position;
  if (name === "table") return publicTable(place, await get(place.data("/public", { number })), infoset);
  if (name === "time") return overTime(infoset, await get(place.data("/series", { infoset })));
  if (name !== "tree" || about.small) return merged(place, position);
  return drawing(place, position, await get(place.data("/tree", { infoset })));
}

function shareText({ shares, values, as_good: good }, index) {
  const isMixed = shares[index] > 0 && shares[index] < 1;
  const value = values ? ` (${signed(values[index], 3)})` : "";
  return h("span", {}, percent(shares[index]), value, isMixed && good?.[index] ? " ≈" : "");
}

// The strategy in a public state: a row for each private information.
function publicTable(place, { state, actions, rows }, infoset = null) {
  const title = t("place.publicTitle", state);
  const named = actions.map((action) => ({ ...action, name: say(action.name) }));
  const bar = ({ shares }) =>
    h("div", { class: "in-table" }, actionBar(named.map((action, index) => ({ ...action, share: shares[index] }))));
  const hand = (row) => h("a", { href: place.address(row.path), "data-infoset": row.infoset,
    "aria-current": row.infoset === infoset && "location" }, say(row.hand));
  const name = ({ infoset: key, mark }) =>
    h("span", {}, h("code", {}, key), mark !== "on" && h("span", { class: "quiet" }, " ", t(`place.mark.${mark}`)));
  const cells = (row) => [hand(row), name(row), percent(row.reach), bar(row),
    ...actions.map((_, index) => shareText(row, index))];
  const head = ["hand", "infoset", "reach", "strategy"].map((name) => t(`place.${name}`));
  return [h("h2", {}, title), h("p", {}, say(state.table)),
    table([...head, ...named.map(({ name }) => name)], rows.map(cells), { "aria-label": title }),
    h("p", { class: "quiet" }, t("place.publicAbout")),
    h("p", {}, h("a", { href: place.address(ROOT, { seat: null, public: state.number }) }, t("place.allStates")))];
}

// The choice of a public state, and the strategy there.
export function publicPage(place, { public_states: states }, shown) {
  const text = ({ number, player, table }) => [number, `${number}: ${playerName(player)} · ${say(table)}`];
  const onchange = ({ target }) => go(place.address(ROOT, { public: target.value }));
  const choice = h("select", { name: "public", onchange }, options(states.map(text), shown.state.number));
  return [h("form", {}, h("label", {}, h("span", {}, t("place.publicStates", { n: states.length })), choice)),
    ...publicTable(place, shown)];
}

// Charts of shares and regrets of an infoset over the iterations.
const overTime = (infoset, charts) => [h("h2", {}, t("place.overTime", { infoset })),
  h("p", { class: "quiet" }, t("place.repeated")),
  ...Object.entries(charts).map(([name, content]) =>
    chart(t(`place.${name}`), content))];

// A drawing of histories with its table.
function drawing(place, { observer, infoset, merged: same }, { histories }) {
  const title = t("place.show.tree");
  const inside = observer === null ? [place.path] : same.map(({ path }) => path);
  const drawn = histories.map((history) => ({
    ...history, edge: history.parent !== null && number(history.share, 2), litEdge: history.share >= 0.5,
    node: signed(history.values[0], 2), here: inside.includes(history.path),
    chosen: history.infoset !== null && history.infoset === infoset,
  }));
  const pick = ({ path }) => go(place.address(path, { show: "tree" }));
  const row = ({ path, infoset: name, share, reach, values }) => [h("a", { href: place.address(path) }, pathText(path)),
    name ?? "", percent(share), number(reach, 4), ...values.map((value) => signed(value))];
  const head = [...["history", "infoset", "lastMove", "reach"].map((name) => t(`place.${name}`)),
    ...histories[0].values.map((_, player) => t("place.valueTo", { player }))];
  return [h("h2", {}, title), h("p", { class: "quiet" }, t("place.treeAbout")),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, gameTree(title, drawn, pick)),
    fold(t("as table"), {}, table(head, histories.map(row), { "aria-label": title }))];
}
