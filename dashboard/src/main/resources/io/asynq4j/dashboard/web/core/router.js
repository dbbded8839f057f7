// Routes are in the URL fragment: they work under any mount path without support from the server,
// and names may contain any character.

import {chooseRedis, chosenRedis} from './api.js';

const routes = [];
const listeners = new Set();

/** @param pattern such as /queues/:queue */
export function route(pattern, tag, load, title) {
  const names = [];
  const source = pattern.replace(/:(\w+)/g, (_, name) => {
    names.push(name);
    return '([^/]+)';
  });
  routes.push({match: new RegExp(`^${source}$`), names, tag, load, title});
}

export function onRoute(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The current location: {path, query, found, params}. */
export function here() {
  const [path, search = ''] = (location.hash.slice(1) || '/').split('?');
  const query = new URLSearchParams(search);
  for (const candidate of routes) {
    const match = candidate.match.exec(path);
    if (match) {
      const params = Object.fromEntries(candidate.names.map((key, i) => [key, decode(match[i + 1])]));
      return {path, query, params, found: candidate};
    }
  }
  return {path, query, params: {}, found: null};
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Builds a URL within the dashboard: link('/queues', [queue], {state}). */
export function link(path, names = [], query = {}) {
  const full = names.reduce((text, part) => text + '/' + encodeURIComponent(part), path);
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries({...query, redis: chosenRedis()})) {
    if (value !== null && value !== undefined && value !== '') {
      search.set(key, value);
    }
  }
  const text = search.toString();
  // With a base element, "#…" alone would navigate to the base URL.
  return `${location.pathname}#${full}${text ? '?' + text : ''}`;
}

export const queueLink = (queue, query) => link('/queues', [queue], query);
export const taskLink = (queue, id) => link(`/queues/${encodeURIComponent(queue)}/tasks`, [id]);

export function go(address) {
  location.href = address;
}

/** Changes the query of the current location without a new entry in the browser history. */
export function setQuery(changes) {
  const {path, query} = here();
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === '') {
      query.delete(key);
    } else {
      query.set(key, value);
    }
  }
  const text = query.toString();
  history.replaceState(null, '', `${location.pathname}#${path}${text ? '?' + text : ''}`);
  notify();
}

function notify() {
  chooseRedis(here().query.get('redis'));
  listeners.forEach((listener) => listener());
}

addEventListener('hashchange', notify);
