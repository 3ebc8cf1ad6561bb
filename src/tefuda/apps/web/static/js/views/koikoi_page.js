// The page of a table of Koi-Koi: the felt, panels beside it, and a bar that opens them on a phone.
import { h } from "../dom.js";
import { fillHere } from "../head.js";
import { icon } from "../icons.js";
import { showSheet } from "../visits.js";
import { t } from "../words.js";
import { gameName } from "./hand.js";
import { koikoiTable, matchHead, matchText } from "./koikoi.js";
import { freshCards, playStages, stagesOf } from "./hana.js";
import { choiceSheet, coachPanel, matchSheet, roundSheet, yakuPanel } from "./koikoi_side.js";
import { endOffer, guide, isNew, lessonButton } from "./lesson.js";
import { logPanel, statisticsPanel } from "./panels.js";
import { closingPanel } from "./session.js";

// Open panels in a sheet. `act(data)` takes the action of a button inside.
function open(title, content, act) {
  const dialog = h("dialog", { class: "bottom-sheet", "aria-label": title, onclick: (event) => {
    const button = event.target.closest("[data-action], [data-send]");
    if (!button) return;
    dialog.close();
    act(button.dataset);
  } });
  dialog.append(h("div", { class: "row" }, h("b", {}, title), h("button", { class: "plain", "aria-label": t("close"),
    onclick: () => dialog.close() }, icon("close"))), ...content.filter(Boolean));
  showSheet(dialog);
}

export const playTurn = (before, state, draw) => playStages(stagesOf(before, state), draw);

// The parts of the page; `rules()` makes the panel of the rules, and a stage shows a moment of the opponent's turn.
export function koikoiParts(state, { rules, act, note, lesson, stage = null, picture = state.picture }) {
  const table = { ...state, picture, fresh: freshCards(state.picture.events), ...lesson && guide(state), actions: stage ? [] : state.actions,
    advice: stage ? null : state.advice };
  const { more } = picture;
  const isOver = more.ending && !stage;
  const end = isOver && (state.closed && state.match ? matchSheet(table) : roundSheet(table));
  if (isOver) endOffer();
  const choosing = !stage && more.choice === "koi-koi";
  const panels = {
    yaku: () => [yakuPanel(table)],
    coach: () => [coachPanel(table) ?? h("p", {}, t("koikoi.no coach"))],
    moves: () => [undo(), logPanel(state, { known: state.text }), statisticsPanel(state), closingPanel(state)],
    rules: () => [lessonButton(), rules()],
  };
  const canUndo = !stage && !state.variation && state.actions.length > 0 && picture.events.some(({ player }) => player === state.seat);
  const undo = () => canUndo && h("button", { "data-role": "back", "data-send": "back" }, icon("undo"), h("span", {}, t("koikoi.back")));
  const offer = state.hand === 0 && !canUndo && !lesson && isNew() && lessonButton();
  const button = (name) => h("button", { type: "button", "data-panel": name,
    onclick: () => open(t(`koikoi.panel.${name}`), panels[name](), act) }, icon(name), h("span", {}, t(`koikoi.panel.${name}`)));
  fillHere(...matchHead(state));
  const title = state.match ? matchText(state.match, state.end !== null) : gameName(state.game);
  return [
    h("h1", { class: "unseen" }, gameName(state.game), ": ", title), note,
    h("div", { class: "hana-grid" }, h("div", { class: "hana-felt" }, koikoiTable(table, stage), end),
      h("div", { class: "hana-side" }, choosing && choiceSheet(table), yakuPanel(table), !choosing && coachPanel(table),
        h("div", { class: "hana-foot" }, undo(), offer, button("moves"), button("rules")))),
    h("nav", { class: "hana-bar", "aria-label": t("koikoi.panels") }, Object.keys(panels).map(button)),
  ];
}
