// Explore the strategy of a tree: a history as all or one of the players know it, or a public state.
import { get } from "../api.js";
import { h, style } from "../dom.js";
import { addKeys } from "../settings.js";
import { go } from "../main.js";
import { Place, ROOT } from "../places.js";
import { head, keys, position as here, seats, way } from "../views/place.js";
import { panel, panelsOf, publicPage, tabs, whole } from "../views/place_panels.js";
import { loadWords, t } from "../words.js";

let walked = false; // a key led here

// Follow the keys of a history; the focus stays at its heading.
function walkByKeys(place, about, position) {
  const walk = (address) => {
    walked = Boolean(address);
    return address && go(address);
  };
  const pairs = Object.entries(keys(place, about, position));
  addKeys(Object.fromEntries(pairs.map(([key, [name, address]]) => [key, [t(name), () => walk(address)]])));
  if (walked) requestAnimationFrame(() => document.getElementById("here")?.focus());
}

export async function show(root, location) {
  const place = new Place(location);
  const [infoset, number] = ["infoset", "public"].map((name) => location.searchParams.get(name));
  if (infoset) {
    const { path } = await get(place.data("/infoset", { name: infoset }));
    return go(place.address(path), true);
  }
  const [about, shown] = await Promise.all(
    [get(place.data()), get(number ? place.data("/public", { number }) : place.position), style("place"), loadWords("games")]);
  if (shown.moved) return go(place.address(shown.moved), true);
  root.append(...head(about, (name) => go(place.address(ROOT, { infoset: name }))));
  addKeys({ g: [t("place.goTo"), () => root.querySelector("#go-to").focus()] });
  if (number) {
    root.append(...publicPage(place, about, shown));
  } else {
    const names = panelsOf(about, shown);
    const name = names.includes(place.show) ? place.show : "values";
    const isWhole = name === "tree" && about.small;
    const [content, drawing] = await Promise.all([panel(name, place, about, shown), isWhole ? whole(place, shown) : ""]);
    root.append(seats(place, about) ?? "", drawing, h("div", { class: "place" }, way(place, shown), here(place, about, shown),
      h("section", { class: "more" }, tabs(place, names, name), h("div", { id: "panel" }, content))));
    walkByKeys(place, about, shown);
  }
  walked = false;
  return null;
}
