// Tasks of all queues and states; the query is in the address, and can be kept.

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
  ['state:archived error:"refused"', 'archived with this in their error'],
  ['type:email:* age>1h', 'of a type, so long in their state'],
  ['state:retry retried>=3', 'retried again and again'],
  ['payload.user.id=42', 'a value in the payload'],
  ['queue:mail* -type:report:*', 'of some queues, without a type'],
  ['has:header.trace', 'with a header'],
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
      this.#goOn();
    }
    this.update();
  }

  /** Each call looks for a second at most; a few in a row find what is rare. */
  async #goOn() {
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
        <button class="ghost small" @click=${() => copy(curl({method: 'GET', path: 'search', query: {q: this.#q}}), 'Copied as curl')}>${icon('terminal')}curl</button>
        <button class="ghost small" aria-pressed=${isSaved} @click=${() => setPref('saved', isSaved ? saved.filter((each) => each !== this.#q) : [...saved, this.#q])}>${icon('star')}${isSaved ? 'Forget' : 'Keep'}</button>` : nothing})}
      <section class="card">
        <query-box .value=${this.#q} .placeholder=${'state:archived error:"refused" payload.user.id=42'} .onquery=${(q) => setQuery({q})}></query-box>
        ${saved.length ? html`<p class="chips"><span class="faint">Kept</span>${saved.map((q) => html`<a class="chip" href=${link('/search', [], {q})}>${q}</a>`)}</p>` : nothing}
        ${this.#q ? this.#found() : this.#help()}
      </section>`;
  }

  #help() {
    return html`<div class="examples"><p>Terms stand side by side and must all hold; <code>-</code> turns one round; <code>*</code> stands for anything; texts with spaces are quoted.</p>
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
        <span class="faint">${count(this.#looked)}${this.#total ? ` of ${count(this.#total)}` : ''} looked at${this.#isBusy ? '…' : ''}</span>
        <span class="grow"></span>
        ${may('operator') && this.#items.length ? this.#bulk() : nothing}
      </p>
      ${this.#cursor || this.#isBusy ? bar(part) : nothing}
      ${this.#error ? html`<div class="notice bad" role="alert"><p>${this.#error.message}</p></div>` : nothing}
      ${this.#problems.length ? html`<div class="notice warn"><p>Not searched: ${this.#problems.join(', ')}</p></div>` : nothing}
      ${!this.#isBusy && !this.#items.length ? empty('No task matches', this.#cursor ? 'So far; there is more to look through.' : nothing) : nothing}
      ${this.#items.length ? html`<task-table .tasks=${this.#items} .state=${null} .selected=${null}></task-table>` : nothing}
      ${this.#cursor && !this.#isBusy ? html`<p class="center"><button @click=${() => this.#goOn()}>Look further</button></p>` : nothing}`;
  }

  /** A bulk action needs a state that allows it. */
  #bulk() {
    const states = /(?:^|\s)state[:=]([a-z,]+)/.exec(this.#q)?.[1].split(',');
    if (!states) {
      return html`<span class="faint">Add a state to act on all of them</span>`;
    }
    return html`<span class="faint">All matching:</span>${actionsOf(...states).map((action) => html`
      <button class=${ACTIONS[action].danger ? 'small quiet-danger' : 'small'} @click=${async () => { if (await actOnQuery(action, this.#q)) this.#begin(); }}>${icon(ACTIONS[action].icon)}${ACTIONS[action].label}</button>`)}`;
  }
}

SearchPage.define('search-page');
