// Explore the strategy of a tree: a history with all its figures, as all or one of the players know it.
import { isShared } from "../api.js";
import { h, style, table } from "../dom.js";
import { gameTree } from "../game_tree.js";
import { addKeys } from "../keys.js";
import { go } from "../main.js";
import { overTime } from "../over_time.js";
import { actions, merged, pathList, playerName, publicTable, reach } from "../place_parts.js";
import { address, after, ask, encoded, joined, PANELS, parts, readState } from "../place_state.js";
import { number, percent, signed, t } from "../words.js";

let walked = false;

export async function show(root, location) {
  const state = readState(location);
  const [about] = await Promise.all([ask(state.id), style("place")]);
  if (state.infoset !== null) {
    const { path } = await ask(state.id, "/infoset", { name: state.infoset });
    return go(address(state, { path }), true);
  }
  root.append(h("h1", {}, t("place.title", { game: about.game })), summary(about));
  if (state.public !== null) {
    root.append(publicChoice(state, about), ...publicTable(state, await ask(state.id, "/public", { number: state.public })));
    return null;
  }
  const position = await ask(state.id, `/at/${encoded(state.path)}`, state.seat === null ? {} : { seat: state.seat });
  if (position.moved) return go(address(state, { path: position.moved }), true);
  const content = await panel(state, about, position);
  root.append(h("div", { class: "row" }, seats(state, about), goTo(state, about)), h("div", { class: "place" },
    h("section", { class: "panel" }, h("h2", {}, t("place.path")), pathList(state, position)),
    h("section", { class: "panel here" }, here(state, about, position)),
    h("section", { class: "more" }, tabs(state, about, position), content)));
  shortcuts(state, about, position);
  if (walked) requestAnimationFrame(() => document.getElementById("here")?.focus());
  walked = false;
  return null;
}

function summary(about) {
  const made = about.method ? t("place.made", { method: about.method, n: about.iterations }) : t("place.uniform");
  const values = about.values.map((value, player) => `${playerName(player)} ${signed(value)}`).join(", ");
  return h("p", {}, t("place.summary", { made, conv: number(about.nash_conv, 3), values, histories: number(about.histories), infosets: number(about.infoset_count) }));
}

function seats(state, about) {
  if (!about.seats) return null;
  const choices = [null, ...Array(about.players).keys()].map((seat) => h("a", {
    class: "button", href: address(state, { seat }), "aria-current": `${seat}` === `${state.seat}` ? "true" : null,
  }, seat === null ? t("place.allCards") : playerName(seat)));
  return h("nav", { class: "row", "aria-label": t("place.seat") }, choices);
}

function goTo(state, about) {
  const field = h("input", { id: "go-to", name: "infoset", list: "infosets", autocomplete: "off", placeholder: about.infosets[0] });
  const submit = (event) => {
    event.preventDefault();
    if (field.value) go(address(state, { infoset: field.value }));
  };
  return h("form", { class: "row", onsubmit: submit }, h("label", {}, h("span", {}, t("place.goTo")), field),
    h("datalist", { id: "infosets" }, about.infosets.map((value) => h("option", { value }))), h("button", {}, t("place.go")));
}

function stepAddress(about, position) {
  return `/learn/step?${new URLSearchParams({ game: about.rules, at: position.infoset })}`;
}

function here(state, about, position) {
  const title = position.mover === -2 ? t("place.end") : position.mover === -1 ? t("place.chanceMoves") : t("place.moves", { player: position.mover });
  const seen = position.observation;
  const values = position.values?.map((value, player) => [playerName(player), signed(value)]) ?? [];
  return [h("h2", { id: "here", tabindex: -1 }, title),
    position.infoset ? h("p", {}, `${t("place.infoset")} `, h("code", {}, position.infoset)) : null,
    seen ? h("p", { class: "seen" }, t("place.sees", { player: position.observer }), " ", h("strong", {}, seen.hand), seen.table ? `; ${seen.table}` : "") : null,
    actions(state, position), position.infoset && about.rules && !isShared ? h("p", {}, h("a", { href: stepAddress(about, position) }, t("place.step"))) : null,
    table([t(position.mover === -2 ? "place.payoff" : "place.value"), ...values.map(([name]) => name)], [[t(state.seat === null ? "place.expected" : "place.asKnown"), ...values.map(([, value]) => value)]], {}),
    reach(position)];
}

