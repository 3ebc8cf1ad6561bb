// A range as a chart to paint: weights, suits, presets, saved ranges, undo, and its text.
import { post } from "../api.js";
import { suitMark } from "../cards.js";
import { h } from "../dom.js";
import { options } from "../fields.js";
import { icon } from "../icons.js";
import { message } from "../messages.js";
import { percent, t } from "../words.js";
import { CLASSES, cellsOf, emptyCells, rangeText, size, spread, suitsOf, summary } from "./hands.js";
import { paintGrid } from "./paint_grid.js";
import { deleteSaved, PRESETS, presetName, saved, saveRange } from "./presets.js";

const WEIGHTS = [25, 50, 75, 100]; // per cent
const STEPS = 50; // of undoing

// A painter of a player's range. `name()` is the player's name; `changed()` is called when the text has changed, and
// `picked(player)` with the player of a chosen preset.
export class Painter {
  constructor(name, changed, picked) {
    Object.assign(this, { name, changed, picked, cells: emptyCells(), past: [], weight: 1, chosen: 0, asked: 0, error: null });
    this.grid = paintGrid(t("range.of", { who: name() }), {
      isPainted: (index) => this.cells[index].every((weight) => weight === this.weight),
      paint: (index, erase) => this.paint(index, spread([erase ? 0 : this.weight], CLASSES[index])),
      begin: () => this.remember(),
      end: () => this.written(),
      choose: (index) => this.choose(index),
    });
    this.about = h("p", { class: "range-size" });
    this.presets = h("select", { "aria-label": t("range.presets"), onchange: () => this.takePreset() });
    this.weights = h("div", { class: "choice", role: "group", "aria-label": t("range.weight") });
    this.free = h("input", { type: "number", min: 0, max: 100, class: "weight", "aria-label": t("range.percent"),
      onchange: ({ target }) => this.setWeight(Math.min(Math.max(Number(target.value) || 0, 0), 100) / 100) });
    this.suits = h("div", { class: "suit-choice" });
    this.text = h("input", { class: "text", "aria-label": t("range.text"), spellcheck: "false", autocomplete: "off",
      onchange: () => this.read(this.text.value) });
    this.problem = h("p", { class: "error", role: "alert" });
    const button = (name, onclick, content) =>
      h("button", { type: "button", "aria-label": t(name), title: t(name), onclick }, content);
    this.back = button("range.undo", () => this.undo(), icon("undo"));
    this.element = h("div", { class: "painter", onkeydown: (event) => this.onkey(event) },
      h("div", { class: "range-top" }, this.presets, this.about), this.grid.element,
      h("div", { class: "range-tools" }, this.weights, this.free, h("span", { class: "end row" }, this.back,
        h("button", { type: "button", onclick: () => this.clear() }, t("range.clear")))), this.suits,
      h("div", { class: "range-tools" }, this.text,
        button("range.copy", () => navigator.clipboard?.writeText(this.text.value).then(() => message(t("range.copied"))),
          icon("copy")), button("range.save", () => this.save(), icon("save"))), this.problem);
    this.setWeight(1);
    this.listPresets();
    this.show();
  }

  listPresets() {
    this.lists = [...saved().map(({ name, text }) => ({ label: name, text })),
      ...PRESETS.map((preset) => ({ label: presetName(preset), text: preset.text, player: preset.name }))];
    this.presets.replaceChildren(...options([["", t("range.presets")], ...this.lists.map(({ label }, index) =>
      [index, label])], ""));
  }

  takePreset() {
    const preset = this.lists[this.presets.value];
    if (!preset) return;
    if (preset.player) this.picked(preset.player);
    this.read(preset.text);
  }

  setWeight(weight) {
    this.weight = weight;
    const button = (each) => h("button", { type: "button", "aria-pressed": `${each === 100 * weight}`,
      onclick: () => this.setWeight(each / 100) }, `${each}`);
    this.weights.replaceChildren(...WEIGHTS.map(button));
    this.free.value = Math.round(100 * weight);
  }

