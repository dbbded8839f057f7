// All schedule entries.

import {may} from '../core/api.js';
import {plural} from '../core/format.js';
import {link, queueLink} from '../core/router.js';
import {View, html, nothing, repeat} from '../core/view.js';
import {ageOf, empty, head, tag, trouble, waiting, when} from '../parts/basics.js';
import {icon} from '../parts/icons.js';
import {actOnSchedule} from '../parts/schedule-actions.js';

class SchedulesPage extends View {
  start() {
    this.schedules = this.load(() => ({path: 'schedules'}), 5_000);
  }

  async #do(verb, schedule) {
    if (await actOnSchedule(verb, schedule)) {
      this.schedules.refresh();
    }
  }

  template() {
    const items = this.schedules.data?.items ?? [];
    return html`
      ${head({title: 'Schedules', meta: this.schedules.data ? html`<span class="faint">${plural(items.length, 'entry', 'entries')}</span>` : nothing, actions: ageOf(this.schedules)})}
      ${trouble(this.schedules)}${waiting(this.schedules)}
      ${this.schedules.data ? html`<section class="card">${items.length === 0 ? empty('No schedules', 'The entries of running schedulers appear here.') : html`
        <div class="table-wrap"><table class="cards"><thead><tr><th>Task</th><th>Schedule</th><th>Queue</th><th>Next</th><th>Last</th><th><span class="offscreen">Actions</span></th></tr></thead>
        <tbody>${repeat(items, (s) => s.id, (s) => this.#row(s))}</tbody></table></div>`}</section>` : nothing}`;
  }

  #row(s) {
    return html`<tr>
      <td data-label="Task"><a class="strong" href=${link('/schedules', [s.id])}>${s.taskType || s.id}</a> ${s.problem ? html`${tag('broken', 'bad')}<br><span class="faint">${s.problem}</span> ` : nothing}${s.pausedSince ? tag('paused', 'warn') : nothing}${s.live ? nothing : tag('no scheduler', 'bad')}</td>
      <td data-label="Schedule"><span>${s.description ?? s.spec}</span>${s.description ? html`<br><code class="faint">${s.spec}</code>` : nothing}</td>
      <td data-label="Queue">${s.queue ? html`<a href=${queueLink(s.queue)}>${s.queue}</a>` : '–'}</td>
      <td data-label="Next">${s.pausedSince ? html`<span class="faint">paused</span>` : when(s.next)}</td>
      <td data-label="Last">${when(s.previous)}</td>
      <td class="row-actions">${may('operator') && s.controllable ? html`
        <button class="ghost icon-only small" title="Run now" aria-label="Run ${s.taskType} now" @click=${() => this.#do('run', s)}>${icon('play')}</button>
        <button class="ghost icon-only small" title=${s.pausedSince ? 'Resume' : 'Pause'} aria-label="${s.pausedSince ? 'Resume' : 'Pause'} ${s.taskType}" @click=${() => this.#do(s.pausedSince ? 'resume' : 'pause', s)}>${icon(s.pausedSince ? 'clock' : 'pause')}</button>` : nothing}</td>
    </tr>`;
  }
}

SchedulesPage.define('schedules-page');
