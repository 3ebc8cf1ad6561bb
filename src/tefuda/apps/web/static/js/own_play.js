// How exploitable the person's own play of a game has been, computed when it is opened.
import { get } from "./api.js";
import { h, lazyFold } from "./dom.js";
import { language, loadWords, percent, say, t } from "./words.js";

// A change of a strategy at an infoset, in words.
export function changeItem(change) {
  const action = change.actions[change.raised];
  const shares = { before: percent(action.before), after: percent(action.after) };
  return h("li", {}, h("span", { class: "situation" }, t("exploit.situation", change)), " ",
    h("strong", {}, t("exploit.instead", { action: action.name, ...shares })));
}

// A section that opens on request, for the game of a table's state.
export function ownPlay(state) {
  const question = new URLSearchParams({ game: state.game, parameters: JSON.stringify(state.parameters) });
  const load = async () => {
    const [own] = await Promise.all([get(`/api/own-play?${question}&lang=${language}`), loadWords("exploit")]);
    if (own.estimate === undefined) return [h("p", {}, t("own.few", { hands: own.hands, fewest: own.fewest_hands }))];
    const figures = Object.fromEntries(["estimate", "low", "high"].map((name) => [name, say(own[name], 3)]));
    return [
      h("p", {}, t("own.estimate", { ...figures, hands: own.hands })),
      h("h3", {}, t("own.worst")), h("ol", { class: "changes" }, own.worst.map(changeItem)),
      h("p", {}, h("a", { class: "button", href: `/exploit?${question}&opponent=me` }, t("own.lab"))),
    ];
  };
  return lazyFold(t("own.title"), { class: "panel", "data-role": "own-play" }, load);
}
