// Figures of recorded hands: the graph of results, statistics with intervals, groups.
import { chart } from "../chart.js";
import { fold, h, svg, table } from "../dom.js";
import { number, signed, t } from "../words.js";

const FEW = 10; // chances below which a percentage says little
const FIRST = ["vpip", "pfr", "rfi", "three_bet", "fold_to_three_bet", "cbet_flop", "fold_to_cbet_flop", "wtsd", "wsd", "squeeze"];
const LINES = ["net", "no_showdown", "adjusted", "showdown"];
const [WIDE, HIGH] = [100, 10]; // of a track from 0 to 100 %
const WORDS = { position: "position", pot: "pot", class: "hero" }; // words of the filter that choose a group

// A result for 100 hands, with a whole number of digits that its interval allows.
const perHundred = (value) => signed(value, Math.abs(value) < 100 ? 2 : 3);

// The sentence below the graph.
function sentence({ bb_per_100: mean, half_width: half, adjusted_bb: adjusted, cash_hands: n, hands_needed: needed }) {
  const parts = [half !== null && t("graph.interval", { low: perHundred(mean - half), high: perHundred(mean + half) }),
    t("graph.adjusted mean", { n: perHundred((100 * adjusted) / n) }), needed > 0 && t("graph.needed", { n: number(needed, 3) })];
  return h("p", { class: "graph-said" }, h("b", { class: mean < 0 ? "wrong" : "good" }, t("graph.mean", { n: perHundred(mean) })),
    ...parts.filter(Boolean));
}

// The graph of results over hands or days; null without cash hands. choose(over) is called.
export function graphPanel({ graph, total }, choose) {
  if (!graph) return null;
  const shown = "days" in graph ? "days" : "hands";
  const points = (name) => graph[shown].map((n, index) => [n, graph[name][index], ...(name === "net" && graph.half_width[index] !== null
    ? [graph.net[index] - graph.half_width[index], graph.net[index] + graph.half_width[index]] : [])]);
  const message = { labels: [[`graph.${shown}`], ["graph.bb"]], scales: ["linear", "linear"], levels: [],
    lines: LINES.map((name) => ({ name, points: points(name), marks: false })) };
  const over = h("div", { class: "choice" }, ["hands", "days"].map((each) => h("button", { type: "button", "data-role": `over-${each}`,
    "aria-pressed": `${each === shown}`, onclick: () => choose(each) }, t(`graph.${each}`))));
  return h("section", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, t("graph.title"), " ",
    h("small", { class: "quiet" }, t("graph.band"))), over),
    chart(t("graph.title"), message, (name) => t(`graph.${name}`)), sentence(total));
}

function statisticRow([name, { made, opportunities, share, interval: [low, high] }]) {
  const place = (value) => value * WIDE;
  const track = svg("svg", { class: "track", viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "all", width: WIDE, height: HIGH }),
    opportunities > 0 && [svg("rect", { class: "interval", x: place(low), width: place(high - low), height: HIGH }),
      svg("rect", { class: "value", x: place(share) - 0.7, y: -1, width: 1.4, height: HIGH + 2 })]);
  const title = opportunities > 0 && t("statistic.interval", { low: number(100 * low, 2), high: number(100 * high, 2) });
  return h("tr", { class: opportunities < FEW && "few", title }, h("th", { scope: "row" }, t(`statistic.${name}`)),
    h("td", {}, h("b", {}, opportunities ? number(100 * share, 3) : "–")),
    h("td", {}, track, title && h("span", { class: "unseen" }, title)), h("td", {}, `${number(made)}/${number(opportunities)}`));
}

const statisticTable = (rows) => h("table", { class: "statistics", "aria-label": t("statistics") },
  h("tbody", {}, rows.map(statisticRow)));

// Statistics with intervals on tracks from 0 to 100 %.
export function statisticsPanel({ total }) {
  const rows = Object.entries(total.counts);
  const first = FIRST.map((name) => [name, total.counts[name]]);
  return h("section", { class: "panel" }, h("h2", {}, t("statistics"), " ", h("small", { class: "quiet" }, t("statistics.about"))),
    statisticTable(first), fold(t("statistics.more"), {}, statisticTable(rows.filter(([name]) => !FIRST.includes(name)))));
}

// Results by group; add(word) adds a condition to the filter.
export function groupsPanel({ groups }, by, add) {
  if (!groups.length) return null;
  const name = (group) => (WORDS[by] ? h("button", { class: "plain", onclick: () => add(`${WORDS[by]}=${group}`) }, group)
    : h("span", { lang: "en" }, group));
  const rows = groups.map((group) => [name(group.name), number(group.hands), signed(group.net_bb, 4), perHundred(group.bb_per_100),
    group.half_width === null ? "–" : `±${number(group.half_width, 2)}`]);
  const head = [t(`group.${by}`), ...["hands", "bb", "per 100", "interval"].map((each) => t(`group.${each}`))];
  return h("section", { class: "panel groups" }, h("h2", {}, t("hands.by", { name: t(`group.${by}`) })), table(head, rows));
}
