// Overview: current numbers, problems, charts and all queues.

import {compact, duration, percent, rate} from '../core/format.js';
import {live, onLive} from '../core/live.js';
import {link, queueLink} from '../core/router.js';
import {STATES, WHAT} from '../core/states.js';
import {View, html, nothing} from '../core/view.js';
import {ageOf, head, stat, trouble} from '../parts/basics.js';
import {stackBar} from '../parts/charts.js';
import '../parts/queue-table.js';

const SERIES = [{key: 'succeeded', label: 'succeeded / s'}, {key: 'failed', label: 'failed / s', kind: 'line'}];
const LATENCY = [{key: 'latency', label: 'waiting time of the next task'}];
const MAX_SHOWN = 6;

/** Converts counts per interval to counts per second. */
export function ratesOf(history) {
  const points = (history?.points ?? []).map((p) => ({
    at: Date.parse(p.at),
    succeeded: (1_000 * (p.processed - p.failed)) / history.intervalMs,
    failed: (1_000 * p.failed) / history.intervalMs,
  }));
  // The last interval is incomplete and would look like a drop.
  return points.length > 2 ? points.slice(0, -1) : points;
}

/** Sizes and latencies as chart points; the current values are the last point. */
export function levelsOf(history, now) {
  const points = (history?.points ?? []).map((p) => ({at: Date.parse(p.at), ...p.sizes, latency: p.latencyMs, workers: p.workers, busy: p.busyWorkers}));
  const at = now?.at && now.sizes ? Date.parse(now.at) : 0;
  if (at > (points.at(-1)?.at ?? 0)) {
    points.push({at, ...now.sizes, latency: now.latencyMs, workers: now.workers, busy: now.busy});
  }
  return points;
}

export const STATE_SERIES = STATES.map((state) => ({key: state, label: state}));

class OverviewPage extends View {
  #isAll = false;

  start() {
    this.until(onLive(() => this.update()));
    this.history = this.load(() => ({path: 'history'}), 10_000);
    this.levels = this.load(() => ({path: 'history/levels'}), 15_000);
  }

  template() {
    const o = live.overview;
    const sizes = o?.sizes ?? {};
    const total = STATES.reduce((sum, state) => sum + (sizes[state] ?? 0), 0);
    const levels = levelsOf(this.levels.data, o);
    return html`
      ${head({title: 'Overview', actions: ageOf(this.history)})}
      <section class="stats" aria-label="Current numbers">
        ${stat('Throughput', html`${rate(o?.processedPerSecond)}<small>/s</small>`, 'last minute')}
        ${stat('Failures', html`${rate(o?.failedPerSecond)}<small>/s</small>`, o ? `${compact(o.failedToday)} today, ${percent(o.failedToday, o.processedToday)}` : nothing, o?.failedPerSecond > 0 ? 'bad' : '')}
        ${stat('Pending', compact(sizes.pending), 'tasks in all queues')}
        ${stat('Latency', o?.latencyMs ? duration(o.latencyMs) : '–', o && !o.latencyMs ? 'no pending tasks' : 'maximum of all queues')}
        ${stat('Workers', html`${compact(o?.busy)}<small> / ${compact(o?.workers)}</small>`, o ? `busy on ${o.servers === 1 ? '1 server' : `${compact(o.servers)} servers`}` : nothing, o && o.servers === 0 ? 'warn' : '')}
        ${stat('Processed today', compact(o?.processedToday), o ? `${compact(o.queues)} queues${o.pausedQueues ? `, ${o.pausedQueues} paused` : ''}` : nothing)}
      </section>
      ${this.#attention(o?.attention ?? [])}
      <section class="card">
        <header class="card-head"><h2>Throughput and failures</h2><span class="faint">last hour</span></header>
        ${trouble(this.history)}
        <time-chart .points=${ratesOf(this.history.data)} .series=${SERIES} .label=${'Throughput of the last hour'} .height=${220}></time-chart>
      </section>
      <div class="columns level">
        <section class="card">
          <header class="card-head"><h2>Tasks by state</h2><span class="faint">${compact(total)} now; chart: last hour</span></header>
          ${trouble(this.levels)}
          ${stackBar(STATES.map((state) => ({key: state, value: sizes[state] ?? 0})), total, 'Tasks by state')}
          <ul class="state-legend">${STATES.map((state) => html`<li><i class="dot state-${state}"></i><a href=${link('/search', [], {q: `state:${state}`})} title=${WHAT[state]}>${state}</a><b>${compact(sizes[state] ?? 0)}</b></li>`)}</ul>
          <time-chart .points=${levels} .series=${STATE_SERIES} .stacked=${true} .bare=${true} .label=${'Tasks by state in the last hour'} .height=${150}></time-chart>
        </section>
        <section class="card">
          <header class="card-head"><h2>Latency</h2><span class="faint">maximum of all queues, last hour</span></header>
          <time-chart .points=${levels} .series=${LATENCY} .format=${duration} .label=${'Maximum latency in the last hour'} .height=${205}></time-chart>
        </section>
      </div>
      <queue-table></queue-table>`;
  }

  #attention(all) {
    if (all.length === 0) {
      return nothing;
    }
    const rank = {error: 0, warning: 1, info: 2};
    const sorted = [...all].sort((a, b) => rank[a.severity] - rank[b.severity]);
    const shown = this.#isAll ? sorted : sorted.slice(0, MAX_SHOWN);
    return html`<section class="card attention" aria-label="Needs attention">
      <header class="card-head"><h2>Needs attention</h2><span class="faint">${all.length}</span></header>
      <ul>${shown.map((a) => html`<li class=${a.severity}><i class="mark" aria-hidden="true"></i><span class="offscreen">${a.severity}:</span>
        <span>${a.queue || a.schedule ? html`<b>${a.queue ?? a.schedule}</b> ` : nothing}${a.text}</span><span class="grow"></span>${whereTo(a)}</li>`)}</ul>
      ${sorted.length > shown.length ? html`<button class="ghost small" @click=${() => { this.#isAll = true; this.update(); }}>${sorted.length - shown.length} more</button>` : nothing}
    </section>`;
  }
}

function whereTo(attention) {
  if (attention.schedule) {
    return html`<a href=${link('/schedules', [attention.schedule])}>Open</a>`;
  }
  if (attention.queue) {
    return html`<a href=${queueLink(attention.queue, attention.kind === 'orphans' ? {state: 'active'} : attention.kind === 'no-aggregator' ? {state: 'aggregating'} : attention.kind === 'archive-near-limit' ? {state: 'archived'} : {})}>Open</a>`;
  }
  return html`<a href=${link('/redis')}>Redis</a>`;
}

OverviewPage.define('overview-page');
