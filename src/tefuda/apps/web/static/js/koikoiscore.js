// Yaku of Koi-Koi: their progress, the sum of a round line by line, and the choice between stop and koi-koi.
import { h, table } from "./dom.js";
import { hanafudaRow } from "./hanafuda.js";
import { language, t } from "./words.js";

const NEAR = 2; // most cards that a near yaku lacks
const LISTED = 6; // most cards of a yaku whose pictures are shown
const japanese = (text) => h("span", { lang: "ja" }, text);
const named = (yaku) => (language === "ja" ? japanese(yaku.japanese) : h("span", {}, yaku.name, " ", h("small", {}, japanese(yaku.japanese))));
const points = (number) => t("koikoi.points", { n: number });

function row(step, own) {
  const name = step.status === "impossible" ? h("s", {}, named(step)) : named(step);
  const kind = (code) => (own.includes(code) ? "have" : step.missing.includes(code) ? "missing" : "gone");
  const cards = step.cards.length <= LISTED ? hanafudaRow(step.cards, kind) : null;
  const count = step.status === "complete" ? points(step.points) : `${step.have}/${step.need}`;
  return h("li", { class: `yaku ${step.status}` }, h("span", {}, name, h("small", {}, ` ${points(step.value)}`)), cards,
    h("span", { class: "yaku-count" }, count, h("span", { class: "unseen" }, ` ${t(`koikoi.${step.status}`)}`)));
}

const unfolded = { own: innerWidth >= 900, opponent: false }; // while the page is open

// The progress of both piles to each yaku.
export function yakuList(more) {
  const list = (side) => h("ol", { class: "yaku-list" }, side.progress.map((step) => row(step, side.pile)));
  return ["own", "opponent"].map((name) => h("details", { open: unfolded[name], ontoggle: (event) => { unfolded[name] = event.target.open; } },
    h("summary", {}, h("h2", {}, t(`koikoi.${name} yaku`))), list(more[name])));
}

// The sum line by line, each multiplier with its reason and the points after it.
export function scoreTable(score) {
  const lines = score.yaku.map((yaku) => [named(yaku), yaku.points]);
  if (score.yaku.length > 1) lines.push([t("koikoi.sum"), score.base]);
  if (score.bonus !== score.base) lines.push([t("koikoi.bonus"), score.bonus]);
  for (const line of score.factors) lines.push([`× ${line.factor} (${t(`koikoi.${line.name}`, { n: line.limit })})`, line.points]);
  return table([t("koikoi.yaku"), t("koikoi.points head")], [...lines, [h("strong", {}, t("koikoi.total")), h("strong", {}, points(score.points))]],
    { class: "hana-score" });
}

// The end of a round.
export function ending(more) {
  const { reason, winner, score, points: won } = more.ending;
  const who = winner === null ? "none" : winner === more.player ? "won" : "lost";
  return h("section", { class: "hana-sheet", "data-role": "ending" }, h("h2", {}, t(`koikoi.${who}`, { n: won })),
    h("p", {}, t(`koikoi.reason.${reason}`)), score && scoreTable(score));
}

function near(side) {
  const steps = side.progress.filter((step) => step.status === "open" && step.have > 0 && step.need - step.have <= NEAR);
  return steps.map((step) => h("li", { class: "yaku" }, h("span", {}, named(step)), step.missing.length <= LISTED && hanafudaRow(step.missing),
    h("span", { class: "yaku-count" }, `${step.have}/${step.need}`)));
}

// The multipliers that do not count yet.
function doubles(more) {
  const factors = more.own.score.factors.map((factor) => factor.name);
  const lines = [];
  if (more.double_at && !factors.includes("double_at")) lines.push(t("koikoi.to double", { n: more.double_at - more.own.score.base, limit: more.double_at }));
  if (more.opponent_called > 1) {
    lines.push(t("koikoi.risk", { factor: more.opponent_called }));
    if (!factors.includes("opponent_called")) lines.push(t("koikoi.if called", { factor: more.opponent_called }));
  }
  return lines.map((line) => h("li", {}, line));
}

// The choice between stop and koi-koi, below the field: points now, multipliers, near yaku of both players.
export function callSheet(more, actions, act) {
  const button = (action) => h("button", { class: action.label === "stop" ? "main" : "", "data-action": action.index, onclick: () => act(action.index) },
    action.label === "stop" ? t("koikoi.stop", { points: points(more.own.score.points) }) : t("koikoi.call"));
  const part = (title, items) => items.length > 0 && h("div", {}, h("h3", {}, title), h("ul", {}, items));
  return h("section", { class: "hana-sheet", "aria-label": t("koikoi.choice") }, h("h2", {}, t("koikoi.choice")),
    h("div", { class: "row" }, actions.map(button)),
    h("div", { class: "hana-parts" }, h("div", {}, scoreTable(more.own.score), part(t("koikoi.doubles"), doubles(more))),
      part(t("koikoi.near"), near(more.own)), part(t("koikoi.opponent near"), near(more.opponent))));
}
