// The methods on a chart: a list with the line and a sentence of each, and a sheet with search to add more.
import { lineMark } from "../chart.js";
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { showSheet } from "../visits.js";
import { language, t, written } from "../words.js";

const MOST = 7; // a chart has seven colours

export const sentence = (name) => written(`method.${name}`, "");

const about = (name) => h("span", { class: "about" }, h("b", {}, name), h("small", {}, sentence(name)));

export class MethodList {
  constructor(changed) {
    Object.assign(this, { changed, known: [], names: [] });
    this.list = h("ul", { class: "list methods" });
    this.add = h("button", { type: "button", class: "add", "data-role": "add", "aria-haspopup": "dialog",
      onclick: () => this.choose() });
    this.element = h("section", {}, h("h2", {}, t("solve.methods")), this.list, this.add);
  }

  // Show chosen methods of those that are known.
  show(known, names) {
    Object.assign(this, { known, names });
    this.draw();
  }

  draw() {
    const row = (name, index) => h("li", { "data-method": name }, lineMark(index), about(name),
      h("button", { type: "button", "aria-label": t("solve.remove method", { name }), disabled: this.names.length === 1,
        onclick: () => this.remove(index) }, icon("close")));
    this.list.replaceChildren(...this.names.map(row));
    const more = this.known.length - this.names.length;
    this.add.textContent = t("solve.add method", { n: more });
    this.add.disabled = more === 0 || this.names.length === MOST;
  }

  change(names, focus) {
    this.names = names;
    this.draw();
    focus();
    this.changed();
  }

  remove(index) {
    this.change(this.names.toSpliced(index, 1), () =>
      (this.list.children[index] ?? this.list.lastChild).querySelector("button:enabled")?.focus() ?? this.add.focus());
  }

  // Open the sheet of all other methods.
  choose() {
    const rest = this.known.filter((name) => !this.names.includes(name));
    const take = (name) => { // when the sheet has given its entry of the history back
      addEventListener("popstate", () => this.change([...this.names, name], () => this.add.focus()), { once: true });
      dialog.close();
    };
    const items = rest.map((name) => h("li", {}, h("button", { type: "button", class: "plain", "data-method": name,
      onclick: () => take(name) }, about(name))));
    const none = h("li", { class: "quiet", hidden: true }, t("solve.no method"));
    const filter = () => {
      const words = search.value.toLocaleLowerCase(language).trim().split(/\s+/);
      rest.forEach((name, index) => {
        const text = `${name} ${sentence(name)}`.toLocaleLowerCase(language);
        items[index].hidden = !words.every((word) => text.includes(word));
      });
      none.hidden = items.some((item) => !item.hidden);
    };
    const search = h("input", { type: "search", "aria-label": t("solve.search method"), placeholder: t("solve.search method"),
      autocomplete: "off", oninput: filter, onkeydown: (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        items.find((item) => !item.hidden)?.firstChild.click();
      } });
    const dialog = h("dialog", { class: "goto adding", "aria-label": t("solve.add") });
    dialog.append(h("div", { class: "field" }, icon("search"), search,
      h("button", { type: "button", class: "plain", "aria-label": t("close"), onclick: () => dialog.close() }, icon("close"))),
    h("ul", { class: "list found" }, items, none));
    showSheet(dialog);
    search.focus();
  }
}
