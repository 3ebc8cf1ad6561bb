// One iteration of a method of the CFR family, stage by stage, with the formulas filled in.
import { get, holds, isShared } from "../api.js";
import { h, style } from "../dom.js";
import { gameTree } from "../game_tree.js";
import { addKeys } from "../settings.js";
import { go } from "../main.js";
import { queryText, readQuery } from "../query.js";
import { STAGES, drawingTable, figures, form, numbers, stagePanels, tabs } from "../views/step.js";
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
  const asked = (changes) => `/api/step${queryText({ ...state, ...changes }, QUESTION)}`;
  const [step] = await Promise.all([get(asked({})), style("place")]);
  if (!STAGES.includes(state.stage)) state.stage = USUAL.stage;
  const address = (changes) => `/learn/step${queryText({ ...state, ...changes }, USUAL)}`;
  const { stage, game, method } = state;
  const title = t("step.drawing", { stage: t(`step.${stage}`) });
  const texts = figures(stage, step);
  const histories = step.histories.map((history, index) =>
    ({ ...history, ...texts[index], chosen: history.infoset === step.at }));
  const pick = ({ infoset }) => infoset && go(address({ at: infoset }));
  root.append(h("h1", {}, t("step.title", step)), form({ ...step, game, method }, step.names), tabs(stage, address),
    stagePanels(stage, step), h("h2", {}, title), h("p", { class: "quiet" }, t("step.drawingAbout", step)),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, gameTree(title, histories, pick)),
    drawingTable(step), h("h2", {}, t("step.all")), numbers(step, address));
  if (isShared) restrict(root, (name, value) => holds(asked({ [name]: value })));
  root.addEventListener("change", ({ target: { name, value } }) =>
    value && go(address({ [name]: value, ...(name === "game" && { at: "" }) })));
  const beside = (values, value, name, distance) => () => {
    const next = values[values.indexOf(value) + distance];
    if (next) go(address({ [name]: next }));
  };
  addKeys({
    ArrowLeft: [t("step.key.left"), beside(STAGES, stage, "stage", -1)],
    ArrowRight: [t("step.key.right"), beside(STAGES, stage, "stage", 1)],
    ArrowUp: [t("step.key.up"), beside(step.names, step.at, "at", -1)],
    ArrowDown: [t("step.key.down"), beside(step.names, step.at, "at", 1)],
    n: [t("step.key.next"), () => {
      const iteration = `${step.iteration + 1}`;
      if (holds(asked({ iteration }))) go(address({ iteration }));
    }],
  });
}