function available(about, position) {
  return { values: true, table: position.public_state !== null, time: position.infoset !== null && about.method !== null && !isShared, tree: about.small || (position.infoset !== null && !isShared) };
}

function tabs(state, about, position) {
  const can = available(about, position);
  return h("nav", { class: "row tabs", "aria-label": t("place.panels") }, PANELS.filter((name) => can[name]).map((name) => h("a", {
    class: "button", href: address(state, { show: name }), "aria-current": name === state.show ? "true" : null }, t(`place.show.${name}`))));
}

async function panel(state, about, position) {
  const name = available(about, position)[state.show] ? state.show : "values";
  if (name === "table") {
    const content = await ask(state.id, "/public", { number: position.public_state });
    for (const row of content.rows) row.here = row.infoset === position.infoset;
    return [publicTable(state, content), h("p", {}, h("a", { href: address(state, { public: position.public_state }) }, t("place.allStates")))];
  }
  if (name === "time") return overTime(state.id, position.infoset);
  if (name === "tree") return tree(state, about, position);
  return merged(state, position);
}

async function tree(state, about, position) {
  const { histories } = await ask(state.id, "/tree", about.small ? {} : { infoset: position.infoset });
  const inside = position.observer === null ? [state.path] : position.merged.map((history) => history.path);
  const numbers = (history) => ({
    edge: history.parent === null ? null : number(history.share, 2), litEdge: history.share >= 0.5, node: signed(history.values[0], 2),
  });
  const title = t("place.show.tree");
  const rows = histories.map((history) => [h("a", { href: address(state, { path: history.path }) }, history.path.replaceAll("~", " · ")),
    history.infoset ?? "", percent(history.share), number(history.reach, 4), ...history.values.map((value) => signed(value))]);
  const head = [t("place.history"), t("place.infoset"), t("place.lastMove"), t("place.reach"), ...histories[0].values.map((_, player) => t("place.valueTo", { player }))];
  return [h("h2", {}, title), h("p", { class: "quiet" }, t("place.treeAbout")),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
      gameTree({ histories, title, numbers, infoset: position.infoset, here: inside, pick: ({ path }) => go(address(state, { path })) })),
    h("details", {}, h("summary", {}, t("as table")), table(head, rows, { "aria-label": title }))];
}

function publicChoice(state, about) {
  const choose = (event) => go(address(state, { public: event.target.value }));
  const options = about.public_states.map(({ number: value, player, table: text }) =>
    h("option", { value, selected: `${value}` === state.public }, `${value}: ${playerName(player)} · ${text}`));
  return h("label", { class: "choice" }, h("span", {}, t("place.publicStates", { n: about.public_states.length })), h("select", { onchange: choose }, options));
}

function shortcuts(state, about, position) {
  const walk = (path) => {
    if (path === null) return;
    walked = true;
    go(address(state, { path }));
  };
  const labels = parts(state.path);
  const sibling = (step) => {
    const label = position.siblings[position.siblings.indexOf(labels.at(-1)) + step];
    return labels.length && label !== undefined ? joined([...labels.slice(0, -1), label]) : null;
  };
  const best = position.actions.toSorted((a, b) => b.share - a.share)[0];
  const seatList = [null, ...Array(about.players).keys()].map((seat) => (seat === null ? null : `${seat}`));
  addKeys({
    ArrowLeft: [t("place.key.left"), () => walk(labels.length ? joined(labels.slice(0, -1)) : null)],
    ArrowRight: [t("place.key.right"), () => walk(best ? after(state.path, best.label) : null)],
    ArrowUp: [t("place.key.up"), () => walk(sibling(-1))],
    ArrowDown: [t("place.key.down"), () => walk(sibling(1))],
    s: [t("place.key.seat"), () => about.seats && go(address(state, { seat: seatList[(seatList.indexOf(state.seat) + 1) % seatList.length] }))],
    g: [t("place.goTo"), () => document.getElementById("go-to").focus()],
  });
}
