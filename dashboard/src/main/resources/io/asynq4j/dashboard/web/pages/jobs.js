// Bulk operations: running jobs and recent jobs.

import {may} from '../core/api.js';
import {onJob} from '../core/live.js';
import {View, html, nothing, repeat} from '../core/view.js';
import {ageOf, empty, head, tag, trouble, waiting, when} from '../parts/basics.js';
import {jobBody, jobLabel, stopJob} from '../parts/jobs-tray.js';

const KIND = {running: 'info', done: 'good', stopped: 'warn', failed: 'bad'};

class JobsPage extends View {
  start() {
    this.jobs = this.load(() => ({path: 'jobs'}), 3_000);
    this.until(onJob((job) => this.#took(job)));
  }

  #took(job) {
    if (this.jobs.data) {
      this.jobs.data.items = this.jobs.data.items.map((each) => (each.id === job.id ? job : each));
      this.update();
    }
  }

  template() {
    const items = this.jobs.data?.items ?? [];
    return html`${head({title: 'Jobs', meta: html`<span class="faint">Bulk operations on tasks</span>`, actions: ageOf(this.jobs)})}
      ${trouble(this.jobs)}${waiting(this.jobs)}
      ${this.jobs.data && !items.length ? html`<section class="card">${empty('No jobs yet', 'Actions on all tasks that match a query appear here.')}</section>` : nothing}
      ${repeat(items, (j) => j.id, (job) => html`<section class="card job-card"><header class="card-head"><h2>${jobLabel(job)}</h2>${tag(job.state, KIND[job.state])}
        <span class="faint">${job.by ?? nothing} ${when(job.startedAt)}</span><span class="grow"></span>
        ${job.state === 'running' && may('operator') ? html`<button class="small" @click=${() => stopJob(job).then(() => this.jobs.refresh())}>Stop</button>` : nothing}</header>
        ${job.query ? html`<code class="clip">${job.query}</code>` : nothing}${jobBody(job)}</section>`)}`;
  }
}

JobsPage.define('jobs-page');
