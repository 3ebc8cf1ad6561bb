// Beside a table of Koi-Koi: yaku of both players, the coach, the choice between stop and koi-koi, sums, ends.
import { card, cardName } from "../cards.js";
import { h, table } from "../dom.js";
import { language, number, say, signed, t } from "../words.js";
import { control } from "./hana.js";
import { opponentName, reviewLink } from "./hand.js";

const DECK = "hanafuda";
const LAST = ["complete", "open", "replaced", "impossible"];
const LISTED = 6; // maximum number of cards of a yaku that are drawn
let shownSide = "own"; // of the yaku, while the page is open

// The yaku of one player: complete ones first, impossible ones last.
export function yakuPanel(table) {
  const { more } = table.picture;
  const names = { own: t("koikoi.own yaku"), opponent: t("koikoi.yaku of", { who: opponentName(table) }) };
  const list = h("ol", { class: "list yaku-list", tabindex: 0 });
  const tabs = h("div", { class: "choice wide", role: "group", "aria-label": t("koikoi.yaku") });
  const show = (side) => {
    shownSide = side;
    tabs.replaceChildren(...Object.entries(names).map(([key, name]) =>
      h("button", { type: "button", "aria-pressed": `${key === side}`, onclick: () => show(key) }, name)));
    const { progress, pile } = more[side];
    const order = [...progress].sort((one, other) => LAST.indexOf(one.status) - LAST.indexOf(other.status));
    list.setAttribute("aria-label", names[side]);
    list.replaceChildren(...order.map((step) => yakuRow(step, step.cards, pile)));
  };
  show(shownSide);
  return h("section", { class: "koikoi panel yaku-panel" }, tabs, list);
}

// The coach: a row for each action with its card, a bar and its value; the height stays.
export function coachPanel({ advice, coach, mode, actions }) {
  const canAsk = mode !== "off" && actions.length > 0;
  const ask = canAsk && h("button", { "data-role": "hint", "data-send": "hint" }, t("table.hint"), " ",
    h("kbd", { "aria-hidden": "true" }, "h"));
  const head = h("div", { class: "panel-head" }, h("h2", {}, t("koikoi.coach")), h("small", { class: "quiet" },
    t("koikoi.expected points")), ask);
  if (!coach || mode === "off") return null;
  if (!advice) return h("section", { class: "panel coach-panel" }, head, h("p", { class: "quiet" }, t(`koikoi.coach.${mode}`)));
  const values = advice.actions.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const width = (value) => `${8 + (92 * (value - low)) / (high - low || 1)}%`;
  const row = (action) => h("li", { class: action.index === advice.chosen ? "coach-row chosen" : "coach-row" },
    action.cards.length ? card(action.cards[0], DECK) : h("span", {}, t(`action.${action.verb}`)),
    h("span", { class: "coach-bar", "aria-hidden": "true" }, h("span", { class: action.good && "best",
      style: { width: width(action.value) } })),
    h("b", { class: action.good && "good" }, signed(action.value, 2), action.good && " ✓",
      action.good && h("span", { class: "unseen" }, t("coach.as good")),
      action.index === advice.chosen && h("span", { class: "unseen" }, t("coach.chosen"))));
  const verdict = t(`coach.${advice.hint ? "hint" : advice.verdict}`, { cost: number(advice.cost, 3) });
  return h("section", { class: "panel coach-panel", "data-role": "advice" }, head,
    h("p", { class: `verdict ${advice.verdict ?? ""}` }, verdict),
    h("ul", { class: "list coach-list", tabindex: 0, "aria-label": t("koikoi.coach") }, advice.actions.map(row)));
}

// What still multiplies the points.
function multipliers({ limit, lacks, called, is_called: isCalled }, who) {
  return [
    lacks > 0 && t("koikoi.to double", { points: pointsText(lacks), limit }),
    called > 1 && t("koikoi.risk", { factor: called, who }),
    called > 1 && !isCalled && t("koikoi.if called", { factor: called, who }),
  ].filter(Boolean);
}

