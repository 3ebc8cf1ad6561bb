// Solve: a game with its parameters, its size before anything is built, methods, stop rules, and the live runs.
import { get, post } from "../api.js";
import { h, style } from "../dom.js";
import { liveView } from "../live.js";
import { number, t } from "../words.js";

const RESERVED = ["game", "form", "method", "iterations", "until", "seconds", "seed", "buckets", "textures", "runs", "lang"];
const FOLDED = 8; // parameters that are shown at once
const RULES = ["iterations", "until", "seconds"];
const keyOf = (name) => (RESERVED.includes(name) ? `game.${name}` : name);
const labelOf = (name) => (t(`parameter.${name}`) === `parameter.${name}` ? name.replaceAll("_", " ") : t(`parameter.${name}`));
const textOf = (value) => (value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));

function field(parameter, query, changed) {
  const given = query.get(keyOf(parameter.name));
  const attributes = { name: parameter.name, "data-role": "parameter", title: parameter.meaning, onchange: changed };
  if (parameter.kind === "flag") {
    const checked = given === null ? parameter.default : given === "true";
    return h("label", { class: "check" }, h("input", { ...attributes, type: "checkbox", checked }), labelOf(parameter.name));
  }
  const value = given ?? textOf(parameter.default);
  const kinds = { whole: { type: "number", step: 1 }, number: { type: "number", step: "any" } };
  const wide = parameter.kind === "text" || parameter.kind === "value" ? "wide" : "";
  return h("label", { class: wide }, h("span", {}, labelOf(parameter.name)), h("input", { ...attributes, type: "text", ...kinds[parameter.kind], value }));
}

// The size of a form in words.
function sizeText(size) {
  const text = (name, value) => t(`size.${name}`, { n: number(name === "bytes" ? value / 1e6 : value, name === "histories" && value < 1e9 ? 9 : 3) });
  const pairs = Object.entries(size).filter(([name, value]) => name !== "error" && value !== null);
  return pairs.map(([name, value]) => [text(name, value), name === "histories" && size.error ? text("error", size.error) : ""].filter(Boolean).join(" ")).join(t("size.separator"));
}

