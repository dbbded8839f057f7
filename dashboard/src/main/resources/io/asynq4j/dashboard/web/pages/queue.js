// One queue: its statistics, and its tasks by state with filter, selection and actions.

import {may, queuePath} from '../core/api.js';
import {bytes, compact, count, duration, percent, plural, quoted} from '../core/format.js';
import {live, onLive} from '../core/live.js';
import {pref} from '../core/prefs.js';
import {go, link, queueLink, setQuery} from '../core/router.js';
import {ACTIONS, STATES, WHAT, actionsOf} from '../core/states.js';
import {View, html, nothing} from '../core/view.js';
import {ageOf, empty, head, stat, tag, trouble, waiting, when} from '../parts/basics.js';
import '../parts/charts.js';
import {icon} from '../parts/icons.js';
import {pager} from '../parts/pager.js';
import '../parts/query-box.js';
import {limitQueue, pauseQueue, removeQueue} from '../parts/queue-actions.js';
import {actOnChosen, actOnQuery} from '../parts/task-actions.js';
import {keyOf} from '../parts/task-table.js';
import {STATE_SERIES, levelsOf, ratesOf} from './overview.js';

const SERIES = [{key: 'succeeded', label: 'succeeded / s'}, {key: 'failed', label: 'failed / s', kind: 'line'}];

/** The charts of the last hour. */
const CHARTS = {
  throughput: {series: SERIES, points: (page) => ratesOf(page.history.data)},
  tasks: {series: STATE_SERIES, stacked: true, points: (page, q) => levelsOf(page.levels.data, q)},
  latency: {series: [{key: 'latency', label: 'latency'}], format: duration, points: (page, q) => levelsOf(page.levels.data, q)},
};

class QueuePage extends View {
  #chosen = new Set();
  #isAll = false;
  #asked = '';

