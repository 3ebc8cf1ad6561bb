// Parts of the page of a spot: head, actions, the combos of a class, and groups of hands.
import { actionClass, mark } from "./actions.js";
import { card, cardsText, coloursBox, suitMark } from "./cards.js";
import { h } from "./dom.js";
import { RANKS, SUITS } from "./ranges.js";
import { number, percent, signed, t } from "./words.js";

// The name of an action or card in the page's language.
export function actionText(name) {
  const [, word, amount] = name.match(/^([A-Za-z]+)(?:\((\d+)\))?$/) ?? [];
  return [t(`spot.${word}`), amount].filter(Boolean).join(" ");
}

// The actions of a node with their names as texts.
export function namedActions(node) {
  return node.actions.map((action) => ({ ...action, text: actionText(action.name) }));
}

function fact(label, ...content) {
  return h("div", { class: "fact" }, h("dt", {}, label), h("dd", {}, content));
}

function pair(node, name, format) {
  return node.players.map((player) => h("span", {}, h("small", {}, `${player.name} `), format(player[name]), " "));
}

// The head of a node: where it is, the board, pot, EV and equity of both players.
export function head(node, link, practise) {
  const steps = node.path.map((step, index) => {
    const last = index === node.path.length - 1;
    const text = step.kind === "card" ? cardsText([step.name]) : [h("small", {}, node.seats[step.player]), " ", actionText(step.name)];
    return h("li", {}, h("a", { href: link(step.line), "aria-current": last && "page" }, text));
  });
  const where = node.player !== null ? t("spot.to act", { player: node.seats[node.player] }) : t(node.cards.length ? "spot.a card" : "spot.over");
  const { solution } = node;
  const known = (figure) => node.players.some((player) => player[figure] !== null);
  return [
    h("div", { class: "spot-top" },
      h("nav", { class: "line", "aria-label": t("spot.line") }, h("ol", {}, h("li", {}, h("a", { href: link("") }, t("spot.start"))), steps)),
      h("p", { class: "quiet" }, solution.name, " · ", t(`spot.quality.${solution.quality}`, { figure: number(solution.figure, 3), n: solution.iterations }),
        solution.locks.length ? ` · ${t("spot.locks", { n: solution.locks.length })}` : ""),
      practise && h("button", { class: "plain practise", type: "button", onclick: practise }, t("spot.practise"))),
    h("div", { class: "spot-head" },
      node.board.length > 0 && h("div", { class: "board" }, node.board.map((code) => card(code))), h("h1", {}, `${t(`spot.${node.street}`)}: ${where}`),
      h("dl", { class: "facts" },
        fact(t("spot.pot"), number(node.pot)), node.behind !== null && fact(t("spot.behind"), number(node.behind)),
        known("ev") && fact("EV", pair(node, "ev", (value) => number(value, 4))), known("equity") && fact(t("spot.equity"), pair(node, "equity", percent)),
        node.probability !== null && fact(t("spot.reached"), percent(node.probability)))),
  ];
}

// The actions of a node as a bar and as links.
export function actionLinks(node, link) {
  const actions = namedActions(node);
  const parts = actions.map((action) => h("span", { class: actionClass(action), style: { flexGrow: action.share ?? 0 } },
    h("span", {}, mark(action))));
  const links = actions.map((action, index) => h("a", { class: "button choose", href: link(action.line), "data-key": `go-${index}` },
    h("span", { class: `${actionClass(action)} swatch`, "aria-hidden": "true" }, mark(action)),
    h("span", {}, action.text, action.part ? h("small", { class: "quiet" }, ` ${percent(action.part, 2)}`) : null),
    h("b", {}, percent(action.share))));
  return h("section", { class: "spot-actions", "aria-label": t("spot.actions") }, h("div", { class: "bar", "aria-hidden": "true" }, parts),
    h("div", { class: "row" }, links));
}

// The cards that may come next, as links; or the way the hand ends.
export function cardChoice(node, link) {
  if (!node.cards.length) return h("p", { class: "quiet" }, t("spot.over.note"));
  const one = (text) => (node.cards.includes(text)
    ? h("a", { class: "next-card", href: link(`${node.line}/${text}`) }, cardsText([text])) : h("span", { class: "next-card", "aria-hidden": "true" }));
  return h("section", { "aria-label": t("spot.a card") }, h("h2", {}, t("spot.choose card")),
    h("div", { class: "next-cards" }, SUITS.map((suit) => h("div", {}, [...RANKS].map((rank) => one(rank + suit))))));
}

