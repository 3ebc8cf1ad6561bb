// Sizes of bets and raises as chips, for each street, player and kind.
import { h } from "../dom.js";
import { t } from "../words.js";

const STREETS = ["flop", "turn", "river"];
const ROWS = [["oop", "bet"], ["oop", "raise"], ["ip", "bet"], ["ip", "raise"]];
const USUAL = { bet: "33%,75%,a", raise: "60%,a" };
const [SMALL, MIDDLE] = [40, 80]; // per cent of the pot, the limits of the colours of bets

const split = (text) => `${text ?? ""}`.split(/[,\s]+/).filter(Boolean);

function kindOf(size) {
  if (/^(a|e)/i.test(size)) return "all-in";
  const value = parseFloat(size);
  if (/[xcer]/i.test(size)) return "bet";
  return value <= SMALL ? "small-bet" : value <= MIDDLE ? "bet" : "large-bet";
}

const written = (size) => (/^a$/i.test(size) ? t("sizes.all-in") : /^[\d.]+%?$/.test(size) ? `${parseFloat(size)} %` : size);

// "33" is a part of the pot; "all-in" is all-in.
const read = (text) => split(text.replace(/all-?in/gi, "a").replace(/\s*%/g, "%"))
  .map((size) => (/^[\d.]+$/.test(size) ? `${size}%` : size));

// The panel of the sizes. `changed()` is called after each change.
export class Sizes {
  constructor(names, changed) {
    Object.assign(this, { names, changed, first: "flop", street: "flop" });
    this.sizes = Object.fromEntries(STREETS.map((street) => [street, Object.fromEntries(
      ROWS.map(([who, kind]) => [`${who}_${kind}`, split(USUAL[kind])]))]));
    this.tabs = h("div", { class: "choice", role: "group", "aria-label": t("sizes.streets") });
    this.same = h("button", { type: "button", onclick: () => this.copy() }, t("sizes.same"));
    this.rows = h("div", { class: "size-rows" });
    this.element = h("section", { class: "panel" },
      h("div", { class: "panel-head" }, h("h2", {}, t("sizes.title")), this.tabs, this.same), this.rows);
    this.show();
  }

  // Take the sizes of a spot's arguments.
  take({ bets, raises, more = {} }) {
    const usual = { bet: bets, raise: raises };
    for (const street of STREETS) {
      for (const [who, kind] of ROWS) {
        const text = more[`${who}_${street}_${kind}`] ?? more[`${street}_${kind}`] ?? usual[kind] ?? USUAL[kind];
        this.sizes[street][`${who}_${kind}`] = split(text);
      }
    }
    this.show();
  }

  // The arguments of a spot that starts on a street.
  arguments() {
    const streets = STREETS.slice(STREETS.indexOf(this.first));
    const text = (street, who, kind) => this.sizes[street][`${who}_${kind}`].join(",");
    const all = (kind) => streets.flatMap((street) => ["oop", "ip"].map((who) => text(street, who, kind)));
    const isSame = (kind) => new Set(all(kind)).size === 1;
    if (isSame("bet") && isSame("raise")) return { bets: all("bet")[0], raises: all("raise")[0], more: {} };
    const more = {};
    for (const street of streets) {
      for (const kind of ["bet", "raise"]) {
        const [oop, ip] = ["oop", "ip"].map((who) => text(street, who, kind));
        Object.assign(more, oop === ip ? { [`${street}_${kind}`]: oop }
          : { [`oop_${street}_${kind}`]: oop, [`ip_${street}_${kind}`]: ip });
      }
    }
    return { bets: "", raises: "", more };
  }

  // Show the sizes from a street on.
  begin(street) {
    this.first = street ?? "flop";
    if (STREETS.indexOf(this.street) < STREETS.indexOf(this.first)) this.street = this.first;
    this.show();
  }

  copy() {
    for (const street of STREETS) this.sizes[street] = structuredClone(this.sizes[this.street]);
    this.changed();
  }

  set(key, sizes) {
    this.sizes[this.street][key] = [...new Set(sizes)];
    this.show();
    this.changed();
  }

  show() {
    const tab = (street) => h("button", { type: "button", "aria-pressed": `${street === this.street}`,
      disabled: STREETS.indexOf(street) < STREETS.indexOf(this.first), onclick: () => {
        this.street = street;
        this.show();
      } }, t(`board.${street}`));
    this.tabs.replaceChildren(...STREETS.map(tab));
    this.same.hidden = this.first === "river";
    this.rows.replaceChildren(...ROWS.map((row) => this.row(...row)));
  }

  row(who, kind) {
    const key = `${who}_${kind}`;
    const sizes = this.sizes[this.street][key];
    const label = t(`sizes.${kind}s`, { who: this.names[who] });
    const chip = (size) => h("button", { type: "button", class: "size-chip", "data-size": size,
      "aria-label": t("sizes.remove", { size: written(size) }), onclick: () => this.set(key, sizes.filter((each) => each !== size)) },
    h("span", { class: `dot action action-${kindOf(size)}`, "aria-hidden": "true" }), written(size), " ×");
    const open = ({ currentTarget }) => {
      const input = h("input", { class: "new-size", "aria-label": t("sizes.new", { row: label }), placeholder: "33, 2.5x, all-in" });
      const close = () => this.set(key, [...sizes, ...read(input.value)]);
      input.addEventListener("change", close);
      input.addEventListener("keydown", (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        input.blur();
      });
      input.addEventListener("blur", () => !input.value && this.show());
      currentTarget.replaceWith(input);
      input.focus();
    };
    return h("div", { class: "size-row", role: "group", "aria-label": label, "data-row": key }, h("span", {}, label),
      h("div", { class: "row" }, sizes.map(chip),
        h("button", { type: "button", class: "size-chip new", "aria-label": t("sizes.add", { row: label }), onclick: open }, "+")));
  }
}