  get #name() {
    return this.place.params.queue;
  }

  get #state() {
    const wanted = this.place.query.get('state');
    return STATES.includes(wanted) ? wanted : this.#usualState();
  }

  get #filter() {
    return this.place.query.get('q') ?? '';
  }

  get #offset() {
    return Number(this.place.query.get('offset') ?? 0);
  }

  /** The default tab: the first state that has tasks. */
  #usualState() {
    this.usual ??= STATES.find((state) => live.queues.get(this.#name)?.sizes?.[state] > 0);
    return this.usual ?? 'pending';
  }

  /** The query that matches the listed tasks, for searches and jobs. */
  get #query() {
    const group = this.place.query.get('group');
    return [`queue:${quoted(this.#name)}`, `state:${this.#state}`, group ? `group:${quoted(group)}` : '', this.#filter].filter(Boolean).join(' ');
  }

  start() {
    // The default tab is known only after the first snapshot.
    this.until(onLive(() => this.moved(this.place)));
    this.detail = this.load(() => ({path: queuePath(this.#name)}), 5_000);
    this.history = this.load(() => ({path: 'history', query: {queue: this.#name}}), 10_000);
    this.levels = this.load(() => ({path: 'history/levels', query: {queue: this.#name}}), 15_000);
    this.days = this.load(() => ({path: `${queuePath(this.#name)}/days`, query: {days: 14}}), 60_000);
    this.groups = this.load(() => (this.#state === 'aggregating' ? {path: `${queuePath(this.#name)}/groups`, query: {limit: 200}} : Promise.resolve(null)), 5_000);
    this.tasks = this.load(() => this.#listRequest(), 4_000);
    this.#asked = this.#key();
  }

  #listRequest() {
    const limit = pref('rows');
    const group = this.place.query.get('group');
    // Only a search lists the tasks of all groups together.
    if (this.#filter || (this.#state === 'aggregating' && !group)) {
      return {path: 'search', query: {q: this.#query, limit, cursor: this.place.query.get('cursor')}};
    }
    return {path: `${queuePath(this.#name)}/tasks`, query: {...(group ? {group} : {state: this.#state}), offset: this.#offset, limit}};
  }

  #key() {
    return [this.#state, this.#filter, this.#offset, this.place.query.get('cursor'), this.place.query.get('group'), pref('rows')].join('\n');
  }

  moved(place) {
    if (place.path !== this.place.path) {
      return;
    }
    this.place = place;
    if (this.#key() !== this.#asked) {
      const isOther = this.#key().split('\n').slice(0, 2).join() !== this.#asked.split('\n').slice(0, 2).join();
      this.#asked = this.#key();
      this.#choose(new Set());
      if (isOther) {
        this.tasks.restart();
        this.groups.restart();
      } else {
        this.tasks.refresh();
      }
    }
    this.update();
  }

  #choose(chosen, isAll = false) {
    this.#chosen = chosen;
    this.#isAll = isAll;
    this.update();
  }

  async #do(action) {
    const ids = this.tasks.data.items.filter((t) => this.#chosen.has(keyOf(t))).map((t) => t.id);
    const isDone = this.#isAll ? await actOnQuery(action, this.#query) : await actOnChosen(action, this.#name, ids);
    if (isDone) {
      this.#choose(new Set());
      this.tasks.refresh();
      this.detail.refresh();
    }
  }

  template() {
    if (this.detail.error?.status === 404) {
      return html`${head({crumbs: [['Queues', link('/queues')]], title: this.#name})}${empty('Queue not found', 'The queue may have been removed. A queue is created when its first task is enqueued.')}`;
    }
    const q = newest(live.queues.get(this.#name), this.detail.data);
    return html`
      ${head({
        crumbs: [['Queues', link('/queues')]],
        title: this.#name,
        meta: html`${q.pausedSince ? html`${tag('paused', 'warn')} ${when(q.pausedSince)}` : tag('running', 'good')}
          ${q.servers === 0 ? tag('no server', 'warn') : nothing}${q.problem ? html`<span class="text-bad">${q.problem}</span>` : nothing}`,
        actions: html`${ageOf(this.detail)}
          ${may('operator') ? html`<a class="button" href=${link('/enqueue', [], {queue: this.#name})}>${icon('plus')}Enqueue</a>
            <button @click=${() => pauseQueue({...q, queue: this.#name}).then(() => this.detail.refresh())}>${icon(q.pausedSince ? 'play' : 'pause')}${q.pausedSince ? 'Resume' : 'Pause'}</button>` : nothing}
          ${may('admin') ? html`<button @click=${() => limitQueue(this.#name, q.limits).then(() => this.detail.refresh())}>${icon('settings')}Limits</button>
            <button class="quiet-danger" @click=${async () => { if (await removeQueue({...q, queue: this.#name})) go(link('/queues')); }}>${icon('trash')}Remove</button>` : nothing}`,
      })}
      ${trouble(this.detail)}
      <section class="stats" aria-label="Statistics">
        ${stat('Size', compact(q.size), q.groups ? plural(q.groups, 'group') : 'all states')}
        ${stat('Latency', q.latencyMs ? duration(q.latencyMs) : '–', q.latencyMs ? 'waiting time of the next task' : 'no pending tasks')}
        ${stat('Processed today', compact(q.processedToday), html`${compact(q.processed)} in total`)}
        ${stat('Failed today', compact(q.failedToday), percent(q.failedToday, q.processedToday), q.failedToday > 0 ? 'bad' : '')}
        ${stat('Servers', compact(q.servers), limitsText(q.limits))}
        ${stat('Memory', bytes(q.memoryBytes), q.nodes?.length ? `estimated, slot ${q.slot}` : 'estimated')}
      </section>
      <div class="columns level">
        ${this.#chart(q)}
        <section class="card"><header class="card-head"><h2>Last 14 days</h2><span class="faint">UTC days</span></header>
          <day-bars .bars=${daysOf(this.days.data)} .label=${`Processed tasks per day in queue ${this.#name}`}></day-bars></section>
      </div>
      ${this.#list(q)}`;
  }

  #chart(q) {
    const chosen = this.place.query.get('chart') in CHARTS ? this.place.query.get('chart') : 'throughput';
    const {series, stacked = false, format = null, points} = CHARTS[chosen];
    return html`<section class="card"><header class="card-head"><h2>Last hour</h2><span class="grow"></span>
      <div class="segmented" role="group" aria-label="Chart">${Object.keys(CHARTS).map((key) => html`
        <button aria-pressed=${key === chosen} @click=${() => setQuery({chart: key === 'throughput' ? null : key})}>${key}</button>`)}</div></header>
      <time-chart .points=${points(this, q)} .series=${series} .stacked=${stacked} .format=${format} .height=${150} .label=${`${chosen} of queue ${this.#name}`}></time-chart></section>`;
  }

  #list(q) {
    const list = this.tasks.data;
    const state = this.#state;
    const tasks = list?.items ?? [];
    return html`<section class="card">
      <div class="tabs" role="tablist" aria-label="States">${STATES.map((s) => html`
        <a role="tab" aria-selected=${s === state} href=${queueLink(this.#name, {state: s})} title=${WHAT[s]}><i class="dot state-${s}"></i>${s}<b>${compact(q.sizes?.[s] ?? 0)}</b></a>`)}</div>
      <div class="toolbar">
        <query-box .value=${this.#filter} .label=${'Filter tasks'} .placeholder=${'Filter: type:email:* error:"refused" payload.user=42'}
          .onquery=${(text) => setQuery({q: text, offset: null, cursor: null, state})}></query-box>
        ${this.#groupChoice()}
        <span class="grow"></span>${ageOf(this.tasks)}
      </div>
      ${trouble(this.tasks)}${waiting(this.tasks)}
      ${this.#chosen.size || this.#isAll ? this.#bulk(state, list) : nothing}
      ${list && tasks.length === 0 ? empty(this.#filter ? (list.cursor ? 'No matching tasks found so far' : 'No tasks match') : `No ${state} tasks`, this.#filter && list.cursor ? 'Continue the search to scan more tasks.' : this.#filter ? 'Change the filter or select another state.' : nothing) : nothing}
      ${tasks.length ? html`<task-table .tasks=${tasks} .state=${state} .selected=${may('operator') ? this.#chosen : null} .onselect=${(chosen) => this.#choose(chosen)}></task-table>` : nothing}
      ${list?.unreadable?.length ? html`<p class="notice warn">${plural(list.unreadable.length, 'task')} on this page cannot be read: <code>${list.unreadable.join(', ')}</code>. You can delete them.</p>` : nothing}
      ${list ? this.#foot(list) : nothing}
    </section>`;
  }

  #groupChoice() {
    const groups = this.groups.data?.items;
    if (this.#state !== 'aggregating' || !groups) {
      return nothing;
    }
    const chosen = this.place.query.get('group') ?? '';
    return html`<select aria-label="Group" @change=${(e) => setQuery({group: e.target.value, state: 'aggregating', offset: null})}>
      <option value="" ?selected=${!chosen}>All groups</option>
      ${groups.map((g) => html`<option value=${g.group} ?selected=${g.group === chosen}>${g.group} (${g.broken ? 'broken' : g.size})</option>`)}</select>`;
  }

  #bulk(state, list) {
    const total = list?.total;
    return html`<div class="bulk" role="region" aria-label="Selected tasks">
      <strong>${this.#isAll ? (this.#filter ? 'All matching tasks' : `All ${count(total)} tasks`) : `${plural(this.#chosen.size, 'task')} selected`}</strong>
      ${this.#isAll ? nothing : html`<button class="ghost small" @click=${() => this.#choose(this.#chosen, true)}>Select all ${this.#filter ? 'matching' : count(total)}</button>`}
      <span class="grow"></span>
      ${actionsOf(state).map((action) => html`<button class=${ACTIONS[action].danger ? 'small quiet-danger' : 'small'} @click=${() => this.#do(action)}>${icon(ACTIONS[action].icon)}${ACTIONS[action].label}</button>`)}
      <button class="ghost icon-only small" aria-label="Clear selection" @click=${() => this.#choose(new Set())}>${icon('close')}</button>
    </div>`;
  }

  #foot(list) {
    if (this.#filter) {
      return list.cursor || this.place.query.get('cursor') ? html`<div class="pager">
        ${this.place.query.get('cursor') ? html`<button class="ghost small" @click=${() => setQuery({cursor: null})}>« Start over</button>` : nothing}
        <span class="grow"></span><span class="faint">${count(list.looked)} tasks scanned</span>
        ${list.cursor ? html`<button class="small" @click=${() => setQuery({cursor: list.cursor})}>Continue ›</button>` : nothing}</div>` : nothing;
    }
    return pager({offset: this.#offset, rows: pref('rows'), total: list.total ?? 0, set: (offset) => setQuery({offset: offset || null, state: this.#state})});
  }
}

/** Merges the live row with the queue details; the newer values win. */
const newest = (row, detail) => (row?.at && detail?.at && Date.parse(row.at) > Date.parse(detail.at) ? {...detail, ...row} : {...row, ...detail});

const limitsText = (limits) => {
  const parts = [];
  if (limits?.maxActive) {
    parts.push(`max. ${limits.maxActive} active`);
  }
  if (limits?.ordered) {
    parts.push('in order');
  }
  if (limits?.rate) {
    parts.push(limits.rate === 'none' ? 'no rate limit' : limits.rate);
  }
  return parts.join(', ') || 'no queue limits';
};

const daysOf = (days) => [...(days?.items ?? [])].reverse().map((d) => ({label: d.date, good: d.processed - d.failed, bad: d.failed}));

QueuePage.define('queue-page');
