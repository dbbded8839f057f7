// Application shell: menu, search box, Redis selector, data age and error banners.

import {chooseRedis, chosenRedis, get, may, session} from './core/api.js';
import {duration} from './core/format.js';
import {PLACES, listen} from './core/keys.js';
import {age, connect, forget, live, onLive} from './core/live.js';
import {pref, setPref} from './core/prefs.js';
import {go, here, link, onRoute, route, setQuery} from './core/router.js';
import {View, html, nothing} from './core/view.js';
import {everySecond} from './parts/basics.js';
import {ask} from './parts/dialogs.js';
import {icon} from './parts/icons.js';
import './parts/jobs-tray.js';
import './parts/query-box.js';
import './parts/toasts.js';

route('/', 'overview-page', () => import('./pages/overview.js'), 'Overview');
route('/queues', 'queues-page', () => import('./pages/queues.js'), 'Queues');
route('/queues/:queue', 'queue-page', () => import('./pages/queue.js'), 'Queue');
route('/queues/:queue/tasks/:id', 'task-page', () => import('./pages/task.js'), 'Task');
route('/search', 'search-page', () => import('./pages/search.js'), 'Search');
route('/failures', 'failures-page', () => import('./pages/failures.js'), 'Failures');
route('/servers', 'servers-page', () => import('./pages/servers.js'), 'Servers');
route('/schedules', 'schedules-page', () => import('./pages/schedules.js'), 'Schedules');
route('/schedules/:id', 'schedule-page', () => import('./pages/schedule.js'), 'Schedule');
route('/metrics', 'metrics-page', () => import('./pages/metrics.js'), 'Metrics');
route('/redis', 'redis-page', () => import('./pages/redis.js'), 'Redis');
route('/jobs', 'jobs-page', () => import('./pages/jobs.js'), 'Jobs');
route('/audit', 'audit-page', () => import('./pages/audit.js'), 'Audit');
route('/enqueue', 'enqueue-page', () => import('./pages/enqueue.js'), 'Enqueue');
route('/settings', 'settings-page', () => import('./pages/settings.js'), 'Settings');

const MENU = [
  [['/', 'Overview', 'overview'], ['/queues', 'Queues', 'queues'], ['/failures', 'Failures', 'failures'], ['/search', 'Search', 'search']],
  [['/servers', 'Servers', 'servers'], ['/schedules', 'Schedules', 'schedules'], ['/metrics', 'Metrics', 'metrics'], ['/redis', 'Redis', 'redis']],
  [['/jobs', 'Jobs', 'jobs'], ['/audit', 'Audit', 'audit', 'operator'], ['/settings', 'Settings', 'settings']],
];

class AppShell extends View {
  #isReady = false;
  #problem = null;
  #page = null;
  #key = '';
  #isMenuOpen = false;
  #redis = null;

  start() {
    // Remove the static loading text of index.html.
    this.replaceChildren();
    this.until(onRoute(() => this.#moved()));
    this.until(onLive(() => this.update()));
    this.until(everySecond(() => this.update()));
    listen({
      search: () => this.querySelector('.topbar query-box input')?.focus(),
      goTo: (path) => go(link(path)),
      help: () => help(),
    });
    this.#begin();
  }

  async #begin() {
    try {
      Object.assign(session, await get('session'));
      this.#isReady = true;
      this.#problem = null;
      chooseRedis(here().query.get('redis'));
      this.#redis = chosenRedis();
      connect();
      this.#moved();
    } catch (e) {
      this.#problem = e;
      this.update();
      setTimeout(() => this.#begin(), 3_000);
    }
  }

  async #moved() {
    if (!this.#isReady) {
      return;
    }
    const place = here();
    if (chosenRedis() !== this.#redis) {
      this.#redis = chosenRedis();
      this.#key = '';
      forget();
      connect();
    }
    this.#isMenuOpen = false;
    this.#page?.moved?.(place);
    const key = place.path;
    if (key !== this.#key) {
      this.#key = key;
      await this.#open(place, key);
    }
    this.update();
  }

  async #open(place, key) {
    document.title = [...Object.values(place.params).reverse(), place.found?.title ?? 'Not found', session.title].join(' · ');
    let page;
    try {
      await place.found?.load();
      page = document.createElement(place.found?.tag ?? 'lost-page');
    } catch {
      page = document.createElement('lost-page');
      page.reason = 'This page could not be loaded because the dashboard was stopped or updated. Reload the page to try again.';
    }
    if (this.#key !== key) {
      return;
    }
    page.place = place;
    page.className = 'page';
    this.#page = page;
    this.update();
    scrollTo(0, 0);
  }

