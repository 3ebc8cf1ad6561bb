// Solve a spot of hold'em: ranges to paint, a board to pick, sizes as chips; estimate and button always in view.
import { isActive, post, runAddress } from "../api.js";
import { loadCards } from "../cards.js";
import { attempt, h, style } from "../dom.js";
import { field, goalOf, options } from "../fields.js";
import { setAddress } from "../main.js";
import { loadWords, number, t } from "../words.js";
import { BoardPicker, streetOf } from "./board.js";
import { BLIND, Chips } from "./chips.js";
import { sizeFacts, sizeOf, SoFar } from "./facts.js";
import { Painter } from "./painter.js";
import { POSITIONS, SPOT } from "./presets.js";
import { Sizes } from "./sizes.js";

const RULES = { until: "0.5", iterations: "" };
const PLAYERS = ["oop", "ip"];
const ONE_SIZE = { bets: "75%", raises: "a" };
const WAIT = 150; // milliseconds after the last change until the size is asked for
const OWN = /^((oop|ip)_)?(flop|turn|river)_(bet|raise)$/; // arguments that the sizes hold

class SpotForm {
  constructor(query, results) {
    Object.assign(this, { query, results, asked: 0, runs: query.get("runs")?.split(",") ?? [], view: null, problems: [] });
    const changed = () => this.changed();
    const isExample = !query.has("board");
    const nameOf = (who) => query.get(`${who}_name`) ?? (isExample ? POSITIONS[who] : t(`sizes.${who}`));
    this.names = Object.fromEntries(PLAYERS.map((who) => [who, nameOf(who)]));
    this.painters = Object.fromEntries(PLAYERS.map((who) => [who, new Painter(() => this.names[who], changed, (name) => {
      this.names[who] = name;
      this.sizes.show();
    })]));
    this.board = new BoardPicker(() => {
      this.sizes.begin(streetOf(this.board.cards));
      this.changed();
    });
    this.sizes = new Sizes(this.names, changed);
    const amount = (name) => Number(query.get(name) ?? SPOT[name]);
    this.chips = new Chips({ pot: amount("pot"), stack: amount("stack") },
      isExample || query.has("bb") ? BLIND : 1, changed);
    this.soFar = new SoFar();
    this.tabs = h("div", { class: "choice wide", role: "group", "aria-label": t("spot.players") });
    this.ranges = h("section", { class: "panel ranges-panel" }, this.tabs, PLAYERS.map((who) => this.painters[who].element));
    this.facts = h("div", { class: "facts-row", role: "status" });
    this.method = h("select", { "aria-label": t("method"), onchange: () => this.address() });
    this.rules = ["until", "iterations"].map((name) => field(t(`spot.${name}`), { name, inputmode: "decimal",
      value: query.get(name) ?? RULES[name], onchange: () => this.address() }));
    this.error = h("p", { class: "error", role: "alert" });
    this.acts = h("div", { class: "acts" });
    this.show("oop");
  }

  // Fill in the fields of the address.
  async fill() {
    const more = JSON.parse(this.query.get("more") || "{}");
    this.rest = Object.fromEntries(Object.entries(more).filter(([name]) => !OWN.test(name)));
    const given = (name) => this.query.get(name) ?? SPOT[name];
    this.sizes.take({ bets: given("bets"), raises: given("raises"), more });
    this.board.cards = (given("board").match(/[2-9TJQKA][shdc]/gi) ?? []).slice(0, 5);
    this.board.show();
    this.sizes.begin(streetOf(this.board.cards));
    await Promise.all(PLAYERS.map((who) => this.painters[who].read(given(who))));
    for (const who of PLAYERS) this.painters[who].past = [];
  }

  show(shown) {
    const tab = (who) => h("button", { type: "button", "aria-pressed": `${who === shown}`,
      class: this.problems.includes(who) ? "wrong" : null, onclick: () => this.show(who) },
    h("b", {}, this.names[who]), h("small", {}, t(`spot.${who} acts`)));
    this.shown = shown;
    this.tabs.replaceChildren(...PLAYERS.map(tab));
    for (const who of PLAYERS) this.painters[who].element.hidden = who !== shown;
  }

  parameters() {
    const { bets, raises, more } = this.sizes.arguments();
    const all = { ...this.rest, ...more };
    return { board: this.board.text, ...this.chips.values,
      ...Object.fromEntries(PLAYERS.map((who) => [who, this.painters[who].textOn(this.board.cards)])), bets, raises,
      ...(Object.keys(all).length ? { more: all } : {}) };
  }

