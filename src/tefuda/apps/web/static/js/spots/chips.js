// Pot and stack in chips or big blinds, and the depth in pots.
import { h } from "../dom.js";
import { field } from "../fields.js";
import { number, t } from "../words.js";

const NAMES = ["pot", "stack"];
export const BLIND = 10; // chips of a big blind, where amounts are written in big blinds

const round = (value) => Number(value.toFixed(6));

// The panel of the amounts. `values` are chips by name; `unit` is 1 for chips, or `BLIND`.
export class Chips {
  constructor(values, unit, changed) {
    Object.assign(this, { values, changed, unit });
    this.fields = NAMES.map((name) => field(t(`spot.${name}`), { name, inputmode: "decimal",
      onchange: ({ target }) => this.set(name, target.value) }));
    this.depth = h("output", {});
    this.units = h("div", { class: "choice", role: "group", "aria-label": t("spot.unit") });
    this.element = h("section", { class: "panel" }, h("div", { class: "chips-row" }, this.fields,
      h("label", {}, h("span", {}, t("spot.depth")), this.depth), this.units));
    this.show();
  }

  set(name, text) {
    this.values[name] = round(Number(text) * this.unit);
    this.show();
    this.changed();
  }

  show() {
    const choose = (name, unit) => h("button", { type: "button", "aria-pressed": `${unit === this.unit}`, onclick: () => {
      this.unit = unit;
      this.show();
      this.changed();
    } }, t(name));
    for (const { control } of this.fields) control.value = round(this.values[control.name] / this.unit);
    this.units.replaceChildren(choose("spot.bb", BLIND), choose("spot.chips", 1));
    const { pot, stack } = this.values;
    this.depth.textContent = pot > 0 ? t("spot.pots", { n: number(stack / pot, 2) }) : "–";
  }
}
