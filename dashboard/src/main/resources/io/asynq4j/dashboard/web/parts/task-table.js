// Table of tasks. On narrow screens each row is a card.

import {shortId} from '../core/format.js';
import {taskLink} from '../core/router.js';
import {View, html, nothing, repeat} from '../core/view.js';
import {badge, bar, copyButton, tag, when} from './basics.js';

/**
 * @prop tasks rows of the API
 * @prop state selects the columns; null for tasks of different states and queues
 * @prop selected set of keys, null to disable selection; @prop onselect called with the new set
 */
class TaskTable extends View {
  static props = ['tasks', 'state', 'selected', 'onselect'];

  #toggle(key, isOn) {
    const next = new Set(this.selected);
    if (isOn) {
      next.add(key);
    } else {
      next.delete(key);
    }
    this.onselect(next);
  }

  #all(isOn) {
    this.onselect(new Set(isOn ? this.tasks.map(keyOf) : []));
  }

  template() {
    const columns = columnsOf(this.state);
    const chosen = this.selected;
    const isAll = chosen && this.tasks.length > 0 && this.tasks.every((task) => chosen.has(keyOf(task)));
    return html`<div class="table-wrap"><table class="tasks cards">
      <thead><tr>
        ${chosen ? html`<th class="check"><input type="checkbox" aria-label="Select all tasks on this page" .checked=${isAll}
          .indeterminate=${!isAll && chosen.size > 0} @change=${(e) => this.#all(e.target.checked)}></th>` : nothing}
        ${columns.map(([label, , kind]) => html`<th class=${kind === 'num' ? kind : ''}>${label}</th>`)}
      </tr></thead>
      <tbody>${repeat(this.tasks, keyOf, (task) => html`
        <tr class=${chosen?.has(keyOf(task)) ? 'chosen' : ''}>
          ${chosen ? html`<td class="check"><input type="checkbox" aria-label="Select task ${task.id}" .checked=${chosen.has(keyOf(task))}
            @change=${(e) => this.#toggle(keyOf(task), e.target.checked)}></td>` : nothing}
          ${columns.map(([label, cell, kind]) => html`<td class=${kind ?? ''} data-label=${label}>${cell(task)}</td>`)}
        </tr>`)}</tbody>
    </table></div>`;
  }
}

export const keyOf = (task) => `${task.queue}\n${task.id}`;

const id = ['Task', (t) => html`<a class="mono" href=${taskLink(t.queue, t.id)} title=${t.id}>${shortId(t.id)}</a>${copyButton(t.id, 'task ID')}`, 'nowrap'];
const type = ['Type', (t) => html`<span class="type">${t.type || '–'}</span>`];
const payload = ['Payload', (t) => preview(t.payload), 'payload'];
const error = ['Last error', (t) => html`<span class="error-text" title=${t.lastError}>${brief(t.lastError)}</span>`, 'payload'];
const retries = ['Retries', (t) => html`${t.retried}<span class="faint"> / ${t.maxRetry}</span>`, 'num'];
const COLUMNS = {
  active: [id, type, payload, ['Started', (t) => when(t.worker?.started ?? t.since)], ['Deadline', (t) => when(t.worker?.deadline ?? t.deadline)],
    ['Status', (t) => (t.orphaned ? tag('orphaned', 'bad') : t.progress ? html`<span class="progress">${bar(t.progress.percent / 100)}${t.progress.percent}%</span>` : tag('running', 'info'))]],
  pending: [id, type, payload, retries, ['Pending since', (t) => when(t.since)]],
  aggregating: [id, type, payload, ['Group', (t) => t.group ?? '–'], ['Since', (t) => when(t.since)]],
  scheduled: [id, type, payload, ['Due', (t) => when(t.nextProcessAt)]],
  retry: [id, type, error, retries, ['Last failed', (t) => when(t.lastFailedAt)], ['Next retry', (t) => when(t.nextProcessAt)]],
  archived: [id, type, error, retries, ['Last failed', (t) => when(t.lastFailedAt)]],
  completed: [id, type, payload, ['Result', (t) => preview(t.result), 'payload'], ['Completed', (t) => when(t.completedAt)]],
};

const MIXED = [id, ['State', (t) => badge(t.state)], ['Queue', (t) => t.queue], type,
  ['Payload or error', (t) => (t.lastError ? error[1](t) : preview(t.payload)), 'payload'], ['Since', (t) => when(t.since ?? t.lastFailedAt)]];

const columnsOf = (state) => COLUMNS[state] ?? MIXED;

/** The first line, with the package of the exception class removed. */
const brief = (text) => (text || '–').split('\n')[0].replace(/^(?:[a-z_$][\w$]*\.)+(?=[A-Z][\w$]*(?::|$))/, '');

const preview = (content) => {
  switch (content?.kind) {
    case undefined:
    case 'absent':
      return html`<span class="faint">–</span>`;
    case 'hidden':
      return html`<span class="faint">hidden</span>`;
    default:
      return html`<code class="preview">${content.text}${content.truncated ? '…' : ''}</code>`;
  }
};

TaskTable.define('task-table');
