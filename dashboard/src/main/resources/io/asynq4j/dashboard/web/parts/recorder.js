// Sizes and latencies as they were while the page has been open: the server keeps throughput, not these.

import {live, onLive} from '../core/live.js';

const EVERY_MS = 2_000;
const KEPT = 1_800;
const MOST_QUEUES = 200;

const all = [];
const byQueue = new Map();
let isOn = false;
let last = 0;

export const recorded = (queue) => (queue ? byQueue.get(queue) ?? [] : all);

/** Begins, once. */
export function record() {
  if (!isOn) {
    isOn = true;
    onLive(take);
    take();
  }
}

function take() {
  const now = Date.now();
  const o = live.overview;
  if (!o || o.problem || now - last < EVERY_MS) {
    return;
  }
  last = now;
  add(all, {at: now, ...o.sizes, latency: o.latencyMs, workers: o.workers, busy: o.busy});
  for (const [name, queue] of live.queues) {
    if (!byQueue.has(name) && byQueue.size >= MOST_QUEUES) {
      continue;
    }
    if (!byQueue.has(name)) {
      byQueue.set(name, []);
    }
    add(byQueue.get(name), {at: now, ...queue.sizes, latency: queue.latencyMs});
  }
}

function add(points, point) {
  points.push(point);
  if (points.length > KEPT) {
    points.shift();
  }
}
