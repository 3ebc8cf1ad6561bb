// The page of a table of any game but Koi-Koi: the felt, the row of actions, panels beside it.
import { inBlinds, unitOf } from "../blinds.js";
import { coloursBox } from "../cards.js";
import { h, lazyFold } from "../dom.js";
import { t } from "../words.js";
import { rangesPanel } from "./held_ranges.js";
import { advicePanel, logPanel, statisticsPanel } from "./panels.js";
import { rulesPanel } from "./rules.js";
import { closingPanel, controls, feltAmounts, tableHead } from "./session.js";
import { tableOf } from "./table.js";

// A state as the page shows it.
export const read = inBlinds;

// The parts of the page; act(data) takes the action of a button, bet(amount) a bet in chips.
export function parts(state, { act, bet: bets, note }) {
  const { match, seats, coach, mode, picture, variation } = state;
  const bet = (amount) => bets(Math.round(amount * unitOf(state)));
  const own = seats.length === 2 && coach && !match && !variation
    && lazyFold(t("own.title"), { class: "panel", "data-role": "own-play" }, async () => (await import("../own_play.js")).ownPlay(state));
  return [
    tableHead(state), note,
    h("div", { class: "table-window" },
      h("div", { class: "felt-place" }, tableOf(state), feltAmounts(state, bet)), controls(state, { act, bet }),
      h("div", { class: "table-side" }, rulesPanel(state), rangesPanel(state),
        advicePanel(state.advice, coach, picture, { waits: mode === "off" ? "" : mode }),
        logPanel(state, { known: state.text }), statisticsPanel(state), own,
        picture.deck === "suits" && h("section", { class: "panel" }, coloursBox()), closingPanel(state))),
  ];
}
