// Preferences of this browser, and the configuration of the dashboard.

import {session} from '../core/api.js';
import {PLACES} from '../core/keys.js';
import {pref, setPref} from '../core/prefs.js';
import {View, html, nothing} from '../core/view.js';
import {head} from '../parts/basics.js';
import {ROWS} from '../parts/pager.js';

const CHOICES = [
  ['theme', 'Theme', [['system', 'system'], ['light', 'light'], ['dark', 'dark']]],
  ['time', 'Time format', [['relative', 'relative'], ['local', 'local'], ['utc', 'UTC']]],
  ['density', 'Row height', [['normal', 'normal'], ['dense', 'dense']]],
  ['rows', 'Rows per page', ROWS.map((n) => [n, String(n)])],
];

class SettingsPage extends View {
  template() {
    return html`${head({title: 'Settings'})}
      <section class="card"><header class="card-head"><h2>Preferences of this browser</h2></header>
        ${CHOICES.map(([key, label, options]) => html`<div class="setting"><span id="set-${key}">${label}</span>
          <div class="segmented" role="group" aria-labelledby="set-${key}">${options.map(([value, text]) => html`<button aria-pressed=${pref(key) === value} @click=${() => setPref(key, value)}>${text}</button>`)}</div></div>`)}
      </section>
      <section class="card"><header class="card-head"><h2>Keyboard shortcuts</h2></header><dl class="keys">
        <div><dt><kbd>/</kbd></dt><dd>Search tasks</dd></div>${PLACES.map(([key, , text]) => html`<div><dt><kbd>g</kbd> <kbd>${key}</kbd></dt><dd>${text}</dd></div>`)}<div><dt><kbd>?</kbd></dt><dd>Keyboard shortcuts</dd></div></dl></section>
      <section class="card"><header class="card-head"><h2>Dashboard</h2></header><dl class="facts">
        ${fact('User', session.user ?? 'none (login is disabled)')}${fact('Role', session.role)}${fact('Queues', session.queues?.includes('*') ? 'all' : session.queues?.join(', '))}${fact('Read-only', session.readOnly ? 'yes' : 'no')}
        ${fact('Redis', session.redis.join(', '))}${fact('Hidden fields', session.hidden?.join(', ') || 'none')}${fact('Version', session.version)}
        ${fact('API', html`<a href="api/v1/openapi.yaml">api/v1/openapi.yaml</a>`)}${session.metrics ? fact('Prometheus', html`<a href="metrics">metrics</a>`) : nothing}</dl></section>`;
  }
}

const fact = (label, value) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`;

SettingsPage.define('settings-page');
