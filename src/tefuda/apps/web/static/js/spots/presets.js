// Ranges to start from, 100 big blinds deep: approximations, meant to be edited; saved ranges; the spot of an empty form.
import { t } from "../words.js";

// The label of a preset, such as "BB against BTN calls".
export const presetName = ({ name, against, action }) => [name, against ? t("range.against", { who: against }) : "",
  t(`range.${action}`)].filter(Boolean).join(" ");

export const PRESETS = [
  { name: "UTG", action: "open", text: "55+,A4s+,KTs+,QTs+,J9s+,T9s,98s,ATo:0.5,AJo+,KQo" },
  { name: "CO", action: "open", text: "22+,A2s+,K6s+,Q8s+,J8s+,T8s+,97s+,87s,76s,65s,A8o+,KTo+,QTo+,JTo" },
  { name: "BTN", action: "open", text: "22+,A2s+,K2s+,Q4s+,J6s+,T6s+,96s+,85s+,75s+,64s+,54s,A2o+,K8o+,Q9o+,J9o+,T8o+,98o" },
  { name: "SB", action: "open", text: "22+,A2s+,K2s+,Q4s+,J6s+,T6s+,96s+,86s+,75s+,65s,54s,A2o+,K8o+,Q9o+,J9o+,T9o" },
  { name: "BB", against: "BTN", action: "call", text:
    "99-22,AJs-A2s,KJs-K2s,KQs:0.5,QJs-Q4s,JTs-J6s,T9s-T6s,98s-95s,87s-85s,76s-74s,65s-63s,54s-53s,43s," +
    "AQo:0.5,ATo-A5o,KQo-K9o,QJo-Q9o,JTo-J9o,T9o-T8o,98o" },
  { name: "BB", against: "CO", action: "call", text:
    "TT-22,AJs-A2s,KQs-K6s,QJs-Q8s,JTs-J8s,T9s-T8s,98s-97s,87s-86s,76s-75s,65s-64s,54s,AJo-ATo,KQo-KTo,QJo,JTo" },
  { name: "BB", against: "SB", action: "call", text:
    "99-22,A9s-A2s,KTs-K2s,QTs-Q3s,J9s-J5s,T9s-T6s,98s-95s,87s-85s,76s-74s,65s-64s,54s-53s,43s," +
    "AJo-A2o,KJo-K7o,QJo-Q8o,JTo-J8o,T9o-T8o,98o-97o,87o" },
  { name: "BB", against: "BTN", action: "raise", text: "TT+,AQs+,A5s-A4s,KQs:0.5,K9s:0.5,J9s:0.5,AQo:0.5,AKo,A5o:0.25,KJo:0.25" },
  { name: "BTN", against: "BB", action: "call", text: "JJ-55,AQs-ATs,A5s-A3s,KQs-KTs,QJs-QTs,JTs,T9s,98s,87s,76s,AQo,AJo:0.5,KQo:0.5" },
];

// The spot of a form that no address fills, and the positions of its players.
export const SPOT = { board: "Qs 7h 2d 5c", pot: "55", stack: "200", bets: "33%,75%,a", raises: "60%,a", oop:
  "99-22,AJs-A2s,KJs-K2s,KQs:0.5,QJs-Q4s,JTs-J6s,T9s-T6s,98s-95s,87s-85s,76s-74s,65s-63s,54s-53s,43s,AQo:0.5,ATo-A5o," +
  "KQo-K9o,QJo-Q9o,JTo-J9o,T9o-T8o,98o", ip:
  "22+,A2s+,K2s+,Q4s+,J6s+,T6s+,96s+,85s+,75s+,64s+,54s,A2o+,K8o+,Q9o+,J9o+,T8o+,98o" };
export const POSITIONS = { oop: "BB", ip: "BTN" };

const KEY = "ranges"; // of those that this browser saves by name

// The saved ranges as [{name, text}], by name.
export function saved() {
  try {
    const entries = Object.entries(JSON.parse(localStorage.getItem(KEY) ?? "{}"));
    return entries.map(([name, text]) => ({ name, text: `${text}` })).sort((one, other) => one.name.localeCompare(other.name));
  } catch {
    return [];
  }
}

const write = (ranges) =>
  localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(ranges.map(({ name, text }) => [name, text]))));

export const deleteSaved = (name) => write(saved().filter((each) => each.name !== name));

export const saveRange = (name, text) => write([...saved().filter((each) => each.name !== name), { name, text }]);
