// The review of a finished hand: a graph over all moves, the table at each of them, and the coach's values.
import { get, isShared, post } from "../api.js";
import { inBlinds } from "../blinds.js";
import { attempt, fold, h, style } from "../dom.js";
import { field } from "../fields.js";
import { addKeys } from "../settings.js";
import { go } from "../main.js";
import { showSheet } from "../visits.js";
import { actionText, gameName, isKoikoi, loadHand } from "../views/hand.js";
import { koikoiTable } from "../views/koikoi.js";
import { advicePanel, logPanel, resultParts } from "../views/panels.js";
import { reviewGraph } from "../views/review_graph.js";
import { dearestPanel, movesPanel, moveText } from "../views/review_moves.js";
import { Stepper } from "../views/stepper.js";
import { tableOf } from "../views/table.js";
import { number, t } from "../words.js";

// Links to the hands before and after, and the result apart from luck.
function summary(review, address) {
  const { id, hand, hands, helped } = review;
  const link = (key, place) => h("a", { class: "button", href: `/tables/${id}/hands/${place}` }, t(`review.${key}`));
  const costs = Object.entries(review.thresholds).map(([name, value]) =>
    field(t(`review.${name} from`), { name, type: "number", min: 0, step: "any", value, required: true }));
  const submit = (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.target));
    localStorage.setItem("thresholds", JSON.stringify(given));
    go(address(given));
  };
  return h("section", { class: "panel", "data-role": "result" }, resultParts(review),
    helped && h("p", { class: "quiet" }, t("review.helped")),
    fold(t("review.thresholds"), {},
      h("form", { class: "row thresholds", onsubmit: submit }, costs, h("button", {}, t("review.apply")))),
    h("p", { class: "row" }, hand > 0 && link("before", hand - 1), hand + 1 < hands && link("after", hand + 1)));
}

// The command that writes a file of the hand.
function openShare({ id, hand }) {
  const dialog = h("dialog", { class: "bottom-sheet", "aria-label": t("review.share") });
  dialog.append(h("p", {}, t("review.command")), h("p", {}, h("code", {}, `tefuda share tables/${id}/hands/${hand}`)),
    h("p", {}, h("button", { onclick: () => dialog.close() }, t("close"))));
  showSheet(dialog);
}

// The marks of the hand of Koi-Koi: the own choice, and what is as good as the best.
function marksOf({ actions, chosen }) {
  const marks = (action) => (action.good ? " best" : action.index === chosen ? " chosen" : "");
  return Object.fromEntries(actions.map((action) => [action.label, marks(action)]));
}

// The moves of a review, each with the person's view before it, and the end.
function stepsOf(review) {
  const steps = review.moves.map(({ player, decision, picture, text }) =>
    (decision === null ? { player, picture, text, advice: null } : { player, ...review.decisions[decision] }));
  return [...steps, { player: -1, picture: review.picture, text: null, advice: null, end: review.end }];
}

class ReviewPage extends Stepper {
  constructor(root, review, address) {
    super(root, stepsOf(review), address);
    this.review = review;
  }

  said = () => t("review.turn", { n: this.at + 1, move: moveText(this.review, this.steps, this.at) });

  // A button that goes on from here with another action, against the same opponent: unseen cards are dealt anew.
  tryButton(action) {
    const { id, hand, picture: { deck } } = this.review;
    const begin = () => attempt(this.root.querySelector(".note"), async () =>
      go(`/tables/${(await post(`/api/tables/${id}/hands/${hand}/variation`, { move: this.at, action: action.index })).id}`));
    return !isShared && h("button", { "data-try": action.index, onclick: begin, title: t("review.try about"),
      "aria-label": `${t("review.try")}: ${actionText(action, deck)}` }, t("review.try"));
  }

  draw() {
    const { review, steps, at, root } = this;
    const step = steps[at];
    const { advice } = step;
    const shown = isKoikoi(step.picture) && advice ? { advice: { ...advice, hint: true }, marks: marksOf(advice) } : { advice };
    const state = { ...review, end: null, actions: [], ...step, text: step.text ?? review.text, ...shown };
    const choose = (place) => this.choose(place);
    const title = t("review.title", { game: gameName(review.game), hand: number(review.hand + 1) });
    const about = advice ? advicePanel(advice, review.coach, step.picture, { more: (action) => this.tryButton(action) })
      : h("section", { class: "panel coach-box" });
    about.prepend(h("p", { class: "move-said" }, this.said()), h("p", { class: "note error", role: "alert" }));
    root.replaceChildren(
      h("section", { class: "panel review-top" }, h("div", { class: "row" }, h("h1", {}, title),
        h("small", { class: "quiet" }, t("review.line")), h("span", { class: "pill" }, t("review.cost", { cost: number(review.cost, 3) }))),
      reviewGraph(steps, review.payoff, at, choose)),
      h("div", { class: "table-grid" },
        h("div", { class: "stack" }, isKoikoi(step.picture) ? h("div", { class: "hana-felt" }, koikoiTable(state)) : tableOf(state)),
        h("div", { class: "stack side" }, about, movesPanel(review, steps, at, choose), dearestPanel(review, steps, choose),
          summary(review, (values) => this.addressOf(values)), logPanel(review, { past: step.picture.events.length }))),
      this.dock(!isShared && h("a", { class: "wide", href: `/tables/${review.id}` }, t("review.table")),
        !isShared && h("button", { onclick: () => openShare(review) }, t("review.share"))));
    root.dataset.at = at;
  }
}

export async function show(root, address) {
  const [, , id, , hand] = address.pathname.split("/");
  const saved = JSON.parse(localStorage.getItem("thresholds") ?? "{}");
  const cost = (name) => address.searchParams.get(name) ?? saved[name] ?? "";
  const query = new URLSearchParams({ slip: cost("slip"), blunder: cost("blunder") });
  const [review] = await Promise.all([get(`/api/tables/${id}/hands/${hand}?${query}`), loadHand(), style("review")]);
  const page = new ReviewPage(root, inBlinds(review), address);
  page.draw();
  addKeys(page.keys());
  return () => clearInterval(page.timer);
}
