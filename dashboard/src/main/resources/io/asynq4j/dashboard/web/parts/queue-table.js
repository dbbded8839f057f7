// All queues of the live snapshot. There may be thousands, so only one page of rows is rendered.

import {may} from '../core/api.js';
import {compact, count, duration, percent} from '../core/format.js';
import {live, onLive} from '../core/live.js';
import {pref} from '../core/prefs.js';
import {here, onRoute, queueLink, setQuery} from '../core/router.js';
import {STATES} from '../core/states.js';
import {View, html, nothing, repeat} from '../core/view.js';
import {empty, tag} from './basics.js';
import {stackBar} from './charts.js';
import {icon} from './icons.js';
import {pager} from './pager.js';
import {pauseQueue, removeQueue} from './queue-actions.js';

const VALUES = {
  size: (q) => q.size ?? -1,
  latency: (q) => q.latencyMs ?? -1,
  processed: (q) => q.processedToday ?? -1,
  failed: (q) => q.failedToday ?? -1,
  servers: (q) => q.servers ?? -1,
};

const names = new Intl.Collator('en', {numeric: true});

/** The view state is in the URL: match, sort (prefix - for descending) and from. */
class QueueTable extends View {
  #match = '';
  #sort = 'name';
  #isUp = true;
  #offset = 0;
  #sorted = {key: '', rows: []};
  #names = {version: -1, all: []};

  start() {
    this.until(onLive(() => this.update()));
    this.until(onRoute(() => this.#moved()));
    this.#moved();
  }

  #moved() {
    const {query} = here();
    const sort = query.get('sort') ?? 'name';
    const key = sort.replace(/^-/, '');
    this.#match = query.get('match') ?? '';
    this.#sort = key in VALUES ? key : 'name';
    this.#isUp = !sort.startsWith('-');
    this.#offset = Number(query.get('from')) || 0;
    this.update();
  }

  #rows() {
    const key = [live.version, this.#match, this.#sort, this.#isUp].join();
    if (this.#sorted.key !== key) {
      const wanted = this.#match.toLowerCase();
      const value = VALUES[this.#sort];
      const rows = this.#byName().filter((name) => name.toLowerCase().includes(wanted)).map((name) => live.queues.get(name)).filter(Boolean);
      if (this.#sort !== 'name') {
        // Sorting is stable, so equal rows stay ordered by name.
        rows.sort((a, b) => value(a) - value(b));
      }
      this.#sorted = {key, rows: this.#isUp ? rows : rows.reverse()};
    }
    return this.#sorted.rows;
  }

  /** Sorting by name is the slowest step, so it runs only when the names change. */
  #byName() {
    if (this.#names.version !== live.namesVersion) {
      this.#names = {version: live.namesVersion, all: [...live.queues.keys()].sort(names.compare)};
    }
    return this.#names.all;
  }

  #by(sort) {
    const isUp = this.#sort === sort ? !this.#isUp : sort === 'name';
    setQuery({sort: sort === 'name' && isUp ? null : (isUp ? '' : '-') + sort, from: null});
  }

  template() {
    const all = this.#rows();
    const rows = pref('rows');
    const offset = this.#offset < all.length ? this.#offset : 0;
    const page = all.slice(offset, offset + rows);
    const most = page.reduce((top, q) => Math.max(top, q.size ?? 0), 1);
    const column = (key, label, kind = 'num') => html`<th class=${kind} aria-sort=${this.#sort === key ? (this.#isUp ? 'ascending' : 'descending') : 'none'}>
      <button class="sort" @click=${() => this.#by(key)}>${label}<span aria-hidden="true">${this.#sort === key ? (this.#isUp ? '↑' : '↓') : ''}</span></button></th>`;
    return html`<section class="card">
      <header class="card-head"><h2>Queues</h2><span class="faint">${count(live.queues.size)}</span><span class="grow"></span>
        <input class="filter" type="search" placeholder="Filter by name" aria-label="Filter queues by name" .value=${this.#match}
          @input=${(e) => setQuery({match: e.target.value, from: null})}></header>
      ${all.length === 0 ? (live.overview ? empty(live.queues.size ? 'No queue matches the filter' : 'No queues yet', live.queues.size ? nothing : 'A queue is created when its first task is enqueued.') : html`<div class="skeleton"><span></span><span></span><span></span></div>`) : html`
      <div class="table-wrap"><table class="queues cards">
        <thead><tr>${column('name', 'Queue', '')}<th class="wide">Tasks by state</th>${column('size', 'Size')}${column('latency', 'Latency')}
          ${column('processed', 'Processed today')}${column('failed', 'Failed today')}${column('servers', 'Servers')}<th><span class="offscreen">Actions</span></th></tr></thead>
        <tbody>${repeat(page, (q) => q.queue, (q) => this.#row(q, most))}</tbody>
      </table></div>
      ${all.length > 10 ? pager({offset, rows, total: all.length, set: (to) => setQuery({from: to || null})}) : nothing}`}
    </section>`;
  }

  #row(q, most) {
    if (q.problem && !q.sizes) {
      return html`<tr><td><a class="strong" href=${queueLink(q.queue)}>${q.queue}</a></td><td colspan="7" class="text-bad">${q.problem}</td></tr>`;
    }
    const parts = STATES.map((state) => ({key: state, value: q.sizes?.[state] ?? 0}));
    return html`<tr>
      <td data-label="Queue"><a class="strong" href=${queueLink(q.queue)}>${q.queue}</a>
        ${q.pausedSince ? tag('paused', 'warn') : nothing}${q.problem ? html`<span class="tag bad" title=${q.problem}>outdated</span>` : nothing}</td>
      <td class="wide" data-label="By state">${stackBar(parts, most, parts.filter((p) => p.value).map((p) => `${p.key} ${p.value}`).join(', ') || 'no tasks')}</td>
      <td class="num" data-label="Size">${compact(q.size)}</td>
      <td class="num" data-label="Latency">${q.latencyMs ? duration(q.latencyMs) : html`<span class="faint">–</span>`}</td>
      <td class="num" data-label="Processed today">${compact(q.processedToday)}</td>
      <td class="num" data-label="Failed today">${q.failedToday ? html`<span><span class="text-bad">${compact(q.failedToday)}</span> <span class="faint">${percent(q.failedToday, q.processedToday)}</span></span>` : html`<span class="faint">0</span>`}</td>
      <td class="num" data-label="Servers">${q.servers ? q.servers : html`<span class=${q.size ? 'text-warn' : 'faint'}>none</span>`}</td>
      <td class="row-actions">${may('operator') ? html`<button class="ghost icon-only small" title=${q.pausedSince ? 'Resume' : 'Pause'} aria-label="${q.pausedSince ? 'Resume' : 'Pause'} ${q.queue}"
        @click=${() => pauseQueue(q)}>${icon(q.pausedSince ? 'play' : 'pause')}</button>` : nothing}
        ${may('admin') ? html`<button class="ghost icon-only small" title="Remove" aria-label="Remove ${q.queue}" @click=${() => removeQueue(q)}>${icon('trash')}</button>` : nothing}</td>
    </tr>`;
  }
}

QueueTable.define('queue-table');