// A yaku that is near: its missing cards, name, and points.
const nearRow = ({ name, missing, need, have, value }) => h("li", { class: "near-row" },
  h("span", { class: "hana-row" }, missing.slice(0, need - have).map((code) => card(code, DECK))),
  h("span", {}, say(name)), h("b", {}, `+${value}`));

function nearPart(title, { progress }) {
  const near = progress.filter((step) => step.near);
  return near.length > 0 && [h("h3", {}, title), h("ul", { class: "list" }, near.map(nearRow))];
}

// The choice between stop and koi-koi: two equal buttons; nothing is chosen beforehand.
export function choiceSheet(table) {
  const { picture: { more }, actions, advice } = table;
  const { own, opponent, doubles } = more;
  const who = opponentName(table);
  const button = (label, about, key) => control(label, actions, { class: "choose-koikoi" },
    h("b", {}, t(`koikoi.${label}`)), h("small", {}, about), h("kbd", { "aria-hidden": "true" }, key));
  const value = (label) => advice?.hint && advice.actions.find((action) => action.label === label);
  const coach = advice?.hint && h("p", { class: "coach-line" }, t("koikoi.coach"), ["stop", "koi-koi"].map((label) =>
    h("span", { class: value(label)?.good && "good" }, value(label)?.good && "✓ ", t(`koikoi.${label}`), " ",
      h("b", {}, signed(value(label)?.value, 2)))));
  return h("section", { class: "koikoi hana-sheet panel", "aria-label": t("koikoi.choice") }, h("h2", {}, t("koikoi.choice")),
    h("div", { class: "choose-row" }, button("stop", t("koikoi.win now", { points: pointsText(own.score.points) }), "1"),
      button("koi-koi", t("koikoi.play on"), "2")),
    h("div", { class: "hana-parts", tabindex: 0, role: "group", "aria-label": t("koikoi.points now") },
      h("h3", {}, t("koikoi.points now")), sumTable(own.score, more.player),
      h("p", {}, multipliers(doubles, who).join(" ")), nearPart(t("koikoi.near"), own),
      nearPart(t("koikoi.near for", { who }), opponent)), coach);
}

const yakuCards = ({ yaku }, { progress, pile }) => {
  const names = yaku.map((each) => say(each.name));
  const steps = progress.filter((step) => names.includes(say(step.name)));
  return [...new Set(steps.flatMap((step) => step.cards.filter((code) => pile.includes(code))))];
};

// The end of a round: the winner, the yaku's cards, the sum line by line, the match, the way on.
export function roundSheet(table) {
  const { picture: { more }, match, coach, closed, variation } = table;
  const { winner, points, reason, score } = more.ending;
  const who = opponentName(table);
  const result = winner === null ? "none" : winner === more.player ? "won" : "lost";
  const cards = score ? yakuCards(score, winner === more.player ? more.own : more.opponent) : [];
  const title = t(`koikoi.${result}`, { points: pointsText(points), who });
  return h("section", { class: `hana-end ${result}`, "data-role": "ending", "aria-label": title },
    match && h("p", { class: "quiet" }, t("koikoi.round", { round: match.round - !match.over, rounds: match.rounds })),
    h("h2", {}, title), h("p", {}, t(`koikoi.ended.${reason}`)),
    cards.length > 0 && h("div", { class: "hana-row won-cards" }, cards.map((code) =>
      h("span", { title: cardName(code, DECK) }, card(code, DECK)))),
    score && sumTable(score, more.player, who), match && matchLine(table),
    h("div", { class: "row" }, !closed && !variation && h("button", { class: "main", "data-role": "next", "data-send": "next" },
      t(match?.over ? "koikoi.end match" : "koikoi.next round"), " ", h("kbd", { "aria-hidden": "true" }, "⏎")),
    coach !== null && reviewLink(table),
    closed && h("a", { class: "button main", href: "/play" }, t("koikoi.next match"))));
}

