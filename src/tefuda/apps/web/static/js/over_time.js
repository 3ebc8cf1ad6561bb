// Shares and regrets of an infoset over the iterations of its run.
import { chart } from "./chart.js";
import { h } from "./dom.js";
import { ask } from "./place_state.js";
import { t } from "./words.js";

export async function overTime(id, infoset) {
  const series = await ask(id, "/series", { infoset });
  const figures = ["average", "current", "regrets"].filter((name) => series[name]);
  return [h("h2", {}, t("place.overTime", { infoset })), h("p", { class: "quiet" }, t("place.repeated")), ...figures.map((name) => {
    const title = t(`place.${name}`);
    const figure = chart({ title, labels: [t("place.iterations"), title], scales: ["log", "linear"] });
    figure.update(series.actions.map((action, index) => ({
      name: action, points: series.iterations.map((iteration, row) => [iteration, series[name][row][index]]),
    })));
    return h("section", {}, h("h3", {}, title), figure.element);
  })];
}