// Buttons that show only hands with a card of a suit, and the switch of colours.
export function suitFilter(state, change) {
  const toggled = (list, value) => (list.includes(value) ? list.filter((one) => one !== value) : [...list, value]);
  const button = (suit) => h("button", {
    type: "button", class: "toggle", "aria-pressed": `${state.filter.suit.includes(suit)}`, "aria-label": t("spot.with", { suit: t(`suit.${suit}`) }),
    "data-key": `suit-${suit}`, onclick: () => change({ filter: { ...state.filter, suit: toggled(state.filter.suit, suit) } }),
  }, suitMark(suit));
  const active = Object.values(state.filter).some((list) => list.length);
  const reset = h("button", { type: "button", class: "plain", "data-key": "reset", disabled: !active,
    onclick: () => change({ filter: { made: [], draw: [], suit: [] } }) }, t("spot.reset"));
  return [h("div", { class: "choice", role: "group", "aria-label": t("spot.suits") }, SUITS.map(button)), reset, coloursBox()];
}

function bar(shares, actions) {
  return h("span", { class: "bar small", "aria-hidden": "true" },
    shares.map((share, index) => share > 0 && h("span", { class: actionClass(actions[index]), style: { flexGrow: share } })));
}

// The hands of a class, each with its shares, EV and equity.
export function combos(cell, actions, player, indifference) {
  const title = h("h2", {}, cell.name, " ", h("small", { class: "quiet" }, player, " · ", t("spot.combos", { n: cell.hands.length }),
    cell.hands.length ? ` · ${t("spot.of range", { share: percent(cell.frequency) })}` : ""));
  if (!cell.hands.length) return [title, h("p", { class: "quiet" }, t(cell.left ? "spot.filtered" : "spot.absent"))];
  const judged = cell.losses.some((loss) => loss !== null);
  const best = (one) => actions.filter((_, index) => one.losses[index] !== null && one.losses[index] >= -indifference);
  const row = (one) => h("tr", {}, h("th", { scope: "row" }, cardsText([one.text.slice(0, 2), one.text.slice(2)])),
    actions.length ? h("td", { class: "wide" }, bar(one.shares, actions), h("span", { class: "unseen" },
      one.shares.map((share, index) => `${actions[index].text} ${percent(share)}`).join(", "))) : null,
    judged ? h("td", {}, best(one).map((action) => action.text).join(", ")) : null,
    h("td", {}, number(one.ev, 4)), h("td", {}, percent(one.equity, 3)));
  const columns = [t("spot.hand"), ...(actions.length ? [t("spot.share"), ...(judged ? [t("spot.best")] : [])] : []), "EV", t("spot.equity")];
  const losses = actions.map((action, index) => h("li", {}, `${action.text} ${percent(cell.shares[index])}`,
    cell.losses[index] < -indifference ? h("span", { class: "wrong" }, ` ${signed(cell.losses[index], 2)} EV`) : null));
  return [title, cell.rare ? h("p", { class: "quiet" }, t("spot.rare")) : null, h("ul", { class: "plain-list row" }, losses),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": cell.name }, h("table", {}, h("thead", {}, h("tr", {}, columns.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, cell.hands.map(row))))].filter(Boolean);
}

// A table of groups of hands; its first column filters the grid.
function groupTable(title, kind, list, node, acts, state, change) {
  const actions = acts ? namedActions(node) : [];
  const most = Math.max(...list.map((group) => group.frequency));
  const toggle = (name) => {
    const names = state.filter[kind];
    change({ filter: { ...state.filter, [kind]: names.includes(name) ? names.filter((one) => one !== name) : [...names, name] } });
  };
  const row = (group) => h("tr", {},
    h("th", { scope: "row" }, h("button", { type: "button", class: "toggle", "aria-pressed": `${state.filter[kind].includes(group.name)}`,
      "data-key": `${kind}-${group.name}`, onclick: () => toggle(group.name) }, t(`spot.${group.name}`))),
    h("td", { class: "wide" }, h("span", { class: "amount" }, h("span", { style: { width: `${(100 * group.frequency) / most}%` } }), percent(group.frequency, 2))),
    actions.length ? h("td", { class: "wide" }, bar(group.shares, actions), h("span", { class: "unseen" },
      group.shares.map((share, index) => `${actions[index].text} ${percent(share)}`).join(", "))) : null,
    h("td", {}, number(group.ev, 3)), h("td", {}, percent(group.equity, 2)));
  const columns = [title, t("spot.frequency"), ...(actions.length ? [t("spot.share")] : []), "EV", t("spot.equity")];
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, h("table", { class: "groups" },
    h("thead", {}, h("tr", {}, columns.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, list.map(row))));
}

// A player's hands by made hand and by draw.
export function groups(node, state, change) {
  const player = node.players[state.player];
  if (!player.made_hands.length) return null;
  const part = (kind, name) => groupTable(t(`spot.${name}`), kind, player[name], node, player.acts, state, change);
  return h("section", { class: "panel" }, h("h2", {}, t("spot.breakdown", { player: player.name })), part("made", "made_hands"),
    node.street === "river" ? null : part("draw", "draws"));
}