const matchLine = (table) => h("p", { class: "match-line" }, t("koikoi.match short"), " ", h("b", {}, t("koikoi.you"), " ",
  number(table.match.points[0])), " ", h("b", {}, opponentName(table), " ", number(table.match.points[1])));

// The end of a match: its winner as heading, the score, the rounds, the cost of the decisions.
export function matchSheet(table) {
  const { match: { points: [own, other], results, rounds }, statistics, id, coach, closed } = table;
  const result = own > other ? "won" : own < other ? "lost" : "even";
  const who = opponentName(table);
  const title = t(`koikoi.match.${result}`, { who });
  const row = (points, index) => h("li", {}, h("span", {}, t("koikoi.round short", { n: index + 1 })),
    h("b", { class: points > 0 ? "good" : points < 0 ? "wrong" : "" }, signed(points)),
    coach !== null && h("a", { href: `/tables/${id}/hands/${index}` }, t("table.review")));
  const { cost, mistakes, decisions } = statistics.own;
  return h("section", { class: `hana-end match ${result}`, "data-role": "ending", "aria-label": title },
    h("p", { class: "quiet" }, t("koikoi.match of", { rounds })), h("h2", {}, title),
    h("p", { class: "final-score" }, h("span", {}, h("small", {}, t("koikoi.you")), number(own)), " : ",
      h("span", {}, h("small", {}, who), number(other))),
    h("ol", { class: "list rounds" }, results.map(row)),
    coach !== null && cost !== null && h("p", { class: "match-line" }, t("koikoi.cost", { cost: number(cost * decisions, 2),
      mistakes })),
    h("div", { class: "row" }, closed
      ? h("a", { class: "button main", href: "/play" }, t("koikoi.next match"))
      : h("button", { class: "main", "data-role": "next", "data-send": "next" }, t("koikoi.end match"))));
}

const pointsText = (n) => t("koikoi.points", { n });

// Why points are multiplied; player: the reader's seat.
function reasonOf({ reason, limit, caller }, player, who) {
  return t(`koikoi.${reason === "opponent_called" && caller === player ? "you called" : reason}`, { limit, who });
}

// Points with their sum line by line, for the player of a seat.
function sumTable({ yaku, base, bonus, factors, points }, player, who = t("koikoi.opponent")) {
  const rows = yaku.map((each) => [say(each.name), each.points]);
  if (rows.length > 1) rows.push([t("koikoi.sum"), base]);
  if (bonus !== base) rows.push([t("koikoi.bonus"), bonus]);
  let product = bonus;
  for (const each of factors) {
    product *= each.factor;
    rows.push([t("koikoi.factor", { factor: each.factor, reason: reasonOf(each, player, who) }), product]);
  }
  return table([t("koikoi.yaku"), t("koikoi.points head")], [...rows, [t("koikoi.total"), points]]);
}

// A yaku: its name, its cards if they are few, and how far it is; pile: the cards that it has.
function yakuRow({ name, value, status, points, have, need, missing }, codes, pile = null) {
  const kind = (code) => pile && (pile.includes(code) ? "have" : missing.includes(code) ? "missing" : "gone");
  const small = (code) => h("li", { class: kind(code), title: cardName(code, DECK) }, card(code, DECK));
  return h("li", { class: `yaku ${status}` },
    h("span", {}, h("span", { class: "name" }, say(name)),
      h("small", { lang: "ja" }, language === "ja" ? "" : ` ${name.ja}`), h("small", {}, " ", pointsText(value))),
    codes.length <= LISTED && h("ul", { class: "hana-row list" }, codes.map(small)),
    h("span", { class: "yaku-count" }, status === "complete" ? pointsText(points) : `${have}/${need}`,
      h("span", { class: "unseen" }, " ", t(`koikoi.status.${status}`))));
}
