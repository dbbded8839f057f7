// Redis: health, INFO, and the cluster slot of each queue.

import {chosenRedis, may, session} from '../core/api.js';
import {cli} from '../core/commands.js';
import {bytes, count, duration, percent, plural} from '../core/format.js';
import {live, onLive} from '../core/live.js';
import {queueLink, setQuery} from '../core/router.js';
import {View, html, nothing} from '../core/view.js';
import {act} from '../parts/act.js';
import {ageOf, head, stat, tag, trouble, waiting, when} from '../parts/basics.js';
import {icon} from '../parts/icons.js';
import {followJob} from '../parts/jobs-tray.js';

class RedisPage extends View {
  #match = '';
  #slotMatch = '';

  start() {
    this.until(onLive(() => this.update()));
    this.info = this.load(() => ({path: 'redis/info'}), 5_000);
    this.all = this.load(() => (session.redis.length > 1 ? {path: 'redis'} : Promise.resolve(null)), 10_000);
    this.slots = this.load(() => ({path: 'redis/slots', query: {limit: 100, match: this.#slotMatch}}), 30_000);
  }

  template() {
    const i = this.info.data?.info ?? {};
    return html`
      ${head({
        title: 'Redis',
        meta: html`<span class="faint">${this.info.data?.name ?? chosenRedis() ?? ''}</span>`,
        actions: html`${ageOf(this.info)}${may('operator') ? html`<button @click=${() => this.#doctor(false)}>${icon('check')}Check data</button>` : nothing}
          ${may('admin') ? html`<button @click=${() => this.#doctor(true)}>Check and repair</button>` : nothing}`,
      })}
      ${trouble(this.info)}${waiting(this.info)}
      ${this.all.data ? html`<section class="card"><header class="card-head"><h2>Servers</h2></header><ul class="plain">${this.all.data.items.map((r) => html`<li><a href="#" @click=${(e) => { e.preventDefault(); setQuery({redis: r.name}); }}>${r.name}</a> ${r.reachable ? tag('reachable', 'good') : tag('unreachable', 'bad')} <span class="faint">${r.problem ?? nothing} ${when(r.at)}</span></li>`)}</ul></section>` : nothing}
      ${this.info.data ? html`
        <section class="stats">
          ${stat('Version', i.redis_version ?? '–', i.redis_mode ?? nothing)}
          ${stat('Response time', `${(this.info.data.pingMs ?? 0).toFixed(1)}ms`)}
          ${stat('Memory', bytes(i.used_memory), Number(i.maxmemory) > 0 ? `${percent(Number(i.used_memory), Number(i.maxmemory))} of ${bytes(i.maxmemory)}` : 'no limit')}
          ${eviction(i.maxmemory_policy)}
          ${stat('Clients', count(Number(i.connected_clients ?? 0)), plural(Number(i.connected_slaves ?? 0), 'replica'))}
          ${stat('Commands', html`${count(Number(i.instantaneous_ops_per_sec ?? 0))}<small>/s</small>`, i.uptime_in_seconds ? `up ${duration(1_000 * Number(i.uptime_in_seconds))}` : nothing)}
          ${persistence(i)}
        </section>
        ${live.overview?.attention?.some((a) => !a.queue && !a.schedule) ? html`<section class="card attention"><ul>${live.overview.attention.filter((a) => !a.queue && !a.schedule).map((a) => html`<li class=${a.severity}><i class="mark"></i>${a.text}</li>`)}</ul></section>` : nothing}
        ${this.#slotTable()}
        <section class="card"><header class="card-head"><h2>INFO</h2><span class="grow"></span><input class="filter" type="search" placeholder="Filter" aria-label="Filter INFO" @input=${(e) => { this.#match = e.target.value; this.update(); }}></header>
          <dl class="facts info">${Object.entries(i).filter(([k]) => k.includes(this.#match)).map(([k, v]) => html`<div><dt>${breakable(k)}</dt><dd class="mono break">${v}</dd></div>`)}</dl></section>` : nothing}`;
  }

  #slotTable() {
    const data = this.slots.data;
    // Without a cluster, all queues are on one server.
    if (!data?.items?.length || (!this.#slotMatch && data.items.every((s) => !s.nodes?.length))) {
      return nothing;
    }
    return html`<section class="card"><header class="card-head"><h2>Queues by cluster slot</h2><span class="faint">${count(data.total)}</span><span class="grow"></span>
      <input class="filter" type="search" placeholder="Filter by name" aria-label="Filter queues" @change=${(e) => { this.#slotMatch = e.target.value; this.slots.refresh(); }}></header>
      <div class="table-wrap short"><table><thead><tr><th>Queue</th><th class="num">Slot</th><th>Nodes</th></tr></thead><tbody>
      ${data.items.map((s) => html`<tr><td><a href=${queueLink(s.queue)}>${s.queue}</a></td><td class="num">${s.slot}</td><td class="mono">${s.nodes?.join(', ') || '–'}</td></tr>`)}</tbody></table></div></section>`;
  }

  async #doctor(repair) {
    const job = await act({
      title: repair ? 'Check and repair?' : 'Check data?',
      confirm: repair ? 'Check and repair' : 'Check',
      danger: repair,
      text: html`<p>Scans all data for inconsistencies: task records without a queue entry, queue entries without a record, and stale locks.${repair ? ' Repairs what can be repaired without data loss.' : ' Does not change anything.'}</p>`,
      request: () => ({method: 'POST', path: 'jobs', body: {action: 'doctor', repair}}),
      cli: () => cli('doctor', {repair}),
      done: 'Check started',
    });
    if (job?.id) {
      followJob(job);
    }
  }
}

function eviction(policy) {
  if (!policy) {
    return stat('Eviction', '–');
  }
  return policy === 'noeviction' ? stat('Eviction', 'Off', 'keys are never evicted') : stat('Eviction', 'On', `${policy}: tasks may be lost`, 'bad');
}

/** INFO has no setting of snapshots, so they count as on when Redis has saved one since its start. */
function persistence(info) {
  if (info.aof_enabled === '1') {
    return stat('Persistence', 'AOF');
  }
  const startedAt = Number(info.server_time_usec) / 1_000_000 - Number(info.uptime_in_seconds);
  const isSaved = info.rdb_saves ? Number(info.rdb_saves) > 0 : Number(info.rdb_last_save_time) > startedAt + 2;
  if (isSaved) {
    return stat('Persistence', 'RDB', `${count(Number(info.rdb_changes_since_last_save ?? 0))} changes since the last snapshot`);
  }
  return info.aof_enabled ? stat('Persistence', 'No AOF', 'no snapshot since the start') : stat('Persistence', '–');
}

/** Allows line breaks after the underscores of a name. */
const breakable = (name) => name.split('_').map((word, i) => (i === 0 ? word : html`_<wbr>${word}`));

RedisPage.define('redis-page');
