// Explore a run: the page depends on how its game is represented.
import { get } from "../api.js";
import { loadWords } from "../words.js";

const PAGES = { hands: "spot" };

export async function show(root, location) {
  const run = location.pathname.split("/")[2];
  const { representation } = await get(`/api/forms/${run}`);
  const name = PAGES[representation] ?? "place";
  const [page] = await Promise.all([import(`./${name}.js`), loadWords(name)]);
  return page.show(root, location);
}
