// Changes of a strategy in words.
import { h } from "../dom.js";
import { percent, say, t } from "../words.js";

function change({ hand, table, actions, raised }) {
  const { name, before, after } = actions[raised];
  const shares = { action: say(name), before: percent(before), after: percent(after) };
  return h("li", {}, h("span", { class: "situation" }, t("exploit.situation", { hand: say(hand), table: say(table) })),
    " ", h("strong", {}, t("exploit.instead", shares)));
}

export const changes = (all) => h("ol", { class: "changes" }, all.map(change));
