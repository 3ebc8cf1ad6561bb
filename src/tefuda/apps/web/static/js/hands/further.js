// The ways on from a decision of a recorded hand: other actions, its node in Explore, a drill. Its spot is solved first.
import { get, isActive, pause, post, statesOf } from "../api.js";
import { attempt, h, working } from "../dom.js";
import { go } from "../main.js";
import { actionText } from "../views/hand.js";
import { number, t } from "../words.js";

const POLL = 300; // milliseconds between two questions how far a solve is

// The row of a decision at a place of the hand; null where another player acts, or no player does.
export function furtherRow({ tries, seats, seat, steps, room, number: name, place: inList }, at, { searchParams }) {
  const known = tries.find(({ step }) => step === at);
  const isOwn = steps[at].player === seat && !seats[seat];
  if (!known) return isOwn ? h("p", { class: "quiet" }, t("replay.no try")) : null;
  const others = Object.fromEntries(["where", "player"].map((key) => [key, searchParams.get(key) ?? ""]).filter(([, text]) => text));
  const query = new URLSearchParams({ room, number: name, place: inList, ...others });
  const said = h("p", { class: "quiet", role: "status" });
  const error = h("p", { class: "error", role: "alert" });

  // Solve the spot, unless that was done before; then go to the address that use(run, line, state) gives.
  const begin = (use) => ({ currentTarget }) => working(currentTarget, t("preparing.short"), () => attempt(error, async () => {
    const { run, line } = await post(`/api/hands/explore?${query}`, { step: at });
    let [state] = await get(statesOf([run]));
    while (isActive(state) && said.isConnected) {
      const value = state.curve.at(-1)?.[2];
      said.textContent = Number.isFinite(value) ? t("replay.solving", { n: number(value, 2), until: number(state.goal.until, 2) }) : "";
      await pause(POLL);
      [state] = await get(statesOf([run]));
    }
    if (said.isConnected) await go(await use(run, line, state));
  }));
  const explore = (run, line) => `/explore/${encodeURIComponent(run)}/${encodeURIComponent(line || "-")}`;
  const table = async (address, body) => `/tables/${(await post(address, body)).id}`;
  const vary = ({ label }) => (run) => table(`/api/hands/variation?${query}`, { step: at, run, action: label });
  const drill = (run, line, { game, game_parameters: parameters }) => table("/api/tables", { game, parameters,
    opponents: [`run:${run}`], coach: `run:${run}`, mode: "after", line: line.replaceAll("~", "/") });
  const button = (name, text, use, title = null) => h("button", { "data-role": name, title, onclick: begin(use) }, text);
  return h("div", { class: "further" }, h("div", { class: "row", role: "group", "aria-label": t("review.try") },
    h("span", { class: "quiet" }, t("review.try")), known.actions.map((action) =>
      button("try", actionText(action, "suits"), vary(action), t("replay.try about")))),
  h("div", { class: "row" }, button("explore", t("price.explore"), explore), button("drill", t("table.drill"), drill)), said, error);
}
