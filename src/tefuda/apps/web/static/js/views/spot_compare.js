// Compare: two runs at the same line, their grids and the difference of their EVs.
import { actionBar, actionText, shareParts } from "../actions.js";
import { get } from "../api.js";
import { h } from "../dom.js";
import { field } from "../fields.js";
import { cells, chipsText, hand, rangeGrid } from "../ranges.js";
import { number, t } from "../words.js";
import { aboutText, nameRuns } from "./run_name.js";

const SHOWN = 8; // largest differences
const STEPS = [0.01, 0.05]; // of the pot: levels of the difference

// The level of a difference: −2 to 2.
const levelOf = (difference, pot) => Math.sign(difference) * STEPS.filter((step) => Math.abs(difference) / pot >= step).length;

function side(letter, run, node, seat, state) {
  const one = node.players[seat];
  const actions = one.acts ? node.actions : [];
  for (const action of node.actions) action.text = actionText(action.name);
  const shown = cells(one.rows.map(hand), node, { made: state.made, draw: state.draw, suit: state.suit });
  const title = `${letter}: ${run.name}`;
  return { shown, actions, element: h("section", { class: "panel" },
    h("h2", {}, h("span", { class: "letter" }, letter), " ", run.name),
    h("p", { class: "quiet" }, `${aboutText(run)} · EV ${one.name} ${chipsText(one.ev)}`),
    actions.length > 0 && h("div", { "aria-hidden": "true" }, actionBar(actions.map((action) => ({ ...action, name: action.text })))),
    rangeGrid(shown, { label: title, actions, show: "share", action: -1, start: 0, choose: () => {} })) };
}

function largest(differences, sides) {
  const bar = ({ shown, actions }, index) => h("span", { class: "bar small" }, shareParts(actions, shown[index].shares));
  const item = ({ name, number: index, difference }) => h("li", { class: "panel" }, h("div", { class: "row" }, h("b", {}, name),
    h("b", { class: difference > 0 ? "good" : "wrong" }, chipsText(difference, true))),
  sides.map((one, place) => h("div", { class: "pair" }, "AB"[place], bar(one, index), number(one.shown[index].ev, 4))));
  const most = differences.filter(({ difference }) => difference !== null)
    .toSorted((a, b) => Math.abs(b.difference) - Math.abs(a.difference)).slice(0, SHOWN);
  return h("section", { class: "panel" }, h("h2", {}, t("spot.largest")), h("ul", { class: "list largest" }, most.map(item)));
}

// The view as an element: this run is A, and the state names B.
export async function compareView(run, part, node, state) {
  const runs = await nameRuns((await get("/api/runs")).runs);
  const own = runs.find(({ id }) => id === decodeURIComponent(run));
  const start = JSON.stringify(own.spot?.board);
  const others = runs.filter((each) => each !== own && each.form === "hands" && JSON.stringify(each.spot?.board) === start);
  if (!others.length) return h("p", {}, t("spot.no other"));
  const other = others.find(({ id }) => id === state.with) ?? others[0];
  const choice = field(t("spot.compared with"), { name: "with", "data-key": "with",
    onchange: ({ target }) => state.change({ with: target.value }) }, others.map(({ id, name }) => [id, name]));
  choice.querySelector("select").value = other.id;
  const seat = node.player ?? state.seat;
  let second = null;
  try {
    second = await get(`/api/spots/${encodeURIComponent(other.id)}/${part}?seat=${seat}`);
  } catch (error) {
    return h("div", {}, choice, h("p", { class: "error" }, t("spot.no line"), " ", error.message));
  }
  const sides = [side("A", own, node, seat, state), side("B", other, second, seat, state)];
  const differences = sides[0].shown.map((cell, index) => {
    const [a, b] = [cell.ev, sides[1].shown[index].ev];
    return { ...cell, difference: a === null || b === null ? null : a - b };
  });
  const paint = (cell) => {
    if (cell.difference === null) return { kind: "empty", text: "", label: `${cell.name}: –` };
    const level = levelOf(cell.difference, node.pot);
    return { kind: `differs-${level}`, text: level ? chipsText(cell.difference, true).slice(0, 5) : "",
      label: `${cell.name}: ${chipsText(cell.difference, true)}` };
  };
  const title = t("spot.a less b");
  return h("div", {}, choice, h("div", { class: "three" }, sides.map(({ element }) => element),
    h("section", { class: "panel" }, h("h2", {}, h("span", { class: "letter" }, "±"), " ", title),
      h("p", { class: "quiet" }, t("spot.better", { player: node.seats[seat] })),
      rangeGrid(differences, { label: title, actions: [], start: 0, choose: () => {}, paint }))), largest(differences, sides));
}
