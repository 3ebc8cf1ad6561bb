// The chart of a range to paint: a drag paints or erases, arrows move, Space paints, Shift with arrows paints on.
import { h } from "../dom.js";
import { percent, t } from "../words.js";
import { CLASSES } from "./hands.js";

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -13, ArrowDown: 13 };

// A chart as {element, show(index, weight, isEven)}. A stroke is `begin()`, paint(index, erase) for each cell, `end()`.
export function paintGrid(label, { isPainted, paint, begin, end, choose }) {
  let [current, erase, stroke] = [0, false, null];
  const cells = CLASSES.map((name) => h("div", { role: "gridcell", class: "paint", tabindex: -1, "data-class": name },
    h("span", { class: "fill" }), h("b", { "aria-hidden": "true" }, name), h("i", { "aria-hidden": "true" })));

  const select = (index) => {
    cells[current].tabIndex = -1;
    cells[current].removeAttribute("aria-current");
    current = index;
    cells[current].tabIndex = 0;
    cells[current].setAttribute("aria-current", "true");
    choose(index);
  };
  const touch = (index) => {
    if (index < 0 || stroke?.has(index)) return;
    stroke?.add(index);
    select(index);
    paint(index, erase);
  };
  const under = (event) => cells.indexOf(document.elementFromPoint(event.clientX, event.clientY)?.closest(".paint"));

  const onpointerdown = (event) => {
    const index = cells.indexOf(event.target.closest(".paint"));
    if (index < 0 || event.button) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    [erase, stroke] = [isPainted(index), new Set()];
    begin();
    touch(index);
    cells[index].focus({ preventScroll: true });
  };
  const onpointermove = (event) => stroke && touch(under(event));
  const finish = () => {
    if (!stroke) return;
    stroke = null;
    end();
  };
  const onkeydown = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const next = current + (STEPS[event.key] ?? 0);
    if (event.key === " ") {
      begin();
      erase = isPainted(current);
      paint(current, erase);
      end();
    } else if (event.key in STEPS) {
      const wraps = Math.abs(STEPS[event.key]) === 1 && Math.floor(next / 13) !== Math.floor(current / 13);
      if (!wraps && next >= 0 && next < cells.length) {
        select(next);
        cells[next].focus();
        if (event.shiftKey) {
          begin();
          paint(next, erase);
          end();
        }
      }
    } else return;
    event.preventDefault();
  };

  const element = h("div", { role: "grid", class: "painting", "aria-label": label, onpointerdown, onpointermove,
    onpointerup: finish, onpointercancel: finish, onkeydown },
  Array.from({ length: 13 }, (_, row) => h("div", { role: "row" }, cells.slice(13 * row, 13 * row + 13))));
  const show = (index, weight, isEven) => {
    const [cell, share] = [cells[index], Math.round(100 * weight)];
    cell.classList.toggle("some", weight > 0);
    cell.classList.toggle("cut", !isEven);
    cell.querySelector(".fill").style.height = `${100 * weight}%`;
    cell.querySelector("i").textContent = weight > 0 && share < 100 ? `${share}` : "";
    cell.setAttribute("aria-selected", `${weight > 0}`);
    cell.setAttribute("aria-label", `${CLASSES[index]} ${weight > 0 ? percent(weight, 3) : t("range.none")}`);
  };
  cells[0].tabIndex = 0;
  return { element, show };
}
