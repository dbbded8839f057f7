// One schedule entry: its times, its task, and the tasks that it has enqueued.

import {may, name} from '../core/api.js';
import {duration, local, relative} from '../core/format.js';
import {pref} from '../core/prefs.js';
import {go, link, queueLink, taskLink} from '../core/router.js';
import {View, html, nothing} from '../core/view.js';
import {ageOf, empty, head, tag, trouble, waiting, when} from '../parts/basics.js';
import '../parts/content-view.js';
import {icon} from '../parts/icons.js';
import {actOnSchedule} from '../parts/schedule-actions.js';

const PAGE = 50;

/** Labels of the task options, as on the page of a task. */
const OPTIONS = {id: 'ID', maxRetry: 'Retries', timeout: 'Timeout', deadline: 'Deadline', uniqueFor: 'Unique for', processIn: 'Run in', processAt: 'Run at', retention: 'Retention', group: 'Group', headers: 'Headers'};

class SchedulePage extends View {
  #limit = PAGE;

  start() {
    const path = `schedules/${name(this.place.params.id)}`;
    this.schedule = this.load(() => ({path}), 5_000);
    this.runs = this.load(() => ({path: `${path}/runs`, query: {limit: this.#limit}}), 10_000);
  }

  async #do(verb) {
    if (await actOnSchedule(verb, this.schedule.data)) {
      if (verb === 'forget') {
        go(link('/schedules'));
      }
      this.schedule.refresh();
      this.runs.refresh();
    }
  }

  template() {
    const s = this.schedule.data;
    const crumbs = [['Schedules', link('/schedules')]];
    if (this.schedule.error?.status === 404) {
      return html`${head({crumbs, title: this.place.params.id})}${empty('Schedule not found', 'The scheduler may have been stopped or reconfigured.')}`;
    }
    return html`
      ${head({
        crumbs,
        title: s?.taskType || this.place.params.id,
        meta: s ? html`${s.pausedSince ? html`${tag('paused', 'warn')} ${when(s.pausedSince)}` : nothing}${s.problem ? tag('broken', 'bad') : nothing}${s.live ? tag('live', 'good') : tag('no scheduler', 'bad')}<span class="mono break faint">${s.id}</span>` : nothing,
        actions: html`${ageOf(this.schedule)}${s?.controllable && may('operator') ? html`
          <button class="primary" @click=${() => this.#do('run')}>${icon('play')}Run now</button>
          <button @click=${() => this.#do(s.pausedSince ? 'resume' : 'pause')}>${icon(s.pausedSince ? 'clock' : 'pause')}${s.pausedSince ? 'Resume' : 'Pause'}</button>` : nothing}
          ${s && (!s.live || s.problem) && s.controllable && may('admin') ? html`<button class="quiet-danger" @click=${() => this.#do('forget')}>${icon('trash')}Forget</button>` : nothing}`,
      })}
      ${trouble(this.schedule)}${waiting(this.schedule)}
      ${s?.problem ? html`<section class="card"><p>The schedule entry cannot be read: ${s.problem}</p></section>` : nothing}
      ${s ? html`<div class="columns">
        <div>
          <section class="card"><header class="card-head"><h2>Task</h2></header><dl class="facts">
            <div><dt>Queue</dt><dd>${s.queue ? html`<a href=${queueLink(s.queue)}>${s.queue}</a>` : '–'}</dd></div>
            ${Object.entries(s.options ?? {}).filter(([, v]) => v !== null && v !== undefined && !(typeof v === 'object' && !Object.keys(v).length)).map(([k, v]) => html`<div><dt>${OPTIONS[k] ?? k}</dt><dd>${optionText(k, v)}</dd></div>`)}
            ${s.unreadOptions?.length ? html`<div><dt>Unknown options</dt><dd>${s.unreadOptions.join(', ')}</dd></div>` : nothing}</dl>
            <content-view .content=${s.payload} .what=${'payload'}></content-view></section>
          <section class="card"><header class="card-head"><h2>Enqueued tasks</h2></header>
            ${trouble(this.runs)}${this.runs.data?.items.length ? html`<div class="table-wrap"><table><thead><tr><th>Task</th><th>Enqueued</th></tr></thead><tbody>
              ${this.runs.data.items.map((run) => html`<tr><td>${run.problem ? html`${tag('broken', 'bad')} <span class="faint">${run.problem}</span>` : html`<a class="mono" href=${taskLink(s.queue, run.taskId)}>${run.taskId}</a>`}</td><td>${when(run.enqueuedAt)}</td></tr>`)}</tbody></table></div>
              ${this.runs.data.cursor && this.#limit < 1_000 ? html`<p class="center"><button class="small" @click=${() => { this.#limit = Math.min(1_000, this.#limit * 4); this.runs.refresh(); }}>Show more</button></p>` : nothing}` : this.runs.data ? empty('No tasks enqueued yet') : nothing}</section>
        </div>
        <section class="card"><header class="card-head"><h2>Next runs</h2></header><p>${s.description ? html`${s.description} ` : nothing}<code class="faint">${s.spec}</code></p>
          ${s.nextRuns?.length ? html`<ol class="timeline">${s.nextRuns.map((at) => html`<li class="later future"><span>${when(at)}</span><span class="faint">${pref('time') === 'utc' ? relative(new Date(at)) : local(new Date(at))}</span></li>`)}</ol>` : html`<p class="faint">The times of the next runs are not available.</p>`}</section>
      </div>` : nothing}`;
  }
}

/** Durations of the API are in the format of ISO 8601, for example PT10M. One that would be rounded is not changed. */
function optionText(key, value) {
  const parts = ['timeout', 'uniqueFor', 'processIn', 'retention'].includes(key) && /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,6})?)S)?$/.exec(value);
  if (!parts) {
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = parts;
  const ms = 86_400_000 * days + 3_600_000 * hours + 60_000 * minutes + Math.round(1_000_000 * seconds) / 1_000;
  const step = ms < 10 ? 0.1 : ms < 1_000 ? 1 : ms < 10_000 ? 100 : 1_000;
  return ms === 0 ? '0s' : Number.isInteger(Math.round(1_000 * ms) / Math.round(1_000 * step)) ? duration(ms, 4) : value;
}

SchedulePage.define('schedule-page');
