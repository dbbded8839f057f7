// Search across all queues and states. The query is in the URL and can be saved.

import {get, may} from '../core/api.js';
import {curl} from '../core/commands.js';
import {copy} from '../core/clipboard.js';
import {count, plural} from '../core/format.js';
import {pref, setPref} from '../core/prefs.js';
import {link, setQuery} from '../core/router.js';
import {ACTIONS, actionsOf} from '../core/states.js';
import {View, html, nothing} from '../core/view.js';
import {bar, empty, head} from '../parts/basics.js';
import {icon} from '../parts/icons.js';
import '../parts/query-box.js';
import {actOnQuery} from '../parts/task-actions.js';
import '../parts/task-table.js';

const ROUNDS_AT_ONCE = 5;
const PAGE = 100;

const EXAMPLES = [
  ['state:archived error:"refused"', 'archived tasks whose error contains "refused"'],
  ['type:email:* age>1h', 'tasks of these types that have been in their state for more than one hour'],
  ['state:retry retried>=3', 'tasks with at least three retries'],
  ['payload.user.id=42', 'tasks with this value in the JSON payload'],
  ['queue:mail* -type:report:*', 'tasks in these queues, except these types'],
  ['has:header.trace', 'tasks that have this header'],
];

class SearchPage extends View {
  #items = [];
  #looked = 0;
  #total = null;
  #cursor = null;
  #problems = [];
  #error = null;
  #isBusy = false;
  #abort = null;
  #asked = null;

  get #q() {
    return this.place.query.get('q') ?? '';
  }

  start() {
    this.until(() => this.#abort?.abort());
    this.#begin();
  }

  moved(place) {
    if (place.path === this.place.path) {
      this.place = place;
      if (this.#q !== this.#asked) {
        this.#begin();
      }
    }
  }

  #begin() {
    this.#asked = this.#q;
    this.#items = [];
    this.#looked = 0;
    this.#total = null;
    this.#cursor = null;
    this.#problems = [];
    this.#error = null;
    this.#abort?.abort();
    this.#isBusy = false;
    if (this.#q) {
      this.#scan();
    }
    this.update();
  }

  /** Each call scans for one second at most, so several calls in a row are needed to find rare matches. */
  async #scan() {
    const abort = new AbortController();
    this.#abort = abort;
    this.#isBusy = true;
    this.update();
    const goal = this.#items.length + PAGE;
    try {
      for (let round = 0; round < ROUNDS_AT_ONCE; round++) {
        const found = await get('search', {q: this.#asked, limit: PAGE, cursor: this.#cursor}, {signal: abort.signal});
        if (abort.signal.aborted) {
          return;
        }
        this.#items = [...this.#items, ...found.items];
        this.#looked += found.looked;
        this.#total = found.total ?? this.#total;
        this.#problems = found.problems ?? [];
        this.#cursor = found.cursor;
        this.#error = null;
        this.update();
        if (!this.#cursor || this.#items.length >= goal) {
          break;
        }
      }
    } catch (e) {
      if (abort.signal.aborted) {
        return;
      }
      this.#error = e;
    }
    this.#isBusy = false;
    this.update();
  }

  template() {
    const saved = pref('saved');
    const isSaved = saved.includes(this.#q);
    return html`
      ${head({title: 'Search', actions: this.#q ? html`
        <button class="ghost small" @click=${() => copy(curl({method: 'GET', path: 'search', query: {q: this.#q}}), 'Copied as curl')}>${icon('terminal')}Copy as curl</button>
        <button class="ghost small" aria-pressed=${isSaved} @click=${() => setPref('saved', isSaved ? saved.filter((each) => each !== this.#q) : [...saved, this.#q])}>${icon('star')}${isSaved ? 'Remove saved search' : 'Save search'}</button>` : nothing})}
      <section class="card">
        <query-box .value=${this.#q} .placeholder=${'state:archived error:"refused" payload.user.id=42'} .onquery=${(q) => setQuery({q})}></query-box>
        ${saved.length ? html`<p class="chips"><span class="faint">Saved searches</span>${saved.map((q) => html`<a class="chip" href=${link('/search', [], {q})}>${q}</a>`)}</p>` : nothing}
        ${this.#q ? this.#found() : this.#help()}
      </section>`;
  }

  #help() {
    return html`<div class="examples"><p>Separate terms with spaces; a task must match all of them. Put <code>-</code> before a term to exclude matches. <code>*</code> matches any characters. Quote values that contain spaces.</p>
      <ul class="plain">${EXAMPLES.map(([q, text]) => html`<li><a class="mono" href=${link('/search', [], {q})}>${q}</a> <span class="faint">${text}</span></li>`)}</ul></div>`;
  }

  #found() {
    if (this.#error && !this.#items.length) {
      return html`<div class="notice bad" role="alert"><strong>${this.#error.title}</strong><p>${this.#error.message}</p></div>`;
    }
    const part = this.#cursor ? (this.#total ? this.#looked / this.#total : 0.5) : 1;
    return html`
      <p class="search-line" role="status">
        <b>${plural(this.#items.length, 'task')}${this.#cursor ? ' so far' : ''}</b>
        <span class="faint">${count(this.#looked)}${this.#cursor && this.#total > this.#looked ? ` of ${count(this.#total)}` : ''} scanned${this.#isBusy ? '…' : ''}</span>
        <span class="grow"></span>
        ${may('operator') && this.#items.length ? this.#bulk() : nothing}
      </p>
      ${this.#cursor || this.#isBusy ? bar(part) : nothing}
      ${this.#error ? html`<div class="notice bad" role="alert"><p>${this.#error.message}</p></div>` : nothing}
      ${this.#problems.length ? html`<div class="notice warn"><p>Not searched: ${this.#problems.join(', ')}</p></div>` : nothing}
      ${!this.#isBusy && !this.#items.length ? empty(this.#cursor ? 'No matching tasks found so far' : 'No tasks match', this.#cursor ? 'Continue the search to scan more tasks.' : nothing) : nothing}
      ${this.#items.length ? html`<task-table .tasks=${this.#items} .state=${null} .selected=${null}></task-table>` : nothing}
      ${this.#cursor && !this.#isBusy ? html`<p class="center"><button @click=${() => this.#scan()}>Continue search</button></p>` : nothing}`;
  }

  /** A bulk action needs a state that allows it. */
  #bulk() {
    const states = /(?:^|\s)state[:=]([a-z,]+)/.exec(this.#q)?.[1].split(',');
    if (!states) {
      return html`<span class="faint">Add a state to the query (for example state:archived) to act on all matching tasks</span>`;
    }
    return html`<span class="faint">All matching:</span>${actionsOf(...states).map((action) => html`
      <button class=${ACTIONS[action].danger ? 'small quiet-danger' : 'small'} @click=${async () => { if (await actOnQuery(action, this.#q)) this.#begin(); }}>${icon(ACTIONS[action].icon)}${ACTIONS[action].label}</button>`)}`;
  }
}

SearchPage.define('search-page');
