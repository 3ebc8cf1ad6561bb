// The head of a node of hold'em, and the actions or cards that may come next.
import { actionBar, actionClass, actionText, mark } from "../actions.js";
import { card, cardsText } from "../cards.js";
import { h } from "../dom.js";
import { number, percent, t } from "../words.js";

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