  template() {
    if (!this.#isReady) {
      return this.#problem
        ? html`<main class="boot"><div class="notice bad" role="alert"><strong>${this.#problem.title}</strong><p>${this.#problem.message}</p><p class="faint">The page retries every 3 seconds.</p></div></main>`
        : html`<p class="boot">Loading…</p>`;
    }
    const {path} = here();
    return html`
      <a class="skip" href="#main" @click=${(e) => { e.preventDefault(); this.querySelector('h1')?.focus(); }}>Skip to content</a>
      <aside class=${this.#isMenuOpen ? 'menu open' : 'menu'}>
        <a class="brand" href=${link('/')}><img src="icon.svg" alt="" width="26" height="26"><span>${session.title}</span></a>
        <nav aria-label="Pages">${MENU.map((group) => html`<ul>${group.filter(([, , , role]) => !role || may(role)).map(([to, text, name]) => html`
          <li><a href=${link(to)} aria-current=${isIn(path, to) ? 'page' : nothing}>${icon(name)}<span>${text}</span>
          ${to === '/' && live.overview?.attention?.length ? html`<span class="bubble" title="Needs attention">${live.overview.attention.length}</span>` : nothing}</a></li>`)}</ul>`)}</nav>
        <footer>
          ${session.user ? html`<div class="who"><strong>${session.user}</strong><span class="faint">${session.role}</span></div>` : nothing}
          ${session.readOnly ? html`<span class="tag info">read-only</span>` : nothing}
          <span class="faint">asynq4j ${session.version}</span>
        </footer>
      </aside>
      <div class="scrim" @click=${() => this.#menu(false)}></div>
      <div class="main">
        <header class="topbar">
          <button class="ghost icon-only only-narrow" aria-label="Menu" aria-expanded=${this.#isMenuOpen} @click=${() => this.#menu(!this.#isMenuOpen)}>${icon('menu')}</button>
          <query-box .isMain=${true} .placeholder=${'Search tasks: type:email:* state:archived'} .onquery=${(q) => go(link('/search', [], {q}))}></query-box>
          <span class="grow"></span>
          ${session.redis.length > 1 ? html`<select aria-label="Redis" @change=${(e) => setQuery({redis: e.target.value === session.redis[0] ? null : e.target.value})}>
            ${session.redis.map((name) => html`<option value=${name} ?selected=${name === (chosenRedis() ?? session.redis[0])}>${name}</option>`)}</select>` : nothing}
          ${freshness()}
          <button class="ghost icon-only" aria-label="Switch theme" title="Switch theme" @click=${changeTheme}>${icon(isDark() ? 'sun' : 'moon')}</button>
          <button class="ghost icon-only wide-only" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" @click=${help}>${icon('help')}</button>
          ${may('operator') ? html`<a class="button primary" href=${link('/enqueue')} aria-label="Enqueue a task">${icon('plus')}<span class="wide-only">Enqueue</span></a>` : nothing}
        </header>
        ${banner()}
        <main id="main">${this.#page}</main>
      </div>
      <jobs-tray></jobs-tray><toast-stack></toast-stack><question-dialog></question-dialog>`;
  }

  #menu(isOpen) {
    this.#isMenuOpen = isOpen;
    this.update();
  }
}

const isIn = (path, to) => path === to || (to !== '/' && path.startsWith(to + '/'));

const isDark = () => pref('theme') === 'dark' || (pref('theme') === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);

const changeTheme = () => setPref('theme', isDark() ? 'light' : 'dark');

/** Age of the data. It is always visible. */
function freshness() {
  const ms = age();
  const limit = 3 * (live.overview?.everyMs ?? 10_000) + 2_000;
  const isOld = ms === null || ms > limit || live.link !== 'open' || live.overview?.problem;
  const text = ms === null ? 'no data yet' : ms < 3_000 && !isOld ? 'live' : `${duration(Math.floor(ms / 1_000) * 1_000)} old`;
  return html`<span class="fresh ${isOld ? 'stale' : ''}" role="status" title="Age of the data read from Redis"><i></i>${text}</span>`;
}

function banner() {
  const problem = live.overview?.problem;
  if (problem) {
    return html`<div class="banner bad" role="alert"><strong>Redis is unreachable.</strong> <span>${problem}</span>
      <span>${age() === null ? 'No data has been read yet.' : `The data shown is ${duration(Math.floor(age() / 1_000) * 1_000)} old.`}</span></div>`;
  }
  if (live.link === 'lost') {
    return html`<div class="banner warn" role="alert"><strong>Connection to the dashboard lost.</strong> <span>Reconnecting. The data shown may be out of date.</span></div>`;
  }
  return nothing;
}

const help = () => ask({
  title: 'Keyboard shortcuts',
  only: true,
  confirm: 'Close',
  text: html`<dl class="keys">
    <div><dt><kbd>/</kbd></dt><dd>Search tasks</dd></div>
    ${PLACES.map(([key, , text]) => html`<div><dt><kbd>g</kbd> <kbd>${key}</kbd></dt><dd>${text}</dd></div>`)}
    <div><dt><kbd>?</kbd></dt><dd>Show keyboard shortcuts</dd></div><div><dt><kbd>Esc</kbd></dt><dd>Close</dd></div></dl>`,
});

class LostPage extends View {
  static props = ['reason'];

  template() {
    return html`<div class="empty"><h1 tabindex="-1">${this.reason ? 'Page not loaded' : 'Page not found'}</h1><p>${this.reason ?? nothing}</p><p><a href=${link('/')}>Go to the overview</a></p></div>`;
  }
}

LostPage.define('lost-page');
AppShell.define('app-shell');
