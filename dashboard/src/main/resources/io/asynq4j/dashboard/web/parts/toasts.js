// Notifications about the result of an action. Success messages disappear after 5 seconds; errors stay until closed.

import {View, html, nothing, repeat} from '../core/view.js';
import {icon} from './icons.js';

const STAYS_MS = 5_000;

let host = null;
let next = 0;

/** @param kind good, bad or info */
export function toast(kind, title, detail = '', link = null) {
  host?.add({key: next++, kind, title, detail, link});
}

export function failed(what, error) {
  toast('bad', what, error.message);
}

class ToastStack extends View {
  #toasts = [];

  start() {
    host = this;
  }

  add(entry) {
    this.#toasts = [...this.#toasts.slice(-4), entry];
    this.update();
    if (entry.kind !== 'bad') {
      setTimeout(() => this.#drop(entry), STAYS_MS);
    }
  }

  #drop(entry) {
    this.#toasts = this.#toasts.filter((each) => each !== entry);
    this.update();
  }

  template() {
    return html`<div class="toasts" aria-live="polite">
      ${repeat(this.#toasts, (t) => t.key, (t) => html`
        <div class="toast ${t.kind}" role=${t.kind === 'bad' ? 'alert' : 'status'}>
          <div>
            <strong>${t.title}</strong>
            ${t.detail ? html`<p>${t.detail}</p>` : nothing}
            ${t.link ? html`<a href=${t.link.href}>${t.link.text}</a>` : nothing}
          </div>
          <button class="ghost icon-only" aria-label="Close message" @click=${() => this.#drop(t)}>${icon('close')}</button>
        </div>`)}
    </div>`;
  }
}

ToastStack.define('toast-stack');
