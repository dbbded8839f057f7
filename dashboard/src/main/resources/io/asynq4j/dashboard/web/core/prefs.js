// What this browser remembers: theme, how times are told, rows per page, saved searches.

const KEY = 'asynq';
const DEFAULTS = {theme: 'system', time: 'relative', rows: 25, saved: [], density: 'normal'};

const listeners = new Set();
let values = {...DEFAULTS, ...read()};

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}');
  } catch {
    return {};
  }
}

export const pref = (name) => values[name];

export function setPref(name, value) {
  values = {...values, [name]: value};
  try {
    localStorage.setItem(KEY, JSON.stringify(values));
  } catch {
    // A browser that stores nothing still gets the choice until the page is closed.
  }
  apply();
  listeners.forEach((listener) => listener());
}

/** Calls the listener after each change; returns what ends that. */
export function onPrefs(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function apply() {
  const root = document.documentElement;
  if (values.theme === 'system') {
    delete root.dataset.theme;
  } else {
    root.dataset.theme = values.theme;
  }
  root.dataset.density = values.density;
}

apply();
