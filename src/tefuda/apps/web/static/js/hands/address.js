// Addresses of recorded hands, and their times.
import { language } from "../words.js";

export const USUAL = { where: "", by: "", player: "", page: "1", over: "hands" };

// The values of a query that choose a list of hands, and more.
function chosen(query, more = {}) {
  const known = Object.keys(USUAL).map((name) => [name, query.get(name)]).filter(([name, value]) => value && value !== USUAL[name]);
  const all = [...known, ...Object.entries(more)];
  return all.length ? `?${new URLSearchParams(all)}` : "";
}

// The address of the list that a query chooses.
export const addressOf = (query) => `/hands${chosen(query)}`;

// The address of a hand at a place of that list; the way back to the list is in it.
export const handAddress = ({ room, number }, query, place, more = {}) =>
  `/hands/${encodeURIComponent(room)}/${encodeURIComponent(number)}${chosen(query, { place, ...more })}`;

// The start of a hand: as in the file where its zone is unknown, else by the clock of this computer.
export function timeText(start, isLong = false) {
  if (!start) return "";
  const time = new Date(start);
  if (isLong) return time.toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
  const [month, day, hour, minute] = [time.getMonth() + 1, time.getDate(), time.getHours(), time.getMinutes()]
    .map((part) => `${part}`.padStart(2, "0"));
  return `${month}-${day} ${hour}:${minute}`;
}
