// Solve: a game with its parameters, its size before anything is built, methods, stop rules, and the live runs.
import { get, post } from "../api.js";
import { attempt, h, style } from "../dom.js";
import { field, GameFields, keyOf, options, textOf } from "../fields.js";
import { goalFields, goalOf } from "../goal.js";
import { liveView } from "../live.js";
import { setAddress } from "../main.js";
import { loadWords, number, t, written } from "../words.js";

const BUCKETS = { buckets: "20,20,20", textures: "1,1" };
const PREFLOP = 169; // buckets before the flop: all classes of hands

// The size of a form in words.
const sizeText = (size) => Object.entries(size).filter(([, value]) => value !== null)
  .map(([name, value]) => t(`size.${name}`, { n: number(value, Number.isInteger(value) ? 9 : 3) }))
  .join(t("size.separator"));

class Form {
  constructor(games, query, results, started) {
    Object.assign(this, { games, query, results, started, asked: 0 });
    const readdress = () => this.address();
    const named = (name, attributes, pairs) => field(t(`solve.${name}`), { name, ...attributes }, pairs);
    const text = (name, usual, onchange) => named(name, { value: query.get(name) ?? usual, onchange });
    this.methods = new Set(query.get("method")?.split(","));
    const onchange = () => this.choose(new URLSearchParams());
    this.game = named("game", { value: query.get("game") ?? "kuhn", onchange }, games.map(({ name }) => [name]));
    this.about = h("p", { class: "quiet" });
    this.parameters = h("div", {});
    this.forms = named("form", { onchange: () => this.showForm() }, []);
    this.buckets = Object.entries(BUCKETS).map(([name, usual]) => text(name, usual, () => this.measure()));
    this.bucketFields = h("div", { class: "fields" }, this.buckets);
    this.size = h("p", { class: "size", role: "status" });
    this.chips = h("div", { class: "chips" });
    this.rules = goalFields(Object.fromEntries(query), readdress);
    this.seed = text("seed", "0", readdress);
    this.error = h("p", { class: "error", role: "alert" });
    this.start = h("button", { class: "main", type: "submit", "data-role": "start" }, t("solve.start"));
    this.element = h("form", { class: "panel solve-form", onsubmit: (event) => this.submit(event) },
      this.game, this.about, this.parameters, this.forms, this.bucketFields, this.size,
      h("fieldset", {}, h("legend", {}, t("solve.methods")), this.chips),
      h("fieldset", {}, h("legend", {}, t("solve.rules")), h("p", { class: "quiet" }, t("solve.rules.help")),
        h("div", { class: "fields" }, this.rules, this.seed)), this.error, this.start);
    this.choose(query);
  }

  // Show the fields of the chosen game; a game that was chosen by hand starts from its defaults.
  choose(query) {
    if (query !== this.query) [this.query, this.methods] = [query, new Set()];
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
    this.start.disabled = true;
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
    this.showForm();
  }

  // Show the size and the methods of the chosen form.
  showForm() {
    const form = this.sizes.find((known) => known.form === this.form);
    this.size.replaceChildren(sizeText(form.size), form.error ? h("span", { class: "error" }, ` ${form.error}`) : "");
    this.start.disabled = Boolean(form.error);
    this.bucketFields.hidden = form.form !== "buckets";
    const chosen = form.methods.filter((name) => this.methods.has(name));
    this.methods = new Set(chosen.length ? chosen : [form.default]);
    const onchange = ({ target }) => {
      this.methods[target.checked ? "add" : "delete"](target.value);
      this.address();
    };
    this.chips.replaceChildren(...form.methods.map((value) =>
      field(value, { class: "chip", type: "checkbox", value, checked: this.methods.has(value), onchange })));
    this.address();
  }

  // Set the address from which this form is filled in.
  address(runs = new URLSearchParams(location.search).get("runs")) {
    const query = new URLSearchParams({ game: this.known.name });
    for (const [name, value] of Object.entries(this.fields.values())) query.set(keyOf(name), textOf(value));
    if (this.sizes[0]?.form !== this.form) query.set("form", this.form);
    if (this.methods.size) query.set("method", [...this.methods].join(","));
    for (const { control } of [...this.rules, this.seed, ...(this.form === "buckets" ? this.buckets : [])]) {
      if (control.value && control.value !== "0") query.set(control.name, control.value);
    }
    if (runs) query.set("runs", runs);
    setAddress(`/solve?${query}`);
  }

  async submit(event) {
    event.preventDefault();
    this.start.disabled = true;
    const plan = { game: this.known.name, parameters: this.fields.values(), form: this.form, fields: this.settings(),
      methods: [...this.methods], seed: Number(this.seed.control.value), ...goalOf(this.rules) };
    await attempt(this.error, async () => {
      const { runs } = await post("/api/solve", plan);
      this.address(runs.join(","));
      await this.started(runs);
      this.results.scrollIntoView();
    });
    this.start.disabled = false;
  }
}

// Tabs of what can be solved.
function kinds(isSpot) {
  const tab = (address, name, here) => h("a", { class: "button", href: address, "aria-current": here && "true" }, t(name));
  return h("nav", { class: "choice", "aria-label": t("solve.kind") }, tab("/solve", "solve.spot", isSpot),
    tab("/solve?game=kuhn", "solve.any", !isSpot), tab("/explore/pushfold:10/-", "solve.push or fold", false));
}

async function showGame(root, query) {
  const [games] = await Promise.all([get("/api/solve/games"), style("solve")]);
  const results = h("div", { class: "panel" }, h("p", { class: "quiet" }, t("solve.empty")));
  let view = null;
  const started = async (runs) => {
    view?.close();
    view = await liveView(runs);
    results.replaceChildren(view.element);
  };
  const form = new Form(games, query, results, started);
  root.append(h("div", { class: "solve" }, form.element, results));
  const runs = query.get("runs")?.split(",");
  if (runs) await attempt(results, () => started(runs));
  return () => view?.close();
}

export async function show(root, { searchParams: query }) {
  const isSpot = ["spot", null].includes(query.get("game"));
  const [spots] = await Promise.all([isSpot && import("../spots/form.js"), loadWords("spot_form"), style("spot")]);
  root.append(h("div", { class: "row solve-head" }, h("h1", {}, t("nav.solve")), kinds(isSpot)));
  return isSpot ? spots.show(root, query) : showGame(root, query);
}
