// One iteration of a method of the CFR family, stage by stage, with the formulas filled in.
import { get } from "../api.js";
import { style } from "../dom.js";
import { addKeys } from "../keys.js";
import { go } from "../main.js";
import { element } from "../nodes.js";
import { queryText, readQuery } from "../query.js";
import { t } from "../words.js";

const QUESTION = { game: "kuhn", method: "cfr", iteration: "1", order: "simultaneous", times: "1", at: "" };
const USUAL = { ...QUESTION, stage: "deal" };

export async function show(root, location) {
  const state = readQuery(location, USUAL);
  const [page] = await Promise.all([get(`/api/pages/step${queryText(state, QUESTION)}`), style("place")]);
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
    n: [t("step.key.next"), () => go(address({ iteration: `${page.iteration + 1}` }))],
  });
}
