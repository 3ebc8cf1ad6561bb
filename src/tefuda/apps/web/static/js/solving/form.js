// Solve any game: parameters with their size, the methods on the chart, stop rules, and the live runs.
import { get, post } from "../api.js";
import { attempt, h, style } from "../dom.js";
import { field, GameFields, goalFields, goalOf, keyOf, options, textOf } from "../fields.js";
import { liveView } from "../live.js";
import { setAddress } from "../main.js";
import { loadWords, number, t, written } from "../words.js";
import { Dock } from "./dock.js";
import { MethodList } from "./methods.js";

const BUCKETS = { buckets: "20,20,20", textures: "1,1" };
const PREFLOP = 169; // buckets before the flop: all classes of hands

// The size of a form in words.
const sizeText = (size) => Object.entries(size).filter(([, value]) => value !== null)
  .map(([name, value]) => t(`size.${name}`, { n: number(value, Number.isInteger(value) ? 9 : 3) }))
  .join(t("size.separator"));

const namesOf = (query) => query.get("method")?.split(",") ?? [];

class Form {
  constructor(games, query, results) {
    Object.assign(this, { games, query, results, asked: 0, view: null });
    const changed = () => {
      this.dock.forget();
      this.address();
    };
    const named = (name, attributes, pairs) => field(t(`solve.${name}`), { name, ...attributes }, pairs);
    const text = (name, usual, onchange) => named(name, { value: query.get(name) ?? usual, onchange });
    this.wanted = namesOf(query);
    this.game = named("game", { value: query.get("game") ?? "kuhn", onchange: () => this.choose(new URLSearchParams()) },
      games.map(({ name }) => [name, written(`game.${name}`, name.replace(/^own:/, ""))]));
    this.about = h("p", { class: "quiet" });
    this.parameters = h("div", {});
    this.forms = named("form", { onchange: () => this.showForm() }, []);
    this.buckets = Object.entries(BUCKETS).map(([name, usual]) => text(name, usual, () => this.measure()));
    this.bucketFields = h("div", { class: "fields" }, this.buckets);
    this.size = h("p", { class: "size quiet", role: "status" });
    this.methods = new MethodList(changed);
    this.rules = goalFields(Object.fromEntries(query), changed);
    this.seed = text("seed", "0", changed);
    this.dock = new Dock(() => this.start());
    this.element = h("form", { class: "panel solve-form", onsubmit: (event) => {
      event.preventDefault();
      if (!this.dock.start.disabled && !this.dock.start.hidden) this.start();
    } }, this.game, this.about, this.parameters, this.forms, this.bucketFields, this.size, this.methods.element,
    h("h2", {}, t("solve.rules")), h("p", { class: "quiet" }, t("solve.rules.help")),
    h("div", { class: "fields" }, this.rules, this.seed));
    this.choose(query);
  }

  // Show the fields of the chosen game; a game that was chosen by hand starts from its defaults.
  choose(query) {
    if (query !== this.query) [this.query, this.wanted] = [query, []];
    this.known = this.games.find((game) => game.name === this.game.control.value) ?? this.games[0];
    this.game.control.value = this.known.name;
    this.about.textContent = written(`about.${this.known.name}`, this.known.about);
    this.fields = new GameFields(this.known, query, () => this.measure());
    this.parameters.replaceChildren(this.fields.element);
    this.measure();
  }

  get form() {
    return this.forms.control.value;
  }

  // The settings of the chosen form.
  settings() {
    const [counts, textures] = this.buckets.map(({ control }) => control.value.split(",").map(Number));
    return this.form === "buckets" ? { counts: [PREFLOP, ...counts], textures } : {};
  }

  // Ask for the forms, methods and sizes of the game; nothing is built.
  async measure() {
    const asked = ++this.asked;
    this.size.textContent = t("solve.measuring");
    this.dock.start.disabled = true;
    const [parameters, fields] = [this.fields.values(), this.settings()].map((value) => JSON.stringify(value));
    const query = new URLSearchParams({ game: this.known.name, parameters, fields });
    const failed = (problem) => ({ forms: [], problem });
    const answer = await get(`/api/solve/size?${query}`).catch(failed);
    if (asked !== this.asked) return;
    this.sizes = answer.forms;
    if (answer.problem) return this.size.replaceChildren(h("span", { class: "error" }, answer.problem.message));
    this.fields.resolve(answer.parameters);
    const wanted = this.form || this.query.get("form");
    const fitting = this.sizes.filter((form) => !form.error);
    const chosen = fitting.find(({ form }) => form === wanted) ?? fitting[0] ?? this.sizes[0];
    const named = this.sizes.map(({ form }) => [form, t(`form.${form}`)]);
    this.forms.control.replaceChildren(...options(named, chosen.form));
    this.forms.hidden = named.length < 2;
    this.showForm();
  }

  // Show the size and the methods of the chosen form.
  showForm() {
    const form = this.sizes.find((known) => known.form === this.form);
    this.size.replaceChildren(sizeText(form.size), form.error ? h("span", { class: "error" }, ` ${form.error}`) : "");
    this.dock.start.disabled = Boolean(form.error);
    this.dock.showSize(form.size);
    this.bucketFields.hidden = form.form !== "buckets";
    const wanted = this.methods.names.length ? this.methods.names : this.wanted;
    const chosen = wanted.filter((name) => form.methods.includes(name));
    this.methods.show(form.methods, chosen.length ? chosen : [form.default]);
    this.address();
  }

  // Set the address from which this form is filled in.
  address(runs = new URLSearchParams(location.search).get("runs")) {
    const query = new URLSearchParams({ game: this.known.name });
    for (const [name, value] of Object.entries(this.fields.values())) query.set(keyOf(name), textOf(value));
    if (this.sizes[0]?.form !== this.form) query.set("form", this.form);
    if (this.methods.names.length) query.set("method", this.methods.names.join(","));
    for (const { control } of [...this.rules, this.seed, ...(this.form === "buckets" ? this.buckets : [])]) {
      if (control.value && control.value !== "0") query.set(control.name, control.value);
    }
    if (runs) query.set("runs", runs);
    setAddress(`/solve?${query}`);
  }

  async start() {
    const { start, error } = this.dock;
    start.disabled = true;
    start.textContent = t("preparing.short");
    const plan = { game: this.known.name, parameters: this.fields.values(), form: this.form, fields: this.settings(),
      methods: this.methods.names, seed: Number(this.seed.control.value), ...goalOf(this.rules) };
    await attempt(error, async () => {
      const { runs } = await post("/api/solve", plan);
      this.address(runs.join(","));
      await this.follow(runs);
      this.results.querySelector(".panel").scrollIntoView({ block: "nearest" });
    });
    start.disabled = false;
    this.dock.draw();
  }

  // Show runs, live.
  async follow(runs) {
    this.view?.close();
    this.view = await liveView(runs, { changed: (states) => this.dock.showRuns(states) });
    this.results.replaceChildren(this.view.element);
    this.results.classList.add("solved");
  }
}

export async function show(root, query) {
  const [games] = await Promise.all([get("/api/solve/games"), loadWords("methods", "games", "live"), style("solve"), style("menu")]);
  const results = h("div", { class: "results" }, h("div", { class: "panel" }, h("p", { class: "quiet" }, t("solve.empty"))));
  const form = new Form(games, query, results);
  root.append(h("div", { class: "solve" }, form.element, results), form.dock.element);
  const runs = query.get("runs")?.split(",");
  if (runs) await attempt(results, () => form.follow(runs));
  return () => form.view?.close();
}
