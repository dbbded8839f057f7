// Preferences of this browser: theme, time format, rows per page, saved searches.

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
    // Without local storage the preference lasts until the page is closed.
  }
  apply();
  listeners.forEach((listener) => listener());
}

/** Calls the listener after each change; returns a function that removes it. */
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
