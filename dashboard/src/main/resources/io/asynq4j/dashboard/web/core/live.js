// The shared snapshot as the server sends it: one stream for the whole page, closed while nobody looks.

import {chosenRedis, url} from './api.js';

const RETRY_MS = 3_000;
const HIDDEN_MS = 20_000;

const listeners = new Set();
const jobListeners = new Set();

/** Read by pages; changed only here. */
export const live = {
  overview: null,
  queues: new Map(),
  receivedAt: 0,
  /** connecting, open, lost or asleep */
  link: 'connecting',
  /** Grows with each change, for caches. */
  version: 0,
  /** Grows when a queue comes or goes. */
  namesVersion: 0,
};

let stream = null;
let retry = 0;
let sleep = 0;

export function onLive(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls the listener with each job that has gone on. */
export function onJob(listener) {
  jobListeners.add(listener);
  return () => jobListeners.delete(listener);
}

/** How old the newest look at Redis is, in milliseconds; null when there was none. */
export function age() {
  const ageMs = live.overview?.ageMs;
  return ageMs === null || ageMs === undefined ? null : ageMs + (performance.now() - live.receivedAt);
}

/** Begins anew, for example with another Redis. */
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
    // The browser tries again by itself after a break, but not after an answer such as 503.
    set('lost');
    if (opened.readyState === EventSource.CLOSED && stream === opened) {
      retry = setTimeout(connect, RETRY_MS);
    }
  };
}

/** Another Redis: what is known of the old one goes. */
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

// A page that the browser keeps for going back would keep its stream too, and a browser opens only six to a server.
addEventListener('pagehide', close);
addEventListener('pageshow', (event) => event.persisted && connect());
