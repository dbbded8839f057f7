// Audit log of the changes made through this dashboard.

import {get} from '../core/api.js';
import {count} from '../core/format.js';
import {View, html, nothing} from '../core/view.js';
import {ageOf, empty, head, tag, trouble, waiting, when} from '../parts/basics.js';

const PAGE = 50;

class AuditPage extends View {
  #limit = PAGE;

  start() {
    this.audit = this.load(() => get('audit', {limit: this.#limit}), 10_000);
  }

  template() {
    const data = this.audit.data;
    return html`${head({title: 'Audit', meta: html`<span class="faint">Changes made through this dashboard, newest first. The complete log is written to the logger asynq.audit.</span>`, actions: ageOf(this.audit)})}
      ${trouble(this.audit)}${waiting(this.audit)}
      ${data ? html`<section class="card">${data.items.length ? html`<div class="table-wrap"><table class="cards"><thead><tr><th>Time</th><th>User</th><th>Action</th><th>Target</th><th class="num">Tasks</th><th>Result</th></tr></thead>
        <tbody>${data.items.map((e) => html`<tr><td class="nowrap" data-label="Time">${when(e.at)}</td><td data-label="User">${e.user ?? html`<span class="faint">anonymous</span>`} <span class="faint">${e.address}</span></td>
          <td data-label="Action">${e.action}</td><td class="payload break" data-label="Target"><span class="mono">${e.target}</span>${e.reason ? html`<br><span class="faint">${e.reason}</span>` : nothing}</td>
          <td class="num" data-label="Tasks">${count(e.count)}</td><td data-label="Result">${e.outcome === 'done' ? tag('done', 'good') : html`<span class="text-bad">${e.outcome}</span>`}</td></tr>`)}</tbody></table></div>
        ${data.cursor && this.#limit < 1_000 ? html`<p class="center"><button class="small" @click=${() => { this.#limit = Math.min(1_000, this.#limit * 4); this.audit.refresh(); }}>Show more</button></p>` : nothing}` : empty('No changes yet')}</section>` : nothing}`;
  }
}

AuditPage.define('audit-page');