  // A part has changed: write the address, and ask for the size once the changes pause.
  changed() {
    if (!this.rest) return;
    this.address();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.measure(), WAIT);
  }

  address() {
    const { more, ...plain } = this.parameters();
    const query = new URLSearchParams({ game: "spot", ...plain, ...(more ? { more: JSON.stringify(more) } : {}) });
    for (const who of PLAYERS) if (this.names[who] !== t(`sizes.${who}`)) query.set(`${who}_name`, this.names[who]);
    if (this.chips.unit === BLIND) query.set("bb", BLIND);
    if (this.method.value && this.method.value !== this.usual) query.set("method", this.method.value);
    for (const { control } of this.rules) if (control.value !== RULES[control.name]) query.set(control.name, control.value);
    if (this.runs.length) query.set("runs", this.runs.join(","));
    setAddress(`/solve?${query}`);
  }

  // Ask for the size; nothing is built.
  async measure() {
    const asked = ++this.asked;
    this.problems = PLAYERS.filter((who) => this.painters[who].error || !this.painters[who].text.value);
    this.show(this.shown);
    if (this.board.cards.length < 3) return this.showSize(null, t("spot.choose a board"));
    if (this.problems.length) return this.showSize(null, t("spot.empty range", { who: this.names[this.problems[0]] }));
    const answer = await sizeOf(this.parameters()).catch((problem) => ({ problem }));
    if (asked !== this.asked) return;
    if (answer.problem) return this.showSize(null, answer.problem.message.split("\n")[0]);
    const [form] = answer.forms;
    this.usual = form.default;
    const chosen = this.method.value || this.query.get("method") || form.default;
    this.method.replaceChildren(...options(form.methods.map((name) => [name]), chosen));
    this.showSize(form.size, form.error);
    this.address();
    if (form.error) await this.offer(asked);
  }

  // A spot that is too large: offer one size for each action, with the memory that this takes.
  async offer(asked) {
    const { more, ...plain } = this.parameters();
    const { at, ...rest } = this.rest; // lines of the sizes at single nodes may not exist then
    const { forms: [{ size, error }] } = await sizeOf({ ...plain, ...ONE_SIZE, ...(more ? { more: rest } : {}) });
    if (error || asked !== this.asked) return;
    this.facts.append(h("button", { type: "button", class: "plain", onclick: () => {
      this.rest = rest;
      this.sizes.take(ONE_SIZE);
      this.changed();
    } }, t("spot.one size", { n: number(size.megabytes, 2) })));
  }

  showSize(size, problem) {
    this.facts.replaceChildren(...(size?.decisions ? sizeFacts(size) : []), problem ? h("p", { class: "error" }, problem) : "");
    this.ready = !problem;
    this.showActs();
  }

  showActs(active = null) {
    const act = (name) => h("button", { type: "button", onclick: () => attempt(this.error, async () => {
      await post(runAddress(active, name), {});
      await this.view.refresh();
    }) }, t(name));
    const start = h("button", { type: "button", class: "main", "data-role": "start", disabled: !this.ready,
      onclick: () => this.start() }, t(this.board.cards.length < 3 ? "spot.choose a board" : "solve.start"));
    this.acts.replaceChildren(...(active ? [act("pause"), act("stop")] : [start]));
  }

  async start() {
    this.acts.querySelector("button").disabled = true;
    const plan = { game: "spot", parameters: this.parameters(), methods: [this.method.value], ...goalOf(this.rules) };
    await attempt(this.error, async () => {
      const { runs } = await post("/api/solve", plan);
      this.runs = runs;
      this.address();
      await this.follow();
    });
    if (this.error.textContent) this.showActs();
  }

  // Show the run, live.
  async follow() {
    this.view?.close();
    const changed = (runs) => {
      this.showActs(runs.find(isActive)?.id ?? null);
      this.soFar.show(runs[0], Object.values(this.names), this.chips.unit);
    };
    const { liveView } = await import("../live.js");
    this.view = await liveView(this.runs, { changed });
    this.results.replaceChildren(this.view.element, this.soFar.element);
    this.results.classList.add("solved");
    this.results.scrollIntoView({ block: "nearest" });
  }
}

export async function show(root, query) {
  await Promise.all([loadCards(), loadWords("spot_form", "solve"), style("spot"), style("spot_form"), style("solve")]);
  const results = h("section", { class: "panel results" }, h("h2", {}, t("spot.result")),
    h("p", { class: "quiet" }, t("spot.result.empty")));
  const form = new SpotForm(query, results);
  root.append(h("div", { class: "spot-form" }, form.ranges, h("div", { class: "stack" }, form.board.element, form.chips.element,
    form.sizes.element), results),
  h("div", { class: "dock" }, form.facts, h("div", { class: "rules" }, form.method, form.rules), form.error, form.acts));
  await form.fill();
  await form.measure();
  if (form.runs.length) await attempt(results, () => form.follow());
  return () => {
    clearTimeout(form.timer);
    form.view?.close();
  };
}