  // Read a text: the server says what it means, and where it is wrong.
  async read(text) {
    const asked = ++this.asked;
    this.text.value = text;
    this.element.setAttribute("aria-busy", "true");
    try {
      const answer = await post("/api/ranges", { text });
      if (asked !== this.asked) return;
      this.remember();
      this.cells = cellsOf(answer);
      this.text.value = answer.text;
      this.fail(null);
      this.show();
    } catch (error) {
      if (asked === this.asked) this.fail(error);
    }
    this.element.setAttribute("aria-busy", "false");
    this.changed();
  }

  // The range as text for a board: without hands that its cards make impossible.
  textOn(board) {
    const named = this.cells.some((weights) => !summary(weights).isEven);
    return named && !this.error ? rangeText(this.cells, board) : this.text.value;
  }

  fail(error) {
    this.error = error;
    this.text.setAttribute("aria-invalid", `${error !== null}`);
    this.problem.textContent = error?.message.split("\n")[0] ?? "";
    const [start, end] = error?.content?.position ?? [];
    if (end !== undefined) this.text.setSelectionRange(start, end);
  }

  // The chart has changed: write its text, which the server makes short.
  async written() {
    const asked = ++this.asked;
    const text = rangeText(this.cells);
    this.text.value = text;
    this.fail(null);
    this.show();
    const answer = text ? await post("/api/ranges", { text }).catch(() => null) : null;
    if (asked !== this.asked) return;
    if (answer) this.text.value = answer.text;
    this.changed();
  }

  remember() {
    this.past = [...this.past, this.cells.map((weights) => weights)].slice(-STEPS);
  }

  undo() {
    if (!this.past.length) return;
    this.cells = this.past.pop();
    this.written();
  }

  clear() {
    this.remember();
    this.cells = emptyCells();
    this.written();
  }

  paint(index, weights) {
    this.cells = this.cells.with(index, weights);
    this.showCell(index);
  }

  showCell(index) {
    const { weight, isEven } = summary(this.cells[index]);
    this.grid.show(index, weight, isEven);
    this.showSize();
  }

  choose(index) {
    this.chosen = index;
    this.showSuits();
  }

  show() {
    this.cells.forEach((_, index) => this.showCell(index));
    this.back.disabled = !this.past.length;
    this.showSuits();
  }

  showSize() {
    const { hands, share } = size(this.cells);
    this.about.replaceChildren(h("b", {}, percent(share, 2)), ` ${t("range.hands", { n: hands })}`);
  }

  // Toggles of the suits of the chosen class.
  showSuits() {
    const name = CLASSES[this.chosen];
    const weights = this.cells[this.chosen];
    const toggle = (place) => {
      this.remember();
      this.paint(this.chosen, weights.with(place, weights[place] > 0 ? 0 : this.weight || 1));
      this.written();
    };
    const buttons = suitsOf(name).map(([one, other], place) =>
      h("button", { type: "button", class: "suit-toggle", "aria-pressed": `${weights[place] > 0}`,
        "aria-label": `${name[0]}${one}${name[1]}${other}`, onclick: () => toggle(place) },
      suitMark(one), one !== other && suitMark(other)));
    const some = weights.filter((weight) => weight > 0).length;
    this.suits.replaceChildren(h("b", {}, name), h("div", { class: "suit-toggles", "data-count": buttons.length }, buttons),
      h("span", { class: "quiet" }, t("range.suits", { n: some, of: weights.length })));
  }

  save() {
    const name = prompt(t("range.name"), this.name())?.trim();
    if (!name) return;
    if (saved().some((each) => each.name === name) && !confirm(t("range.replace", { name }))) return;
    saveRange(name, this.text.value);
    this.listPresets();
    message(t("range.saved", { name }), () => {
      deleteSaved(name);
      this.listPresets();
    });
  }

  onkey(event) {
    if (!(event.ctrlKey || event.metaKey) || event.key !== "z" || event.target === this.text) return;
    event.preventDefault();
    this.undo();
  }
}
