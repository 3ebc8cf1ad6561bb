// A live widget: settings as choices, numbers from the server as a chart or a table.
import { get } from "./api.js";
import { chart } from "./chart.js";
import { h, table } from "./dom.js";
import { field } from "./fields.js";
import { number, t } from "./words.js";

// The address of a widget's numbers.
const address = (name, values) => `/api/learn/widgets/${name}?${new URLSearchParams(values)}`;

// The widget of a chapter; `settings` lists the values of each setting, the default first.
export function widget(name, settings) {
  const values = Object.fromEntries(Object.entries(settings).map(([key, choices]) => [key, choices[0]]));
  const place = h("div", { class: "result" });
  const message = h("p", { role: "status", class: "quiet" });
  let asked = 0;

  async function update() {
    const number = ++asked;
    message.textContent = t("widget.computing");
    try {
      const answer = await get(address(name, values));
      if (number !== asked) return;
      place.replaceChildren(answer.rows ? rows(answer) : chart(t("widget.try"), answer, t));
      message.textContent = "";
    } catch (error) {
      message.textContent = error.message;
    }
  }

  const onchange = ({ target }) => {
    values[target.name] = target.value;
    update();
  };
  const choices = Object.entries(settings).map(([name, options]) =>
    field(t(name), { name, onchange }, options.map((option) => [option, t(option)])));
  const ready = update();
  return { element: h("section", { class: "panel widget" },
    h("h2", {}, t("widget.try")), h("p", {}, t(`widget.${name}`)),
    h("div", { class: "row" }, choices), message, place), ready };
}

const rows = (answer) => table(answer.head.map((each) => t(each)),
  answer.rows.map((row) => row.map((cell) => (typeof cell === "number" ? number(cell, 4) : cell))));
