// Form to enqueue a task with all its options.

import {queuePath, send} from '../core/api.js';
import {copy} from '../core/clipboard.js';
import {cli, curl, literal, shell} from '../core/commands.js';
import {live, onLive} from '../core/live.js';
import {go, taskLink} from '../core/router.js';
import {View, html, nothing} from '../core/view.js';
import {head} from '../parts/basics.js';
import {minified} from '../parts/content-view.js';
import {icon} from '../parts/icons.js';
import {toast} from '../parts/toasts.js';

const FIELDS = [
  ['processIn', 'Run in', '10m', 'Delay until the task is due. Default: none.'],
  ['processAt', 'Run at', '2030-01-31T08:00:00Z', 'UTC time at which the task is due, instead of "Run in".'],
  ['maxRetry', 'Retries', '25', 'Maximum number of retries. Default: 25.'],
  ['timeout', 'Timeout', '30m', 'Maximum duration of an attempt. Default: 30m.'],
  ['deadline', 'Deadline', '2030-01-31T08:00:00Z', 'Time after which the task is no longer run. Default: none.'],
  ['uniqueFor', 'Unique for', '1h', 'Reject duplicates of this task for this long. Default: off.'],
  ['retention', 'Retention', '24h', 'Time to keep the completed task. Default: not kept.'],
  ['group', 'Group', '', 'A server aggregates each group into one task. Default: none.'],
  ['id', 'ID', '', 'Unique in the queue. Default: a random ID.'],
];

const EMPTY = {queue: 'default', type: '', kind: 'json', payload: '{}', headers: ''};

class EnqueuePage extends View {
  #values = EMPTY;
  #error = null;
  #isBusy = false;

  start() {
    this.#begin();
    this.until(onLive(() => this.update()));
  }

  moved(place) {
    if (place.path === this.place.path && place.query.toString() !== this.place.query.toString()) {
      this.place = place;
      this.#begin();
    }
  }

  #begin() {
    const {query} = this.place;
    this.#values = {...EMPTY, queue: query.get('queue') ?? EMPTY.queue, type: query.get('type') ?? ''};
    this.#error = null;
    this.update();
  }

  #set(key, value) {
    this.#values = {...this.#values, [key]: value};
    this.update();
  }

  /** Throws an error with a readable message if the form is invalid. */
  #request() {
    const v = this.#values;
    const body = {type: v.type.trim()};
    for (const [key] of FIELDS) {
      if (v[key]) {
        body[key] = key === 'maxRetry' ? Number(v[key]) : v[key].trim();
      }
    }
    const headers = headersOf(v.headers);
    if (Object.keys(headers).length) {
      body.headers = headers;
    }
    if (v.kind === 'base64') {
      body.payloadBase64 = v.payload.trim();
    } else if (v.kind === 'text') {
      body.payloadText = v.payload;
    } else if (v.payload.trim()) {
      // Only validates: the parsed numbers could lose digits.
      JSON.parse(v.payload);
      body.payloadText = minified(v.payload);
    }
    return {method: 'POST', path: `${queuePath(v.queue.trim())}/tasks`, body};
  }

  #cli() {
    const v = this.#values;
    const isBytes = v.kind === 'base64' && v.payload.trim() !== '';
    const payload = v.kind === 'text' ? v.payload : minified(v.payload.trim());
    const command = cli('task', 'enqueue', {queue: v.queue, type: v.type, payload: isBytes ? '-' : literal(payload), in: v.processIn, at: v.processAt, retry: v.maxRetry, timeout: v.timeout, deadline: v.deadline, unique: v.uniqueFor,
      retention: v.retention, group: v.group, id: v.id, header: Object.entries(headersOf(v.headers)).map(([k, w]) => `${k}=${w}`)});
    // Binary payloads are piped to standard input.
    return isBytes ? `echo ${shell(v.payload.trim())} | base64 -d | ${command}` : command;
  }

  async #send(event) {
    event.preventDefault();
    this.#error = null;
    this.#isBusy = true;
    this.update();
    try {
      const task = await send(this.#request());
      const place = taskLink(task.queue, task.id);
      toast('good', 'Task enqueued', task.id, {href: place, text: 'Open task'});
      go(place);
    } catch (e) {
      this.#error = e instanceof SyntaxError ? {title: 'Invalid payload', message: `The payload is not valid JSON: ${e.message}. Fix it, or select "text" as the payload format.`} : e;
    }
    this.#isBusy = false;
    this.update();
  }

  #copy(what, make) {
    try {
      copy(make(), `Copied as ${what}`);
    } catch (e) {
      toast('bad', 'Invalid form', e.message);
    }
  }

  template() {
    const v = this.#values;
    const input = (key, label, placeholder, hint) => html`<label class="field"><span>${label}</span><input autocomplete="off" .value=${v[key] ?? ''} placeholder=${placeholder} @input=${(e) => this.#set(key, e.target.value)}>${hint ? html`<small>${hint}</small>` : nothing}</label>`;
    const holder = this.#error?.problem?.holderId;
    return html`${head({title: 'Enqueue a task'})}
      <form class="card enqueue" @submit=${(e) => this.#send(e)}>
        <div class="form-grid two">
          <label class="field"><span>Queue</span><input required list="queue-names" autocomplete="off" .value=${v.queue} @input=${(e) => this.#set('queue', e.target.value)}>
            <datalist id="queue-names">${[...live.queues.keys()].slice(0, 200).map((q) => html`<option value=${q}></option>`)}</datalist></label>
          <label class="field"><span>Type</span><input required autocomplete="off" placeholder="email:welcome" .value=${v.type} @input=${(e) => this.#set('type', e.target.value)}></label>
        </div>
        <div class="field"><span id="payload-label">Payload</span>
          <div class="segmented" role="group" aria-label="Payload format">${['json', 'text', 'base64'].map((kind) => html`<button type="button" aria-pressed=${v.kind === kind} @click=${() => this.#set('kind', kind)}>${kind}</button>`)}</div>
          <textarea class="mono" rows="8" spellcheck="false" aria-labelledby="payload-label" .value=${v.payload} @input=${(e) => this.#set('payload', e.target.value)}></textarea></div>
        <div class="form-grid">${FIELDS.map((field) => input(...field))}</div>
        <label class="field"><span>Headers</span><textarea class="mono" rows="2" placeholder="tenant=acme" spellcheck="false" .value=${v.headers} @input=${(e) => this.#set('headers', e.target.value)}></textarea><small>One NAME=VALUE pair per line.</small></label>
        ${this.#error ? html`<div class="notice bad" role="alert"><strong>${this.#error.title}</strong><p>${this.#error.message}</p>${holder ? html`<a href=${taskLink(v.queue, holder)}>Open the existing task</a>` : nothing}</div>` : nothing}
        <div class="dialog-foot"><button type="button" class="ghost small" @click=${() => this.#copy('CLI', () => this.#cli())}>${icon('terminal')}Copy as CLI</button>
          <button type="button" class="ghost small" @click=${() => this.#copy('curl', () => curl(this.#request()))}>${icon('terminal')}Copy as curl</button><span class="grow"></span>
          <button class="primary" ?disabled=${this.#isBusy || !v.type.trim() || !v.queue.trim()}>${this.#isBusy ? 'Enqueueing…' : 'Enqueue'}</button></div>
      </form>`;
  }
}

const headersOf = (text) => Object.fromEntries(text.split('\n').filter((line) => line.includes('=')).map((line) => [line.slice(0, line.indexOf('=')).trim(), line.slice(line.indexOf('=') + 1).trim()]));

EnqueuePage.define('enqueue-page');
