// Ranges that this browser saves by name.
const KEY = "ranges";

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
