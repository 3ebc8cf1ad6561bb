// The state of the page that explores a tree: all of it is in the address.
import { get, isShared } from "./api.js";
import { language } from "./words.js";

export const PANELS = ["values", "table", "time", "tree"];

// A path as it stands in addresses: labels joined by ~, each percent-encoded.
export function encoded(path) {
  return path.split("~").map(encodeURIComponent).join("~");
}

export function readState(location) {
  const [, , id, ...rest] = location.pathname.split("/");
  const query = location.searchParams;
  const panel = query.get("show");
  return {
    id,
    path: decodeURIComponent(rest.join("/")) || "-",
    seat: query.get("seat"),
    show: PANELS.includes(panel) ? panel : "values",
    infoset: query.get("infoset"),
    public: query.get("public"),
  };
}

// The address of a state with changes.
export function address(state, changes = {}) {
  const next = { ...state, infoset: null, public: null, ...changes };
  const query = new URLSearchParams();
  if (next.seat !== null) query.set("seat", next.seat);
  if (next.show !== "values") query.set("show", next.show);
  for (const name of ["infoset", "public"]) if (next[name] !== null) query.set(name, next[name]);
  const where = next.infoset === null && next.public === null ? `/${encoded(next.path)}` : "";
  return `/explore/${next.id}${where}${query.size ? `?${query}` : ""}`;
}

export function parts(path) {
  return path === "-" ? [] : path.split("~");
}

export function joined(labels) {
  return labels.join("~") || "-";
}

// The path after a move.
export function after(path, label) {
  return joined([...parts(path), label]);
}

// Ask for data of a strategy; the address has the language unless it is English.
export function ask(id, what = "", query = {}) {
  const text = new URLSearchParams(query);
  if (language !== "en" && !isShared) text.set("lang", language);
  return get(`/api/explore/${id}${what}${text.size ? `?${text}` : ""}`);
}
