// One iteration of a method of the CFR family, stage by stage, with the formulas filled in.
import { get, holds, isShared } from "../api.js";
import { style } from "../dom.js";
import { addKeys } from "../keys.js";
import { go } from "../main.js";
import { element } from "../nodes.js";
import { queryText, readQuery } from "../query.js";
import { t } from "../words.js";

const QUESTION = { game: "kuhn", method: "cfr", iteration: "1", order: "simultaneous", times: "1", at: "" };
const USUAL = { ...QUESTION, stage: "deal" };

// Offer only what a shared file holds; a field with one value goes.
function restrict(root, isHeld) {
  root.querySelectorAll("option").forEach((option) =>
    isHeld(option.parentElement.name, option.value) || option.remove());
  for (const input of root.querySelectorAll("input")) {
    input.max = input.value;
    while (isHeld(input.name, `${Number(input.max) + 1}`)) input.max = Number(input.max) + 1;
  }
  for (const field of root.querySelectorAll("select, input")) {
    if (field.options?.length === 1 || (field.max && field.max === field.min)) field.closest("label").remove();
  }
}

export async function show(root, location) {
  const state = readQuery(location, USUAL);
  const asked = (changes) => `/api/pages/step${queryText({ ...state, ...changes }, QUESTION)}`;
  const [page] = await Promise.all([get(asked({})), style("place")]);
  const stages = Object.keys(page.stages);
  if (!stages.includes(state.stage)) state.stage = USUAL.stage;
  const address = (changes) => `/learn/step${queryText({ ...state, ...changes }, USUAL)}`;
  const { nodes, title, figures } = page.stages[state.stage];
  const histories = page.histories.map((history, index) =>
    ({ ...history, ...figures[index], href: history.infoset && address({ at: history.infoset }) }));
  const drawing = ["div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
    ["tree", { "aria-label": title }, histories]];
  const all = [...page.head, ...nodes, ["h2", {}, title], page.about, drawing, ...page.tables];
  root.append(...all.map((node) => element(node)));
  for (const link of root.querySelectorAll("a")) { // links have what they change
    link.setAttribute("href", address(Object.fromEntries(new URLSearchParams(link.search))));
  }
  root.querySelectorAll(".stages a")[stages.indexOf(state.stage)].setAttribute("aria-current", "step");
  if (isShared) restrict(root, (name, value) => holds(asked({ [name]: value })));
  root.addEventListener("change", ({ target: { name, value } }) =>
    value && go(address({ [name]: value, ...(name === "game" && { at: "" }) })));
  const beside = (values, value, name, step) => () => {
    const next = values[values.indexOf(value) + step];
    if (next) go(address({ [name]: next }));
  };
  addKeys({
    ArrowLeft: [t("step.key.left"), beside(stages, state.stage, "stage", -1)],
    ArrowRight: [t("step.key.right"), beside(stages, state.stage, "stage", 1)],
    ArrowUp: [t("step.key.up"), beside(page.names, page.at, "at", -1)],
    ArrowDown: [t("step.key.down"), beside(page.names, page.at, "at", 1)],
    n: [t("step.key.next"), () => {
      const iteration = `${page.iteration + 1}`;
      if (holds(asked({ iteration }))) go(address({ iteration }));
    }],
  });
}
