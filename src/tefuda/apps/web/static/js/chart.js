// Charts that the server has scaled: places are thousandths of the width and of the height.
import { fold, h, svg, table } from "./dom.js";
import { number, t } from "./words.js";

const at = (place) => `${place / 10}%`;

function drawing({ ticks: [across, up], levels, lines }) {
  const path = (name, d) => d && svg("path", { class: name, d });
  return svg("svg", { viewBox: "0 0 1000 1000", preserveAspectRatio: "none" },
    across.map(([x]) => path("grid", `M${x} 0V1000`)), up.map(([y]) => path("grid", `M0 ${y}H1000`)),
    levels.map(([, y]) => path("level", `M0 ${y}H1000`)),
    lines.map((line, index) => ["band", "path", "dots"].map((part) =>
      [line[part]].flat().map((d) => path(`${part} line-${index % 7}`, d)))));
}

// A chart of a message with its twin as a table. `name` turns the names of lines into words.
export function chart(title, message, name = (text) => text) {
  const { ticks: [across, up], levels, lines } = message;
  const labels = message.labels.map((keys) => keys.map((key) => t(key)).join(", "));
  const text = (kind, left, top, content) => h("span", { class: kind, style: { left, top } }, content);
  const ends = lines.map(({ name: key, end }, index) =>
    end && text(`name line-${index % 7}`, at(end[0]), at(end[1]), name(key)));
  const rows = lines.flatMap((line) => line.points.map((point) =>
    [name(line.name), number(point[0]), ...point.slice(1).map((value) => number(value, 4))]));
  const head = [t("line"), ...labels, t("low"), t("high")].slice(0, rows[0]?.length ?? 3);
  return h("figure", { class: "chart" },
    h("div", { role: "img", "aria-label": title }, h("p", {}, labels[1]),
      h("div", { class: "plot" }, drawing(message), ends,
        across.map(([x, label]) => text("across", at(x), null, label)),
        up.map(([y, label]) => text("up", null, at(y), label)),
        levels.map(([key, y, value]) => text("over", null, at(y), `${t(key)} ${number(value, 3)}`))),
      h("p", {}, labels[0])),
    fold(t("as table"), { class: "twin" }, table(head, rows, { "aria-label": title })));
}
