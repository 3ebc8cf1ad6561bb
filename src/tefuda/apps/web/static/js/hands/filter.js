// The line of a filter: conditions as tokens, a field for more; the wrong one is marked.
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { t } from "../words.js";

const wordsOf = (where) => where.split(/\s+/).filter(Boolean);

// Make the line; `wrong` is what the server could not read, change(where) is called.
export function filterLine(where, wrong, change) {
  const words = wordsOf(where);
  const change_ = (all) => change(all.join(" "));
  const isWrong = (index) => {
    const start = words.slice(0, index).reduce((sum, word) => sum + word.length + 1, 0);
    return wrong !== null && wrong.position[0] >= start && wrong.position[0] < start + words[index].length;
  };
  const token = (word, index) => h("span", { class: isWrong(index) ? "token wrong" : "token" }, h("code", {}, word),
    h("button", { class: "plain", "aria-label": t("hands.remove", { word }), onclick: () =>
      change_(words.filter((_, place) => place !== index)) }, "×"));
  const add = () => field.value.trim() && change_([...words, ...wordsOf(field.value)]);
  const field = h("input", { type: "text", "aria-label": t("hands.filter"), autocomplete: "off", spellcheck: "false",
    "aria-invalid": wrong && "true", "aria-describedby": wrong && "filter-wrong", placeholder: t("hands.add"), onkeydown: ({ key }) => {
      if (key === "Enter") add();
      else if (key === "Backspace" && !field.value && words.length) change_(words.slice(0, -1));
    }, onchange: add });
  return h("div", { class: "filter" }, h("div", { class: "tokens", role: "group", "aria-label": t("hands.filter") }, icon("filter"),
    words.map(token), field),
  wrong && h("p", { class: "error", id: "filter-wrong", role: "alert" }, t("hands.wrong"), " ", h("span", { lang: "en" }, wrong.text)));
}

// A filter with one more condition.
export const withWord = (where, word) => [...wordsOf(where).filter((each) => each !== word), word].join(" ");
