// Charts of the last hour, from data that the dashboard keeps in memory.

import {get, session} from '../core/api.js';
import {duration} from '../core/format.js';
import {live, onLive} from '../core/live.js';
import {setQuery} from '../core/router.js';
import {View, html, nothing} from '../core/view.js';
import {ageOf, head, trouble} from '../parts/basics.js';
import '../parts/charts.js';
import {STATE_SERIES, levelsOf, ratesOf} from './overview.js';

const SPANS = [['5', '5 min'], ['15', '15 min'], ['60', '1 hour']];

class MetricsPage extends View {
  get #queue() {
    return this.place.query.get('queue') ?? '';
  }

  get #minutes() {
    return Number(this.place.query.get('span') ?? 60);
  }

  start() {
    this.history = this.load(() => get('history', {queue: this.#queue || null}), 5_000);
    this.levels = this.load(() => get('history/levels', {queue: this.#queue || null}), 15_000);
    this.until(onLive(() => this.update()));
  }

  moved(place) {
    if (place.path === this.place.path) {
      const isOther = place.query.get('queue') !== this.place.query.get('queue');
      this.place = place;
      if (isOther) {
        this.history.restart();
        this.levels.restart();
      }
      this.update();
    }
  }

  #within(points) {
    const last = points.at(-1)?.at ?? 0;
    return points.filter((p) => p.at >= last - this.#minutes * 60_000);
  }

  template() {
    const rates = this.#within(ratesOf(this.history.data));
    const errors = rates.map((p) => ({at: p.at, failed: p.succeeded + p.failed > 0 ? (100 * p.failed) / (p.succeeded + p.failed) : 0}));
    const seen = this.#within(levelsOf(this.levels.data, this.#queue ? live.queues.get(this.#queue) : live.overview));
    const hasWorkers = seen.some((p) => p.workers !== undefined && p.workers !== null);
    return html`
      ${head({title: 'Metrics', meta: html`<span class="faint">Last hour, kept in memory since the dashboard started.${session.metrics ? html` For long-term data, scrape the <a href="metrics" target="_blank" rel="noopener">Prometheus endpoint</a>.` : nothing}</span>`, actions: html`${ageOf(this.history)}
        <select aria-label="Queue" @change=${(e) => setQuery({queue: e.target.value})}><option value="">All queues</option>${[...live.queues.keys()].sort().slice(0, 500).map((q) => html`<option value=${q} ?selected=${q === this.#queue}>${q}</option>`)}</select>
        <div class="segmented" role="group" aria-label="Time range">${SPANS.map(([n, text]) => html`<button aria-pressed=${Number(n) === this.#minutes} @click=${() => setQuery({span: n === '60' ? null : n})}>${text}</button>`)}</div>`})}
      ${trouble(this.history)}${trouble(this.levels)}
      <div class="columns even level">
        ${chart('Throughput', rates, [{key: 'succeeded', label: 'succeeded / s'}, {key: 'failed', label: 'failed / s', kind: 'line'}])}
        ${chart('Error rate', errors, [{key: 'failed', label: 'failed %'}])}
        ${chart('Tasks by state', seen, STATE_SERIES, {stacked: true})}
        ${chart('Latency', seen, [{key: 'latency', label: this.#queue ? 'latency' : 'maximum latency'}], {format: duration})}
        ${this.#queue || !hasWorkers ? nothing : chart('Workers', seen.filter((p) => p.workers !== undefined), [{key: 'workers', label: 'workers', kind: 'line'}, {key: 'busy', label: 'busy'}])}
      </div>`;
  }
}

const chart = (title, points, series, {stacked = false, format = null} = {}) => html`
  <section class="card"><header class="card-head"><h2>${title}</h2></header>
    <time-chart .points=${points} .series=${series} .stacked=${stacked} .format=${format} .label=${title} .height=${190}></time-chart></section>`;

MetricsPage.define('metrics-page');
