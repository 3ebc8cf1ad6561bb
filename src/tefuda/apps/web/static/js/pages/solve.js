// Solve: a game with its parameters, its size before anything is built, methods, stop rules, and the live runs.
import { get, post } from "../api.js";
import { h, style } from "../dom.js";
import { GameFields, keyOf, textOf } from "../fields.js";
import { liveView } from "../live.js";
import { number, t } from "../words.js";

const RULES = ["iterations", "until", "seconds"];
const BUCKETS = { buckets: "20,20,20", textures: "1,1" };
const PREFLOP = 169; // buckets before the flop: all classes of hands

// The size of a form in words.
function sizeText(size) {
  const text = (name, value) => {
    const shown = name === "bytes" ? value / 1e6 : value;
    return t(`size.${name}`, { n: number(shown, name === "histories" && value < 1e9 ? 9 : 3) });
  };
  const parts = Object.entries(size).filter(([name, value]) => name !== "error" && value !== null);
  const about = (name) => (name === "histories" && size.error ? ` ${text("error", size.error)}` : "");
  return parts.map(([name, value]) => text(name, value) + about(name)).join(t("size.separator"));
}

class Form {
  constructor(games, query, started) {
    Object.assign(this, { games, query, started, asked: 0 });
    this.methods = new Set((query.get("method") ?? "").split(",").filter(Boolean));
    const readdress = () => this.address();
    const option = (name) => h("option", { value: name, selected: name === (query.get("game") ?? "kuhn") }, name);
    this.game = h("select", { "data-role": "game", "aria-label": t("solve.game"), onchange: () => this.choose() },
      games.map((game) => option(game.name)));
    this.forms = h("select", { "data-role": "form", "aria-label": t("solve.form"), onchange: () => this.showForm() });
    this.about = h("p", { class: "quiet" });
    this.place = h("div", {});
    this.size = h("p", { class: "size", role: "status" });
    this.buckets = Object.entries(BUCKETS).map(([name, usual]) =>
      h("input", { name, value: query.get(name) ?? usual, onchange: () => this.measure() }));
    this.chips = h("div", { class: "chips" });
    this.rules = RULES.map((name) =>
      h("input", { name, type: "text", inputmode: "decimal", value: query.get(name) ?? "", onchange: readdress }));
    const seed = { name: "seed", type: "number", min: 0, step: 1, value: query.get("seed") ?? 0 };
    this.seed = h("input", { ...seed, onchange: readdress });
    this.error = h("p", { class: "error", role: "alert" });
    this.start = h("button", { class: "main", type: "submit", "data-role": "start" }, t("solve.start"));
    this.element = this.build();
    this.choose(false);
  }

  build() {
    const named = (input) => h("label", {}, h("span", {}, t(`solve.${input.name}`)), input);
    const set = (name, ...parts) => h("fieldset", {}, h("legend", {}, t(`solve.${name}`)), parts);
    this.bucketFields = h("div", { class: "fields" }, this.buckets.map(named));
    const submit = (event) => {
      event.preventDefault();
      this.submit();
    };
    const help = h("p", { class: "quiet" }, t("solve.rules.help"));
    return h("form", { class: "panel solve-form", onsubmit: submit },
      set("game", this.game, this.about, this.place),
      set("form", this.forms, this.bucketFields, this.size),
      set("methods", this.chips),
      set("rules", help, h("div", { class: "fields" }, this.rules.map(named))),
      named(this.seed), this.error, this.start);
  }

  // Show the fields of the chosen game; a game that was chosen by hand starts from its defaults.
  choose(fresh = true) {
    if (fresh) [this.query, this.methods] = [new URLSearchParams(), new Set()];
    this.known = this.games.find((game) => game.name === this.game.value) ?? this.games[0];
    this.game.value = this.known.name;
    const about = t(`about.${this.known.name}`);
    this.about.textContent = about.startsWith("about.") ? this.known.about : about;
    this.fields = new GameFields(this.known, this.query, () => this.measure());
    this.place.replaceChildren(this.fields.element);
    this.measure();
  }

  settings() {
    if (this.forms.value !== "buckets") return {};
    const [counts, textures] = this.buckets.map((input) => input.value.split(",").map(Number));
    return { counts: counts.length === 3 ? [PREFLOP, ...counts] : counts, textures };
  }

