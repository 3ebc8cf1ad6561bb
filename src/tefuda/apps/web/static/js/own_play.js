// How exploitable the person's own play of a game has been, computed when it is opened.
import { get } from "./api.js";
import { h } from "./dom.js";
import { language, loadWords, number, percent, t } from "./words.js";

// A change of a strategy at an infoset, in words.
export function changeItem(change) {
  const action = change.actions[change.raised];
  return h("li", {}, h("span", { class: "situation" }, t("exploit.situation", change)), " ",
    h("strong", {}, t("exploit.instead", { action: action.name, before: percent(action.before), after: percent(action.after) })));
}

function estimate(own, question) {
  if (own.estimate === undefined) return h("p", {}, t("own.few", { hands: own.hands, fewest: own.fewest_hands }));
  return [
    h("p", {}, t("own.estimate", { estimate: number(own.estimate, 3), low: number(own.low, 3), high: number(own.high, 3), hands: own.hands })),
    h("h3", {}, t("own.worst")), h("ol", { class: "changes" }, own.worst.map(changeItem)),
    h("p", {}, h("a", { href: `/exploit?${question}&opponent=me` }, t("own.lab"))),
  ];
}

// A section that opens on request, for the game of a table's state.
export function ownPlay(state) {
  const question = new URLSearchParams({ game: state.game, parameters: JSON.stringify(state.parameters) });
  const content = h("div", { role: "status" });
  const open = async (event) => {
    if (!event.target.open) return;
    try {
      const [own] = await Promise.all([get(`/api/own-play?${question}&lang=${language}`), loadWords("exploit")]);
      content.replaceChildren(...[estimate(own, question)].flat());
    } catch (error) {
      content.replaceChildren(h("p", { class: "error" }, error.message));
    }
  };
  return h("details", { class: "panel", "data-role": "own-play", ontoggle: open }, h("summary", {}, t("own.title")), content);
}
