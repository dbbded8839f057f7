// The live snapshot. One event stream serves all pages; it is closed while the browser tab is hidden.

import {chosenRedis, url} from './api.js';

const RETRY_MS = 3_000;
const HIDDEN_MS = 20_000;

const listeners = new Set();
const jobListeners = new Set();

/** Pages only read it; this module writes it. */
export const live = {
  overview: null,
  queues: new Map(),
  receivedAt: 0,
  /** connecting, open, lost or asleep */
  link: 'connecting',
  /** Incremented on each change, for caches. */
  version: 0,
  /** Incremented when a queue is added or removed. */
  namesVersion: 0,
};

let stream = null;
let retry = 0;
let sleep = 0;

export function onLive(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls the listener with each job update. */
export function onJob(listener) {
  jobListeners.add(listener);
  return () => jobListeners.delete(listener);
}

/** Age of the newest data from Redis in milliseconds; null if there is none. */
export function age() {
  const ageMs = live.overview?.ageMs;
  return ageMs === null || ageMs === undefined ? null : ageMs + (performance.now() - live.receivedAt);
}

/** Opens a new event stream and closes the previous one. */
export function connect() {
  close();
  const opened = new EventSource(url('events'));
  stream = opened;
  set('connecting');
  opened.onopen = () => set('open');
  opened.addEventListener('snapshot', (event) => {
    const {overview, queues} = JSON.parse(event.data);
    live.queues = new Map(queues.map((queue) => [queue.queue, queue]));
    live.namesVersion++;
    took(overview);
  });
  opened.addEventListener('change', (event) => {
    const {overview, queues = [], removed = []} = JSON.parse(event.data);
    const before = live.queues.size;
    queues.forEach((queue) => live.queues.set(queue.queue, queue));
    if (removed.length > 0 || live.queues.size !== before) {
      live.namesVersion++;
    }
    removed.forEach((queue) => live.queues.delete(queue));
    took(overview);
  });
  opened.addEventListener('job', (event) => {
    const job = JSON.parse(event.data);
    jobListeners.forEach((listener) => listener(job));
  });
  opened.onerror = () => {
    // The browser reconnects after a lost connection, but not after a response such as 503.
    set('lost');
    if (opened.readyState === EventSource.CLOSED && stream === opened) {
      retry = setTimeout(connect, RETRY_MS);
    }
  };
}

/** Discards the snapshot when another Redis is selected. */
export function forget() {
  live.overview = null;
  live.queues = new Map();
  live.namesVersion++;
}

function took(overview) {
  if (overview) {
    live.overview = overview;
    live.receivedAt = performance.now();
  }
  live.version++;
  set('open');
}

function set(link) {
  live.link = link;
  listeners.forEach((listener) => listener());
}

function close() {
  clearTimeout(retry);
  stream?.close();
  stream = null;
}

document.addEventListener('visibilitychange', () => {
  clearTimeout(sleep);
  if (document.hidden) {
    sleep = setTimeout(() => {
      close();
      set('asleep');
    }, HIDDEN_MS);
  } else if (!stream) {
    connect();
  }
});

export const isFor = (job) => !chosenRedis() || job.redis === chosenRedis();

// A page in the back/forward cache would keep its stream open, and browsers allow only six connections per server.
addEventListener('pagehide', close);
addEventListener('pageshow', (event) => event.persisted && connect());
