// Parts of the page that explores a tree.
import { actionBar } from "./actions.js";
import { h, table } from "./dom.js";
import { address, after, joined, parts } from "./place_state.js";
import { number, percent, signed, t } from "./words.js";

export function playerName(player) {
  return player === -1 ? t("place.chance") : t("place.player", { player });
}

// The moves so far as a list of links to every history on the way.
export function pathList(state, position) {
  const labels = parts(state.path);
  const links = labels.map((label, index) => {
    const move = position.path[index] ?? { mover: -1, label: null };
    const text = move.label === null ? h("span", { class: "hidden-move" }, t("place.hidden")) : move.name;
    const href = address(state, { path: joined(labels.slice(0, index + 1)) });
    const here = index === labels.length - 1 ? "location" : null;
    return h("li", {}, h("span", { class: "quiet" }, playerName(move.mover)), h("a", { href, "aria-current": here }, text));
  });
  const start = h("a", { href: address(state, { path: "-" }), "aria-current": labels.length ? null : "location" }, t("place.start"));
  return h("nav", { "aria-label": t("place.path") }, h("ol", { class: "moves" }, h("li", {}, start), links));
}

// The actions as a bar and as a table; every part is a link to the history after it.
export function actions(state, position) {
  if (!position.actions.length) return [];
  const decides = position.infoset !== null;
  const href = (action) => address(state, { path: after(state.path, action.label) });
  const players = position.values?.map((_, player) => player) ?? [];
  const head = [t(position.mover < 0 ? "place.outcome" : "place.action"), t(position.mover < 0 ? "place.probability" : "place.share"),
    ...players.map((player) => t("place.valueTo", { player })), ...(decides ? [t("place.cfv"), t("place.regret"), t("place.good")] : [])];
  const rows = position.actions.map((action) => [
    h("a", { href: href(action), "data-label": action.label }, action.name), percent(action.share),
    ...players.map((player) => signed(action.values?.[player])),
    ...(decides ? [number(action.counterfactual, 4), signed(action.regret), goodMark(action.as_good)] : []),
  ]);
  return [actionBar(position.actions, href), table(head, rows, { "aria-label": t("place.actions") })];
}

function goodMark(good) {
  return good ? `≈ ${t("place.asGood")}` : good === false ? "" : "–";
}

export function reach(position) {
  const { own, others, chance, product } = position.reach;
  const factors = position.observer === null ? [[t("place.players"), others]] : [[t("place.own"), own], [t("place.others"), others]];
  const cells = [...factors, [t("place.chance"), chance], [t("place.product"), product]];
  return table([t("place.reach"), ...cells.map(([name]) => name)], [[t("place.probability"), ...cells.map(([, value]) => number(value, 4))]],
    { "aria-label": t("place.reach") });
}

// The histories that the observer cannot tell apart.
export function merged(state, position) {
  if (position.observer === null) return [h("p", { class: "quiet" }, t("place.allKnown"))];
  const player = position.observer;
  const head = [t("place.history"), t("place.given"), ...position.merged[0].values.map((_, seat) => t("place.valueTo", { player: seat }))];
  const rows = position.merged.map((history) => {
    const here = state.seat === null && history.path === state.path;
    const link = h("a", { href: address(state, { path: history.path }), "aria-current": here ? "location" : null }, history.path.replaceAll("~", " · "));
    return [here ? h("span", {}, link, ` ← ${t("place.here")}`) : link, percent(history.probability), ...history.values.map((value) => signed(value))];
  });
  const more = position.merged_count > rows.length ? h("p", {}, t("place.more", { n: position.merged_count - rows.length })) : null;
  return [h("h2", {}, t("place.apart", { player })), h("p", { class: "quiet" }, t("place.apartAbout", { n: position.merged_count })),
    table(head, rows, { "aria-label": t("place.apart", { player }) }), more];
}

// The strategy in a public state: a row for each private information.
export function publicTable(state, content) {
  const { state: place, rows, labels, names, kinds } = content;
  const bar = (row) => actionBar(labels.map((label, index) => ({ label, name: names[index], kind: kinds[index], share: row.shares[index] })));
  const cell = (row, index) => `${percent(row.shares[index])}${row.values ? ` (${signed(row.values[index], 3)})` : ""}${
    row.as_good?.[index] && row.shares[index] > 0 && row.shares[index] < 1 ? " ≈" : ""}`;
  const lines = rows.map((row) => [
    h("a", { href: address(state, { path: row.path }), "aria-current": row.here ? "location" : null }, row.hand), h("code", {}, row.infoset), percent(row.reach),
    h("div", { class: "in-table" }, bar(row)), ...labels.map((_, index) => cell(row, index)),
  ]);
  const title = t("place.publicTitle", { number: place.number, player: place.player });
  return [h("h2", {}, title), h("p", {}, place.table),
    table([t("place.hand"), t("place.infoset"), t("place.reach"), t("place.strategy"), ...names], lines, { "aria-label": title }),
    h("p", { class: "quiet" }, t("place.publicAbout"))];
}
