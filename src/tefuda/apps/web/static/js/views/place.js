// A history of a game under a strategy: the way to it, its actions and figures, and what looks the same.
import { actionBar } from "../actions.js";
import { isShared } from "../api.js";
import { h, table } from "../dom.js";
import { field } from "../fields.js";
import { ROOT } from "../places.js";
import { number, percent, say, signed, t, written } from "../words.js";

const here = (isHere, kind = "location") => ({ "aria-current": isHere && kind });
const link = (href, attributes, ...content) => h("a", { href, ...attributes }, content);
export const playerName = (player) => (player < 0 ? t("place.chance") : t("place.player", { player }));
export const pathText = (path) => path.replaceAll("~", " · ");

// The title of a strategy, its figures, and the form that leads to an infoset.
export function head(about, find) {
  const { method, iterations: n, values, infosets } = about;
  const summary = t("place.summary", {
    made: method ? t("place.made", { method, n }) : t("place.uniform"),
    conv: number(about.nash_conv, 3),
    values: values.map((value, player) => t("place.value of", { player, value: signed(value) })).join(", "),
    histories: number(about.histories), infosets: number(about.infoset_count),
  });
  const input = field(t("place.goTo"),
    { id: "go-to", name: "infoset", list: "infosets", autocomplete: "off", placeholder: infosets[0] });
  const onsubmit = (event) => {
    event.preventDefault();
    if (input.control.value) find(input.control.value);
  };
  return [h("h1", {}, t("place.title", { ...about, game: written(`game.${about.game}`, about.game) })), h("p", {}, summary),
    h("form", { class: "row", onsubmit }, input,
      h("datalist", { id: "infosets" }, infosets.map((value) => h("option", { value }))),
      h("button", {}, t("place.go")))];
}

export function seats(place, { seats: known, players }) {
  if (!known) return null;
  const all = [[null, t("place.allCards")], ...Array.from({ length: players }, (_, seat) => [seat, playerName(seat)])];
  return h("nav", { class: "row", "aria-label": t("place.seat") }, all.map(([seat, name]) =>
    link(place.address(place.path, { seat }), { class: "button", ...here(`${seat}` === `${place.seat}`, "true") }, name)));
}

// The moves so far as links to every history on the way.
export function way(place, { path }) {
  const { labels } = place;
  const items = labels.map((_, index) => {
    const { mover, label, name } = path[index] ?? { mover: -1, label: null };
    const text = label === null ? h("span", { class: "hidden-move" }, t("place.hidden")) : say(name);
    return h("li", {}, h("span", { class: "quiet" }, playerName(mover)),
      link(place.address(place.upTo(index + 1)), here(index === labels.length - 1), text));
  });
  return h("section", { class: "panel" }, h("h2", {}, t("place.path")),
    h("nav", { "aria-label": t("place.path") }, h("ol", { class: "list moves" },
      h("li", {}, link(place.address(ROOT), here(!labels.length), t("place.start"))), items)));
}

// The actions as a bar and as a table; every part is a link to the history after it.
function actions(place, { actions: all, infoset, values, mover }) {
  if (!all.length) return [];
  const decides = infoset !== null;
  const players = [...(values ?? []).keys()];
  const head = [...(mover < 0 ? ["outcome", "probability"] : ["action", "share"]).map((name) => t(`place.${name}`)),
    ...players.map((player) => t("place.valueTo", { player })),
    ...(decides ? ["cfv", "regret", "good"] : []).map((name) => t(`place.${name}`))];
  const after = ({ label }) => place.address(place.after(label));
  const good = ({ as_good: isGood }) =>
    (isGood ? h("span", {}, "≈ ", t("place.asGood")) : isGood === false ? "" : "–");
  const row = (action) => [link(after(action), { "data-label": action.label }, say(action.name)),
    percent(action.share), ...players.map((player) => signed(action.values?.[player])),
    ...(decides ? [number(action.counterfactual, 4), signed(action.regret), good(action)] : [])];
  return [h("div", {}, actionBar(all.map((action) => ({ ...action, name: say(action.name) })), after)),
    table(head, all.map(row), { "aria-label": t("place.actions") })];
}

