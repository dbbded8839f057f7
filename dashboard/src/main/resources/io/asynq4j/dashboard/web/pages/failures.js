// Failed tasks, grouped by type and error.

import {may} from '../core/api.js';
import {count, plural} from '../core/format.js';
import {link, queueLink, setQuery, taskLink} from '../core/router.js';
import {isAllowed} from '../core/states.js';
import {View, html, nothing, repeat} from '../core/view.js';
import {ageOf, badge, empty, head, trouble, waiting, when} from '../parts/basics.js';
import {icon} from '../parts/icons.js';
import '../parts/query-box.js';
import {actOnQuery} from '../parts/task-actions.js';

class FailuresPage extends View {
  get #q() {
    return this.place.query.get('q') ?? '';
  }

  start() {
    this.groups = this.load(() => ({path: 'failures', query: {q: this.#q, limit: 100}}), 15_000);
  }

  moved(place) {
    if (place.path === this.place.path && place.query.get('q') !== this.place.query.get('q')) {
      this.place = place;
      this.groups.restart();
    }
  }

  async #do(action, group) {
    const allowed = statesOf(group).filter((state) => isAllowed(action, state));
    if (await actOnQuery(action, `${group.query.replace(/\s*\bstate:\S+/, '')} state:${(allowed.length ? allowed : ['retry']).join(',')}`)) {
      this.groups.refresh();
    }
  }

  template() {
    const data = this.groups.data;
    return html`
      ${head({title: 'Failures', meta: data ? html`<span class="faint">${plural(data.total, 'cause')} in ${plural(data.looked, 'failed task')}${data.complete ? '' : ' scanned; more exist'}</span>` : nothing, actions: ageOf(this.groups)})}
      <div class="toolbar"><query-box .value=${this.#q} .label=${'Filter failures'} .placeholder=${'Filter: queue:mail type:email:*'} .onquery=${(q) => setQuery({q})}></query-box></div>
      ${trouble(this.groups)}${waiting(this.groups)}
      ${data && data.items.length === 0 ? html`<section class="card">${empty('No failures', 'No tasks are in state retry or archived.')}</section>` : nothing}
      <div class="groups">${repeat(data?.items ?? [], (g) => g.fingerprint, (g) => this.#group(g))}</div>`;
  }

  #group(g) {
    return html`<article class="card failure">
      <div class="failure-count"><b>${count(g.count)}</b><span class="faint">${g.count === 1 ? 'task' : 'tasks'}</span></div>
      <div class="failure-what">
        <h2><a href=${link('/search', [], {q: g.query})}>${g.type || '–'}</a></h2>
        <pre class="error-line">${g.error}</pre>
        <p class="failure-meta">${Object.entries(g.states).filter(([, n]) => n > 0).map(([state, n]) => html`${badge(state)} ${count(n)} `)}
          <span>first ${when(g.firstSeen)}</span><span>last ${when(g.lastSeen)}</span>
          <span>in ${g.queues.slice(0, 5).map((queue, i) => html`${i ? ', ' : ''}<a href=${queueLink(queue)}>${queue}</a>`)}${g.queues.length > 5 ? ` and ${g.queues.length - 5} more` : nothing}</span>
          ${g.sample ? html`<a href=${taskLink(g.sample.queue, g.sample.id)}>example task</a>` : nothing}</p>
      </div>
      ${may('operator') ? html`<div class="failure-actions">
        <button class="small" @click=${() => this.#do('run', g)}>${icon('play')}Retry group</button>
        ${statesOf(g).some((state) => isAllowed('archive', state)) ? html`<button class="small" @click=${() => this.#do('archive', g)}>${icon('archive')}Archive</button>` : nothing}
        <button class="small quiet-danger" @click=${() => this.#do('delete', g)}>${icon('trash')}Delete</button></div>` : nothing}
    </article>`;
  }
}

const statesOf = (group) => Object.keys(group.states).filter((state) => group.states[state] > 0);

FailuresPage.define('failures-page');