// The value of a field, or undefined for the default.
function valueOf(parameter, input) {
  if (parameter.kind === "flag") return input.checked === parameter.default ? undefined : input.checked;
  const text = input.value.trim();
  if (text === "" || text === textOf(parameter.default)) return undefined;
  if (parameter.kind === "text") return text;
  if (parameter.kind !== "value") return Number(text);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

class Form {
  constructor(games, query, started) {
    this.games = games;
    this.query = query;
    this.started = started;
    this.methods = new Set((query.get("method") ?? "").split(",").filter(Boolean));
    this.asked = 0;
    const changed = () => this.measure();
    this.game = h("select", { "data-role": "game", "aria-label": t("solve.game"), onchange: () => this.choose() },
      games.map((game) => h("option", { value: game.name, selected: game.name === (query.get("game") ?? "kuhn") }, game.name)));
    this.about = h("p", { class: "quiet" });
    this.fields = h("div", { class: "fields" });
    this.forms = h("select", { "data-role": "form", "aria-label": t("solve.form"), onchange: () => this.showForm() });
    this.size = h("p", { class: "size", role: "status" });
    this.buckets = ["buckets", "textures"].map((name) => h("label", {}, h("span", {}, t(`solve.${name}`)), h("input",
      { name, value: query.get(name) ?? { buckets: "20,20,20", textures: "1,1" }[name], onchange: changed })));
    this.chips = h("div", { class: "chips" });
    this.rules = RULES.map((name) => h("input", { name, type: "text", inputmode: "decimal", value: query.get(name) ?? "", onchange: () => this.address() }));
    this.seed = h("input", { name: "seed", type: "number", min: 0, step: 1, value: query.get("seed") ?? 0, onchange: () => this.address() });
    this.error = h("p", { class: "error", role: "alert" });
    this.start = h("button", { class: "main", type: "submit", "data-role": "start" }, t("solve.start"));
    this.element = this.build();
    this.choose(false);
  }

  build() {
    const named = (name, input) => h("label", {}, h("span", {}, t(`solve.${name}`)), input);
    const set = (name, ...parts) => h("fieldset", {}, h("legend", {}, t(`solve.${name}`)), parts);
    return h("form", { class: "panel solve-form", onsubmit: (event) => { event.preventDefault(); this.submit(); } },
      set("game", this.game, this.about, this.fields),
      set("form", this.forms, h("div", { class: "fields", "data-role": "buckets" }, this.buckets), this.size),
      set("methods", this.chips),
      set("rules", h("p", { class: "quiet" }, t("solve.rules.help")), h("div", { class: "fields" }, RULES.map((name, index) => named(name, this.rules[index])))),
      named("seed", this.seed), this.error, this.start);
  }

  choose(fresh = true) {
    if (fresh) [this.query, this.methods] = [new URLSearchParams(), new Set()];
    this.known = this.games.find((game) => game.name === this.game.value) ?? this.games[0];
    this.game.value = this.known.name;
    const about = t(`about.${this.known.name}`);
    this.about.textContent = about.startsWith("about.") ? this.known.about : about;
    const parts = this.known.parameters.map((parameter) => field(parameter, this.query, () => this.measure()));
    const rest = parts.slice(FOLDED);
    this.fields.replaceChildren(...parts.slice(0, FOLDED),
      ...(rest.length ? [h("details", {}, h("summary", {}, t("solve.more")), h("div", { class: "fields" }, rest))] : []),
      h("details", {}, h("summary", {}, t("solve.meanings")), h("dl", { lang: "en" }, this.known.parameters.map((parameter) => [h("dt", {}, labelOf(parameter.name)), h("dd", {}, parameter.meaning || "–")]))));
    this.measure();
  }

  parameters() {
    const inputs = [...this.fields.querySelectorAll("[data-role=parameter]")];
    const pairs = this.known.parameters.map((parameter) => [parameter, valueOf(parameter, inputs.find((input) => input.name === parameter.name))]);
    const given = pairs.filter(([parameter, value]) => value !== undefined || (this.known.name === "holdem" && parameter.name === "limit"));
    return Object.fromEntries(given.map(([parameter, value]) => [parameter.name, value ?? parameter.default]));
  }

  settings() {
    if (this.forms.value !== "buckets") return {};
    const [counts, textures] = this.buckets.map((label) => label.querySelector("input").value.split(",").map(Number));
    return { counts: counts.length === 3 ? [169, ...counts] : counts, textures };
  }

  // Ask for the forms, methods and sizes of the game; nothing is built.
  async measure() {
    const asked = ++this.asked;
    this.size.textContent = t("solve.measuring");
    this.start.disabled = true;
    const query = new URLSearchParams({ game: this.known.name, parameters: JSON.stringify(this.parameters()), fields: JSON.stringify(this.settings()) });
    try {
      const answer = await get(`/api/solve/size?${query}`);
      if (asked !== this.asked) return;
      this.sizes = answer.forms;
      this.resolve(answer.parameters);
      const wanted = this.forms.value || this.query.get("form");
      const fits = answer.forms.find((form) => form.form === wanted && !form.error) ?? answer.forms.find((form) => !form.error) ?? answer.forms[0];
      this.forms.replaceChildren(...answer.forms.map((form) => h("option", { value: form.form, selected: form === fits }, t(`form.${form.form}`))));
      this.showForm();
    } catch (problem) {
      if (asked === this.asked) this.size.replaceChildren(h("span", { class: "error" }, problem.message));
    }
  }

  // Show the values of parameters whose default depends on others, such as the cards of Kuhn poker.
  resolve(parameters) {
    for (const input of this.fields.querySelectorAll("input[data-role=parameter]:not([type=checkbox])")) {
      const parameter = this.known.parameters.find((one) => one.name === input.name);
      const value = textOf(parameters[input.name] ?? null);
      if (valueOf(parameter, input) !== undefined || value === textOf(parameter.default)) continue;
      [input.value, input.placeholder] = ["", value];
    }
  }

  showForm() {
    const form = this.sizes.find((one) => one.form === this.forms.value);
    this.size.replaceChildren(sizeText(form.size), form.error ? h("span", { class: "error" }, ` ${form.error}`) : "");
    this.start.disabled = Boolean(form.error);
    this.element.querySelector("[data-role=buckets]").hidden = form.form !== "buckets";
    const chosen = form.methods.filter((name) => this.methods.has(name));
    this.methods = new Set(chosen.length ? chosen : [form.default]);
    this.chips.replaceChildren(...form.methods.map((name) => h("label", { class: "chip" }, h("input", { type: "checkbox", value: name, checked: this.methods.has(name),
      onchange: (event) => { this.methods[event.target.checked ? "add" : "delete"](name); this.address(); } }), h("span", {}, name))));
    this.address();
  }

  // The address from which this form is filled in.
  address(runs = null) {
    const query = new URLSearchParams({ game: this.known.name });
    for (const [name, value] of Object.entries(this.parameters())) query.set(keyOf(name), textOf(value));
    if (this.sizes?.[0]?.form !== this.forms.value) query.set("form", this.forms.value);
    if (this.methods.size) query.set("method", [...this.methods].join(","));
    for (const input of [...this.rules, this.seed]) if (input.value && input.value !== "0") query.set(input.name, input.value);
    if (this.forms.value === "buckets") for (const label of this.buckets) query.set(label.querySelector("input").name, label.querySelector("input").value);
    const kept = runs ?? new URLSearchParams(location.search).get("runs");
    if (kept) query.set("runs", kept);
    history.replaceState(null, "", `/solve?${query}`);
  }

  async submit() {
    this.error.textContent = "";
    const rules = Object.fromEntries(RULES.map((name, index) => [name, this.rules[index].value.trim()]).filter(([, text]) => text).map(([name, text]) => [name, Number(text)]));
    this.start.disabled = true;
    try {
      const { runs } = await post("/api/solve", { game: this.known.name, parameters: this.parameters(), form: this.forms.value, fields: this.settings(),
        methods: [...this.methods], seed: Number(this.seed.value), ...rules });
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
  if (runs.length) await started(runs).catch((problem) => results.replaceChildren(h("p", { class: "error" }, problem.message)));
  return () => view?.close();
}