  // Ask for the forms, methods and sizes of the game; nothing is built.
  async measure() {
    const asked = ++this.asked;
    this.size.textContent = t("solve.measuring");
    this.start.disabled = true;
    const [parameters, fields] = [this.fields.values(), this.settings()].map((value) => JSON.stringify(value));
    try {
      const answer = await get(`/api/solve/size?${new URLSearchParams({ game: this.known.name, parameters, fields })}`);
      if (asked !== this.asked) return;
      this.sizes = answer.forms;
      this.fields.resolve(answer.parameters);
      const wanted = this.forms.value || this.query.get("form");
      const fitting = answer.forms.filter((form) => !form.error);
      const chosen = fitting.find((form) => form.form === wanted) ?? fitting[0] ?? answer.forms[0];
      this.forms.replaceChildren(...answer.forms.map((form) =>
        h("option", { value: form.form, selected: form === chosen }, t(`form.${form.form}`))));
      this.showForm();
    } catch (problem) {
      if (asked === this.asked) this.size.replaceChildren(h("span", { class: "error" }, problem.message));
    }
  }

  // Show the size and the methods of the chosen form.
  showForm() {
    const form = this.sizes.find((known) => known.form === this.forms.value);
    this.size.replaceChildren(sizeText(form.size), form.error ? h("span", { class: "error" }, ` ${form.error}`) : "");
    this.start.disabled = Boolean(form.error);
    this.bucketFields.hidden = form.form !== "buckets";
    const chosen = form.methods.filter((name) => this.methods.has(name));
    this.methods = new Set(chosen.length ? chosen : [form.default]);
    this.chips.replaceChildren(...form.methods.map((name) => this.chip(name)));
    this.address();
  }

  chip(name) {
    const onchange = (event) => {
      this.methods[event.target.checked ? "add" : "delete"](name);
      this.address();
    };
    const input = h("input", { type: "checkbox", value: name, checked: this.methods.has(name), onchange });
    return h("label", { class: "chip" }, input, h("span", {}, name));
  }

  // Set the address from which this form is filled in.
  address(runs = null) {
    const query = new URLSearchParams({ game: this.known.name });
    for (const [name, value] of Object.entries(this.fields.values())) query.set(keyOf(name), textOf(value));
    if (this.sizes?.[0]?.form !== this.forms.value) query.set("form", this.forms.value);
    if (this.methods.size) query.set("method", [...this.methods].join(","));
    const inputs = [...this.rules, this.seed, ...(this.forms.value === "buckets" ? this.buckets : [])];
    for (const input of inputs) if (input.value && input.value !== "0") query.set(input.name, input.value);
    const kept = runs ?? new URLSearchParams(location.search).get("runs");
    if (kept) query.set("runs", kept);
    history.replaceState(null, "", `/solve?${query}`);
  }

  async submit() {
    this.error.textContent = "";
    this.start.disabled = true;
    const given = this.rules.filter((input) => input.value.trim());
    const goal = Object.fromEntries(given.map((input) => [input.name, Number(input.value)]));
    const plan = {
      game: this.known.name, parameters: this.fields.values(), form: this.forms.value, fields: this.settings(),
      methods: [...this.methods], seed: Number(this.seed.value), ...goal,
    };
    try {
      const { runs } = await post("/api/solve", plan);
      this.address(runs.join(","));
      await this.started(runs);
    } catch (problem) {
      this.error.textContent = problem.message;
    }
    this.start.disabled = false;
  }
}

export async function show(root, location) {
  const [games] = await Promise.all([get("/api/solve/games"), style("solve")]);
  const results = h("div", { class: "panel results" }, h("p", { class: "quiet" }, t("solve.empty")));
  let view = null;
  const started = async (runs) => {
    view?.close();
    view = await liveView(runs);
    results.replaceChildren(view.element);
  };
  const form = new Form(games, location.searchParams, started);
  root.append(h("h1", {}, t("solve.title")), h("div", { class: "solve" }, form.element, results));
  const runs = (location.searchParams.get("runs") ?? "").split(",").filter(Boolean);
  const failed = (problem) => results.replaceChildren(h("p", { class: "error" }, problem.message));
  if (runs.length) await started(runs).catch(failed);
  return () => view?.close();
}