function figures(place, { mover, values, reach, observer }) {
  const kind = t(mover === -2 ? "place.payoff" : "place.value");
  const known = t(place.seat === null ? "place.expected" : "place.asKnown");
  const named = { own: observer !== null && "own", others: observer === null ? "players" : "others",
    chance: "chance", product: "product" };
  const factors = Object.entries(named).filter(([, name]) => name);
  return [table([kind, ...(values ?? []).map((_, player) => playerName(player))],
    [[known, ...(values ?? []).map((value) => signed(value))]], { "aria-label": kind }),
  table([t("place.reach"), ...factors.map(([, name]) => t(`place.${name}`))],
    [[t("place.probability"), ...factors.map(([name]) => number(reach[name], 4))]], { "aria-label": t("place.reach") })];
}

export function position(place, { rules }, known) {
  const { mover, infoset, mark, observer, observation: seen } = known;
  const title = { "-2": "place.end", "-1": "place.chanceMoves" }[mover] ?? "place.moves";
  const table = seen && say(seen.table);
  return h("section", { class: "panel here" }, h("h2", { id: "here", tabindex: -1 }, t(title, { player: mover })),
    infoset && h("p", {}, t("place.infoset"), " ", h("code", {}, infoset), " · ", t(`place.mark.${mark}`)),
    seen && h("p", { class: "seen" }, t("place.sees", { player: observer }), " ", h("strong", {}, say(seen.hand)),
      table ? `; ${table}` : ""),
    actions(place, known),
    infoset && rules && !isShared && h("p", {},
      link(`/learn/step?${new URLSearchParams({ game: rules, at: infoset })}`, {}, t("place.step"))),
    figures(place, known));
}

// The histories that look the same to the observer.
export function merged(place, { observer: player, merged: histories, merged_count: n }) {
  if (player === null) return [h("p", { class: "quiet" }, t("place.allKnown"))];
  const title = t("place.apart", { player });
  const row = ({ path, probability, values }) => {
    const isHere = place.seat === null && path === place.path;
    const name = link(place.address(path), here(isHere), pathText(path));
    return [isHere ? h("span", {}, name, " ← ", t("place.here")) : name, percent(probability),
      ...values.map((value) => signed(value))];
  };
  const head = [t("place.history"), t("place.given"),
    ...histories[0].values.map((_, seat) => t("place.valueTo", { player: seat }))];
  const more = n - histories.length;
  return [h("h2", {}, title), h("p", { class: "quiet" }, t("place.apartAbout", { n })),
    table(head, histories.map(row), { "aria-label": title }), more > 0 && h("p", {}, t("place.more", { n: more }))];
}

// The word and the address of each key.
export function keys(place, { players, seats: known }, { siblings, actions: all }) {
  const { labels, seat } = place;
  const index = siblings.indexOf(labels.at(-1));
  const beside = (step) => {
    const next = index >= 0 && siblings[index + step];
    return next && place.address([...labels.slice(0, -1), next].join("~"));
  };
  const best = all.reduce((most, one) => ((one.share ?? 0) > (most?.share ?? -1) ? one : most), null);
  const next = seat === null ? 0 : Number(seat) + 1 < players ? Number(seat) + 1 : null;
  return {
    ArrowLeft: ["place.key.left", labels.length && place.address(place.upTo(labels.length - 1))],
    ArrowRight: ["place.key.right", best && place.address(place.after(best.label))],
    ArrowUp: ["place.key.up", beside(-1)], ArrowDown: ["place.key.down", beside(1)],
    s: ["place.key.seat", known && place.address(place.path, { seat: next })],
  };
}
