// Live servers and their active tasks.

import {may, name} from '../core/api.js';
import {cli} from '../core/commands.js';
import {count, duration, plural} from '../core/format.js';
import {queueLink, taskLink} from '../core/router.js';
import {View, html, nothing, repeat} from '../core/view.js';
import {act} from '../parts/act.js';
import {ageOf, bar, empty, everySecond, head, stat, tag, trouble, waiting, when} from '../parts/basics.js';
import {icon} from '../parts/icons.js';

const LATE_MS = 15_000;

class ServersPage extends View {
  start() {
    this.servers = this.load(() => ({path: 'servers'}), 3_000);
    this.until(everySecond(() => this.update()));
  }

  async #signal(verb, server) {
    const isStop = verb === 'stop';
    const where = `${server.host}:${server.pid}`;
    const isDone = await act({
      title: `${isStop ? 'Stop' : 'Quiet'} server ${where}?`,
      confirm: isStop ? 'Stop' : 'Quiet',
      danger: isStop,
      text: html`<p>${isStop ? 'The server finishes or requeues its active tasks and shuts down.' : 'The server finishes its active tasks and stops claiming new ones.'} Go servers ignore this command.</p>`,
      request: () => ({method: 'POST', path: `servers/${name(server.id)}/${verb}`}),
      cli: () => cli('server', verb, [server.id]),
      done: `Command sent to server ${where}`,
    });
    if (isDone) {
      this.servers.refresh();
    }
  }

  template() {
    const servers = this.servers.data?.items ?? [];
    const workers = servers.reduce((sum, s) => sum + s.concurrency, 0);
    const busy = servers.reduce((sum, s) => sum + s.activeWorkers, 0);
    return html`
      ${head({title: 'Servers', actions: ageOf(this.servers)})}
      ${trouble(this.servers)}${waiting(this.servers)}
      ${this.servers.data && servers.length === 0 ? html`<section class="card">${empty('No servers are running', 'Tasks stay pending until a server starts.')}</section>` : nothing}
      ${servers.length ? html`<section class="stats">${stat('Servers', count(servers.length))}${stat('Workers', html`${count(busy)}<small> / ${count(workers)}</small>`, 'busy')}
        ${stat('Queues', count(new Set(servers.flatMap((s) => Object.keys(s.queues))).size), 'served')}</section>` : nothing}
      ${repeat(servers, (s) => s.id, (s) => this.#server(s))}`;
  }

  #server(s) {
    return html`<section class="card server">
      <header class="card-head"><h2>${s.host}<span class="faint">:${s.pid}</span></h2>
        ${tag(s.status, s.problem ? 'bad' : s.status === 'active' ? 'good' : 'warn')}${s.heartbeatAgeMs > LATE_MS ? tag(`no heartbeat for ${duration(s.heartbeatAgeMs)}`, 'bad') : nothing}
        <span class="faint">started ${when(s.started)}</span><span class="grow"></span>
        ${may('admin') ? html`<button class="small" @click=${() => this.#signal('quiet', s)}>${icon('pause')}Quiet</button><button class="small quiet-danger" @click=${() => this.#signal('stop', s)}>${icon('stop')}Stop</button>` : nothing}</header>
      ${s.problem ? html`<p class="faint">The server record cannot be read: ${s.problem}</p>` : nothing}
      <div class="server-load">${bar(s.concurrency ? s.activeWorkers / s.concurrency : 0)}<span>${count(s.activeWorkers)} of ${plural(s.concurrency, 'worker')} busy</span></div>
      <p class="chips">${Object.entries(s.queues).sort((a, b) => b[1] - a[1]).slice(0, 30).map(([queue, weight]) => html`<a class="chip" href=${queueLink(queue)}>${queue}<b>${weight}</b></a>`)}
        <span class="faint">${s.strictPriority ? 'strict priority' : 'weighted priority'}</span></p>
      ${s.workers?.length ? html`<div class="table-wrap"><table class="cards"><thead><tr><th>Task</th><th>Queue</th><th>Payload</th><th>Running for</th><th>Time used</th></tr></thead>
        <tbody>${s.workers.map((w) => worker(w))}</tbody></table></div>` : nothing}
    </section>`;
  }
}

function worker(w) {
  if (w.problem) {
    return html`<tr><td data-label="Task">${w.taskId || '(unknown)'} ${tag('broken', 'bad')}</td><td colspan="4" class="faint">${w.problem}</td></tr>`;
  }
  const started = w.started ? Date.parse(w.started) : null;
  const deadline = w.deadline ? Date.parse(w.deadline) : null;
  const elapsed = started === null ? null : Math.max(0, Date.now() - started);
  const part = started !== null && deadline !== null && deadline > started ? elapsed / (deadline - started) : 0;
  return html`<tr><td data-label="Task"><a href=${taskLink(w.queue, w.taskId)} title=${w.taskId}>${w.taskType || w.taskId}</a></td>
    <td data-label="Queue"><a href=${queueLink(w.queue)}>${w.queue}</a></td>
    <td class="payload" data-label="Payload"><code class="preview">${w.payload?.text ?? ''}</code></td>
    <td class="nowrap" data-label="Running for">${elapsed === null ? '–' : duration(Math.floor(elapsed / 1_000) * 1_000)}</td>
    <td data-label="Time used"><span class="progress">${bar(part, part > 0.9 ? 'bad' : part > 0.6 ? 'warn' : '')}${deadline ? html`<span class="faint nowrap">deadline ${when(w.deadline)}</span>` : nothing}</span></td></tr>`;
}

ServersPage.define('servers-page');
