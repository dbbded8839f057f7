// What pages and parts have in common: they draw themselves with lit-html, once per turn however much has changed.

import {nothing, render} from '../vendor/lit-html/lit-html.js';
import {get} from './api.js';
import {onPrefs} from './prefs.js';

export {html, nothing, svg} from '../vendor/lit-html/lit-html.js';
export {repeat} from '../vendor/lit-html/directives/repeat.js';

/**
 * An element without a shadow, so that one style sheet holds for all. Subclasses give `template()`, and name in `static
 * props` what may be set from outside.
 */
export class View extends HTMLElement {
  #isWaiting = false;
  #ends = [];

  static define(tag) {
    for (const prop of this.props ?? []) {
      const key = Symbol(prop);
      Object.defineProperty(this.prototype, prop, {
        get() {
          return this[key];
        },
        set(value) {
          if (this[key] !== value) {
            const old = this[key];
            this[key] = value;
            this.changed?.(prop, old);
            this.update();
          }
        },
      });
    }
    customElements.define(tag, this);
  }

  connectedCallback() {
    this.until(onPrefs(() => this.update()));
    this.start?.();
    this.update();
  }

  disconnectedCallback() {
    this.#ends.forEach((end) => end());
    this.#ends = [];
  }

  /** Calls this when the element leaves the page. */
  until(end) {
    this.#ends.push(end);
  }

  update() {
    if (!this.#isWaiting && this.isConnected) {
      this.#isWaiting = true;
      queueMicrotask(() => {
        this.#isWaiting = false;
        if (this.isConnected) {
          render(this.template(), this);
          this.drawn?.();
        }
      });
    }
  }

  template() {
    return nothing;
  }

  /** Data of this view that is fetched again and again; see Load. */
  load(request, everyMs) {
    const load = new Load(this, request, everyMs);
    this.until(() => load.stop());
    return load;
  }
}

/**
 * Fetches something now and every so often, not while the page is hidden. The newest data stays when a call fails, and the
 * error stands beside it.
 */
export class Load {
  data = null;
  error = null;
  at = 0;
  busy = false;
  #host;
  #request;
  #everyMs;
  #timer = 0;
  #abort = null;

  /** @param request gives {path, query} or a promise of the data; null for nothing to fetch */
  constructor(host, request, everyMs = 0) {
    this.#host = host;
    this.#request = request;
    this.#everyMs = everyMs;
    this.refresh();
  }

  /** Forgets the data too: it was for something else. */
  restart() {
    this.data = null;
    this.error = null;
    return this.refresh();
  }

  async refresh() {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.busy = true;
    this.#host.update();
    try {
      const request = this.#request(abort.signal);
      const data = request instanceof Promise
        ? await request
        : request && await get(request.path, request.query, {signal: abort.signal});
      if (abort.signal.aborted) {
        return;
      }
      this.data = data;
      this.error = null;
      this.at = performance.now();
    } catch (e) {
      if (abort.signal.aborted) {
        return;
      }
      this.error = e;
    }
    this.busy = false;
    this.#host.update();
    this.#again();
  }

  #again() {
    if (this.#everyMs > 0) {
      this.#timer = setTimeout(() => (document.hidden ? this.#again() : this.refresh()), this.#everyMs);
    }
  }

  stop() {
    clearTimeout(this.#timer);
    this.#abort?.abort();
  }
}
