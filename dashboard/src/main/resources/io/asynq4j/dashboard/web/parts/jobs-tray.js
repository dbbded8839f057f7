// Background jobs (bulk operations): progress and result.

import {get, may, send} from '../core/api.js';
import {count, plural, sentence} from '../core/format.js';
import {isFor, onJob} from '../core/live.js';
import {link, taskLink} from '../core/router.js';
import {ACTIONS} from '../core/states.js';
import {View, html, nothing, repeat} from '../core/view.js';
import {bar} from './basics.js';
import {icon} from './icons.js';
import {failed, toast} from './toasts.js';

const POLL_MS = 1_000;
const FIRST_POLL_MS = 125;
const waiters = new Map();

let host = null;

/** Starts a job and shows it. The promise resolves to the finished job, or to null if the job could not start. */
export async function startJob(body, {isShown = true} = {}) {
  let job;
  try {
    job = await send({method: 'POST', path: 'jobs', body});
  } catch (e) {
    failed(`Job "${body.action}" could not be started`, e);
    return null;
  }
  return followJob(job, {isShown});
}

/** Shows a running job. The promise resolves to the job when it is finished. */
export function followJob(job, {isShown = true} = {}) {
  if (isShown) {
    host.follow(job);
  }
  return new Promise((resolve) => {
    waiters.set(job.id, resolve);
    settle(job);
    poll(job.id);
  });
}

/** Polls the job, because the event stream may be disconnected. */
async function poll(id) {
  // Most jobs are short, so the first polls are frequent.
  for (let wait = FIRST_POLL_MS; waiters.has(id); wait = Math.min(POLL_MS, 2 * wait)) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    try {
      const job = await get(`jobs/${encodeURIComponent(id)}`);
      host.took(job);
      settle(job);
    } catch (e) {
      if (e.status === 404) {
        waiters.get(id)?.(null);
        waiters.delete(id);
        toast('bad', 'Job lost', 'The dashboard was restarted. Changes that the job already made are kept.');
      }
    }
  }
}

function settle(job) {
  if (job.state !== 'running' && waiters.has(job.id)) {
    waiters.get(job.id)(job);
    waiters.delete(job.id);
  }
}

export const stopJob = (job) =>
  send({method: 'POST', path: `jobs/${encodeURIComponent(job.id)}/stop`}).catch((e) => failed('The job could not be stopped', e));

/** The label of a job: of the action on tasks, or of the check. */
export const jobLabel = (job) => ACTIONS[job.action]?.label ?? {count: 'Count', doctor: 'Check data'}[job.action] ?? job.action;

/** Progress and result of a job, for the tray and the Jobs page. */
export function jobBody(job) {
  const part = job.state !== 'running' ? 1 : job.total > 0 ? job.looked / job.total : 0;
  return html`
    ${bar(part, job.state === 'failed' || job.failed > 0 ? 'bad' : job.state === 'done' ? 'good' : '')}
    <p class="job-counts">
      ${job.action === 'doctor' ? nothing : html`<span><b>${count(job.done)}</b> ${job.action === 'count' ? 'counted' : 'done'}</span>
      <span><b>${count(job.matched)}</b> matched</span>
      <span class=${job.failed ? 'text-bad' : ''}><b>${count(job.failed)}</b> failed</span>`}
      <span class="faint">${count(job.looked)} of ${count(job.total)} scanned</span>
    </p>
    ${job.problem ? html`<p class="text-bad">${job.problem}</p>` : nothing}
    ${job.failures?.length ? html`<details><summary>Errors of ${plural(job.failures.length, 'task')}</summary><ul class="plain">${job.failures.map((f) => html`
      <li><a href=${taskLink(f.queue, f.id)}>${f.queue}/${f.id}</a>: ${f.problem}</li>`)}</ul></details>` : nothing}
    ${job.findings ? html`<ul class="plain">${job.findings.map((f) => html`<li><b>${f.kind}</b>${f.queue ? ` in ${f.queue}` : ''}: ${count(f.count)} found, ${count(f.repaired)} repaired<br><span class="faint">${sentence(f.what)} ${sentence(f.why)} Repair: ${f.repair}.</span></li>`)}${job.findings.length ? nothing : 'No inconsistencies found.'}</ul>` : nothing}`;
}

class JobsTray extends View {
  #jobs = new Map();

  start() {
    host = this;
    this.until(onJob((job) => {
      if (isFor(job) && this.#jobs.has(job.id)) {
        this.took(job);
      }
      settle(job);
    }));
  }

  follow(job) {
    this.#jobs.set(job.id, job);
    this.update();
  }

  took(job) {
    // The response to a poll may be older than the event that the job is done.
    if (this.#jobs.get(job.id)?.state === 'running') {
      this.#jobs.set(job.id, job);
      this.update();
    }
  }

  #drop(job) {
    this.#jobs.delete(job.id);
    this.update();
  }

  template() {
    return html`<div class="tray" aria-live="polite">${repeat(this.#jobs.values(), (j) => j.id, (job) => html`
      <section class="job" data-state=${job.state}>
        <header><strong>${jobLabel(job)}</strong><span class="tag ${job.state}">${job.state}</span><span class="grow"></span>
          ${job.state === 'running' && may('operator') ? html`<button class="small" @click=${() => stopJob(job)}>Stop</button>` : nothing}
          <button class="ghost icon-only small" aria-label="Hide this job" @click=${() => this.#drop(job)}>${icon('close')}</button></header>
        ${job.query ? html`<code class="clip" title=${job.query}>${job.query}</code>` : nothing}
        ${jobBody(job)}
        <a href=${link('/jobs')}>All jobs</a>
      </section>`)}</div>`;
  }
}

JobsTray.define('jobs-tray');
