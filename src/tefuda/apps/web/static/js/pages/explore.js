// Explore a strategy: the page depends on how its game is represented.
import { get } from "../api.js";
import { loadWords } from "../words.js";

export async function show(root, location) {
  const name = location.pathname.split("/")[2];
  const isPushFold = decodeURIComponent(name).startsWith("pushfold:");
  const { representation } = isPushFold ? { representation: "hands" } : await get(`/api/forms/${name}`);
  if (!["hands", "buckets"].includes(representation)) return (await import("./place.js")).show(root, location);
  const [page] = await Promise.all([import("./spot.js"), loadWords("spot", "cards")]);
  return page.show(root, location);
}
