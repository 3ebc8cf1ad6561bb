// One recorded hand, step by step: the table as the hero saw it, its actions, and the coach's values where it is priced.
import { get } from "../api.js";
import { inBlinds } from "../blinds.js";
import { cardsText, coloursBox } from "../cards.js";
import { h, style } from "../dom.js";
import { addressOf, handAddress, timeText } from "../hands/address.js";
import { furtherRow } from "../hands/further.js";
import { go } from "../main.js";
import { addKeys } from "../settings.js";
import { endTexts, eventText, loadHand } from "../views/hand.js";
import { actionsPanel, streetName } from "../views/hand_actions.js";
import { adviceOf, pricePanel } from "../views/price.js";
import { reviewGraph } from "../views/review_graph.js";
import { Stepper } from "../views/stepper.js";
import { tableOf } from "../views/table.js";
import { loadWords, signed, t } from "../words.js";

const UNIT = 100; // amounts are shown to a hundredth of a big blind

const rounded = (value) => JSON.parse(JSON.stringify(value), (_, each) =>
  (typeof each === "number" ? Math.round(each * UNIT) / UNIT : each));

// The steps of a hand, each with the hero's view as data.
function stepsOf({ picture, steps, seat, end }) {
  const last = steps.length - 1;
  const shown = end?.shown.find((each) => each.seat === seat)?.hand ?? [];
  return steps.map(({ events, table, folded, ...step }, place) => ({ player: step.player, events, value: -step.spent,
    end: place === last ? end : null, advice: null,
    picture: { ...picture, ...step, folded, table: picture.table.slice(0, table), events: picture.events.slice(0, events),
      hand: place === last && shown.length ? shown : picture.hand,
      hidden: folded.map((isFolded, player) => (isFolded || (player === seat && picture.hand.length) ? 0 : 2)) } }));
}

// Steps with what is known of their price; the line of the graph is the expected result where there is one.
function withPrices(steps, priced) {
  const known = new Map(priced.map((each) => [each.step, each]));
  return steps.map((step, place) => (known.has(place) ? { ...step, priced: known.get(place), advice: adviceOf(known.get(place)),
    value: step.value + known.get(place).evs[known.get(place).action] } : { ...step, value: known.size ? null : step.value }));
}

class ReplayPage extends Stepper {
  constructor(root, replay, address) {
    const { priced, ...others } = replay;
    const shown = rounded(inBlinds({ ...others, steps: stepsOf(replay) }));
    super(root, withPrices(shown.steps, priced), address);
    this.replay = { ...shown, priced };
    this.result = shown.end?.payoffs[shown.seat] ?? null;
  }

  said() {
    const { replay, steps, at } = this;
    if (at === steps.length - 1) return replay.end ? endTexts(replay).at(-1) : t("review.end");
    return t("replay.said", { street: streetName(steps[at]), move: eventText(replay.picture.events[steps[at].events], replay) });
  }

  // The address of the next hand of the same list; null at its end.
  get after() {
    const { after, place } = this.replay;
    return after && handAddress(after, this.address.searchParams, place + 1);
  }

  title() {
    const { picture: { hand }, positions, seat } = this.replay;
    return h("h1", {}, hand.length > 0 && cardsText(hand), hand.length > 0 && " ", t("replay.title",
      { position: positions[seat], result: this.result === null ? "–" : `${signed(this.result, 6)} bb` }));
  }

  // What is known of the hand beside its actions.
  facts() {
    const { start, stake, room, number: name, boards } = this.replay;
    const rows = [["room", `${room} ${name}`], ["time", timeText(start, true)], ["stake", stake],
      ...boards.map((board) => ["board", cardsText(board)])];
    return h("section", { class: "panel" }, h("h2", {}, t("replay.facts")), h("dl", { class: "facts" },
      rows.map(([key, value]) => [h("dt", {}, t(`replay.${key}`)), h("dd", {}, value || "–")])), coloursBox());
  }

  draw() {
    const { replay, steps, at, root } = this;
    const step = steps[at];
    const choose = (place) => this.choose(place);
    const further = furtherRow(replay, at, this.address);
    root.replaceChildren(
      h("section", { class: "panel review-top" }, h("div", { class: "row" }, this.title(),
        h("small", { class: "quiet" }, t(replay.priced.length ? "replay.expected" : "replay.line"))),
      reviewGraph(steps, this.result, at, choose)),
      h("div", { class: "table-grid" }, h("div", { class: "stack" }, tableOf({ ...replay, actions: [], text: "", ...step })),
        h("div", { class: "stack side" }, step.priced ? pricePanel(step.priced, this.said(), further)
          : h("section", { class: "panel" }, h("p", { class: "move-said" }, this.said()), further),
          actionsPanel(replay, steps, at, choose), this.facts())),
      this.dock(h("a", { class: "wide", href: addressOf(this.address.searchParams) }, t("replay.all")),
        this.after && h("a", { class: "button", href: this.after }, t("replay.next"), " ",
          h("kbd", { "aria-hidden": "true" }, "n"))));
    root.dataset.at = at;
    const list = root.querySelector(".hand-actions > div");
    requestAnimationFrame(() => { list.scrollTop = list.querySelector("[aria-current]").offsetTop - list.clientHeight / 2; });
  }
}

export async function show(root, address) {
  const [, , room, hand] = address.pathname.split("/").map(decodeURIComponent);
  const query = new URLSearchParams({ room, number: hand });
  for (const name of ["where", "player", "place"]) query.set(name, address.searchParams.get(name) ?? "");
  root.classList.add("page-review");
  const [replay] = await Promise.all([get(`/api/hands/hand?${query}`), loadHand("suits"), loadWords("review", "price"),
    style("review"), style("hands")]);
  const page = new ReplayPage(root, replay, address);
  page.draw();
  addKeys({ ...page.keys(), n: [t("key.next hand"), () => page.after && go(page.after)] });
  return () => clearInterval(page.timer);
}
