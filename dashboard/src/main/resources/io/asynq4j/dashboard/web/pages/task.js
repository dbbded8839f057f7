// Details of one task, and the actions on it.

import {taskPath, url} from '../core/api.js';
import {byId, cli, curl} from '../core/commands.js';
import {duration, plural, shortId} from '../core/format.js';
import {link, queueLink} from '../core/router.js';
import {ACTIONS} from '../core/states.js';
import {View, html, nothing} from '../core/view.js';
import {copy} from '../core/clipboard.js';
import {ageOf, badge, bar, copyButton, empty, head, tag, trouble, waiting, when} from '../parts/basics.js';
import '../parts/content-view.js';
import {icon} from '../parts/icons.js';
import {actOnTask} from '../parts/task-actions.js';

const MORE = {copy: {label: 'Copy task', icon: 'copy'}, edit: {label: 'Edit payload', icon: 'edit'}};
const MAX_FORECAST = 5;

class TaskPage extends View {
  get #path() {
    return taskPath(this.place.params.queue, this.place.params.id);
  }

  start() {
    this.task = this.load(() => ({path: this.#path}), 4_000);
    this.why = this.load(() => ({path: `${this.#path}/explanation`}), 8_000);
  }

  async #do(action) {
    if (await actOnTask(action, this.task.data)) {
      this.task.refresh();
      this.why.refresh();
    }
  }

  template() {
    const {queue, id} = this.place.params;
    const t = this.task.data;
    const crumbs = [['Queues', link('/queues')], [queue, queueLink(queue, t ? {state: t.state} : {})]];
    if (this.task.error?.status === 404) {
      return html`${head({crumbs, title: shortId(id)})}${empty('Task not found', html`The task was deleted, succeeded without a retention period, or was never in this queue.
        <br><a href=${link('/search', [], {q: `id:${id}`})}>Search all queues for this ID</a>`)}`;
    }
    return html`
      ${head({
        crumbs,
        title: t?.type || shortId(id),
        meta: html`${t ? badge(t.state) : nothing}${t?.orphaned ? tag('orphaned', 'bad') : nothing}<span class="mono break">${id}</span>${copyButton(id, 'task ID')}`,
        actions: html`${ageOf(this.task)}
          <button class="ghost small" @click=${() => copy(cli('task', 'inspect', {queue}, byId(id)), 'Copied as CLI')}>${icon('terminal')}Copy as CLI</button>
          <button class="ghost small" @click=${() => copy(curl({method: 'GET', path: this.#path}), 'Copied as curl')}>${icon('terminal')}Copy as curl</button>`,
      })}
      ${trouble(this.task)}${waiting(this.task)}
      ${t ? this.#body(t) : nothing}`;
  }

  #body(t) {
    return html`
      ${t.actions.length ? html`<div class="action-bar" role="group" aria-label="Actions">${t.actions.map((action) => {
        const {label, icon: name, danger} = ACTIONS[action] ?? MORE[action];
        return html`<button class=${danger ? 'quiet-danger' : ''} @click=${() => this.#do(action)}>${icon(name)}${label}</button>`;
      })}</div>` : nothing}
      ${t.progress ? html`<section class="card"><header class="card-head"><h2>Progress</h2><span class="faint">${t.progress.percent}%</span></header>${bar(t.progress.percent / 100)}<p>${t.progress.note}</p></section>` : nothing}
      <div class="columns">
        <div>
          ${this.#explanation(t)}
          <section class="card"><header class="card-head"><h2>Payload</h2></header>
            <content-view .content=${t.payload} .what=${'payload'} .download=${t.payload.kind === 'absent' || t.payload.kind === 'hidden' ? null : url(`${this.#path}/payload`).href}></content-view></section>
          ${t.result.kind !== 'absent' ? html`<section class="card"><header class="card-head"><h2>Result</h2></header>
            <content-view .content=${t.result} .what=${'result'} .download=${url(`${this.#path}/result`).href}></content-view></section>` : nothing}
          ${t.failures?.length ? this.#attempts(t.failures) : nothing}
          ${t.lastError && !t.failures?.length ? html`<section class="card"><header class="card-head"><h2>Last error</h2><span class="faint">${when(t.lastFailedAt)}</span></header>
            <div class="with-copy"><pre class="error-block" tabindex="0">${t.lastError}</pre>${copyButton(t.lastError, 'error')}</div>
          </section>` : nothing}
          ${t.fingerprint ? html`<p><a href=${link('/search', [], {q: `fingerprint:${t.fingerprint}`})}>All tasks with the same error</a></p>` : nothing}
        </div>
        <div>
          ${this.#timeline(t)}
          <section class="card"><header class="card-head"><h2>Options</h2></header><dl class="facts">
            ${fact('Queue', html`<a href=${queueLink(t.queue)}>${t.queue}</a>`)}
            ${fact('Retries', `${t.retried} of ${t.maxRetry}`)}
            ${fact('Crashes', t.crashes || null)}
            ${fact('Timeout', t.timeoutMs ? duration(t.timeoutMs) : null)}
            ${fact('Deadline', t.deadline ? when(t.deadline) : null)}
            ${fact('Unique', t.unique ? 'holds the uniqueness lock' : null)}
            ${fact('Group', t.group)}
            ${fact('Retention', t.retentionMs ? duration(t.retentionMs) : null)}
            ${fact('Server', t.worker ? html`<a href=${link('/servers')}>${t.worker.host}:${t.worker.pid}</a>` : null)}
          </dl></section>
          ${Object.keys(t.headers ?? {}).length ? html`<section class="card"><header class="card-head"><h2>Headers</h2></header><dl class="facts">
            ${Object.entries(t.headers).map(([key, value]) => fact(key, html`<span class="break">${value}</span>`))}</dl></section>` : nothing}
        </div>
      </div>`;
  }

  /** Failed attempts, newest first; only the newest is expanded. */
  #attempts(failures) {
    return html`<section class="card"><header class="card-head"><h2>Failed attempts</h2>${failures.length > 1 ? html`<span class="faint">last ${failures.length}</span>` : nothing}</header>
      ${[...failures].reverse().map((failure, i) => html`<details class="attempt" ?open=${i === 0}>
        <summary><span class="error-text">${failure.error.split('\n')[0] || '(no message)'}</span><span class="faint nowrap">${when(failure.at)}</span></summary>
        <div class="with-copy"><pre class="error-block" tabindex="0">${failure.trace || failure.error}</pre>${copyButton(failure.trace || failure.error, 'error')}</div></details>`)}</section>`;
  }

  #explanation(t) {
    const why = this.why.data;
    if (!why?.text || t.state === 'completed') {
      return nothing;
    }
    return html`<section class="card why"><header class="card-head"><h2>${t.state === 'active' ? 'Current attempt' : 'Why the task is not running'}</h2></header>
      ${why.reasons?.length ? html`<ul class="plain">${why.reasons.map((r) => html`<li>${r.text}</li>`)}</ul>` : html`<p>${why.text}</p>`}</section>`;
  }

  #timeline(t) {
    const now = Date.now();
    const latest = t.failures?.at(-1)?.at;
    // State changes are stored in whole seconds, so use the exact time of the failure that caused the change.
    const became = latest && second(latest) === second(t.since) ? latest : t.since;
    const steps = [
      ...(t.failures?.length
        ? t.failures.map((failure) => [failure.at, 'Attempt failed', 'bad'])
        : [[t.lastFailedAt, `Last failure${t.retried ? ` (${plural(t.retried, 'retry', 'retries')})` : ''}`, 'bad']]),
      [t.worker?.started, `Started on ${t.worker?.host}`, 'info'],
      [t.completedAt, 'Completed', 'good'],
      [t.completedAt || t.worker ? null : became, `Entered state ${t.state}`, ''],
      [t.worker?.deadline ?? (t.state === 'active' ? null : t.deadline), t.worker ? 'Deadline of the attempt' : 'Deadline', 'later'],
      // For a pending task, the API returns the end of its delay, or the current time of the server if it has none.
      [t.state === 'pending' && Date.parse(t.nextProcessAt) < now + 10_000 ? null : t.nextProcessAt, t.state === 'retry' ? 'Next retry' : 'Due', 'later'],
      [t.completedAt && t.retentionMs ? new Date(Date.parse(t.completedAt) + t.retentionMs).toISOString() : null, 'Deleted (end of retention)', 'later'],
      ...forecast(t),
    ].filter(([at]) => at).sort(([a], [b]) => second(a) - second(b));
    return steps.length ? html`<section class="card"><header class="card-head"><h2>Timeline</h2></header><ol class="timeline">
      ${steps.map(([at, text, kind]) => html`<li class="${kind} ${Date.parse(at) > now ? 'future' : ''}"><span>${text}</span><span class="faint">${when(at)}</span></li>`)}</ol>
      ${t.state === 'retry' ? html`<p class="faint">Times after the next retry are estimates. They assume the default retry delays.</p>` : nothing}</section>` : nothing;
  }
}

/** Estimated times of further retries with the default delay of a server: n⁴ + 15 s + about 15 s × (n + 1). */
function forecast(t) {
  if (t.state !== 'retry' || !t.nextProcessAt) {
    return [];
  }
  const steps = [];
  let at = Date.parse(t.nextProcessAt);
  for (let n = t.retried + 1; n <= t.maxRetry && steps.length < MAX_FORECAST; n++) {
    at += 1_000 * (n ** 4 + 15 + 15 * (n + 1));
    steps.push([new Date(at).toISOString(), n === t.maxRetry ? 'Last retry (estimate)' : `Retry ${n + 1} (estimate)`, 'later']);
  }
  return steps;
}

/** Some times are in whole seconds; steps within the same second keep the order above. */
const second = (at) => Math.floor(Date.parse(at) / 1_000);

const fact = (label, value) => (value === null || value === undefined ? nothing : html`<div><dt>${label}</dt><dd>${value}</dd></div>`);

TaskPage.define('task-page');
