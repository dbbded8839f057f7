// Base class of pages and components. They render with lit-html, at most once per microtask.

import {nothing, render} from '../vendor/lit-html/lit-html.js';
import {get} from './api.js';
import {onPrefs} from './prefs.js';

export {html, nothing, svg} from '../vendor/lit-html/lit-html.js';
export {repeat} from '../vendor/lit-html/directives/repeat.js';

/**
 * An element without a shadow root, so that one style sheet applies to all. Subclasses implement `template()` and list in
 * `static props` the properties that can be set from outside.
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

  /** Registers a callback for when the element is removed from the page. */
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

  /** Loads data for this view and refreshes it periodically; see Load. */
  load(request, everyMs) {
    const load = new Load(this, request, everyMs);
    this.until(() => load.stop());
    return load;
  }
}

/**
 * Loads data now and then periodically, except while the page is hidden. After a failed call, `data` keeps the last data and
 * `error` holds the error.
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

  /** @param request returns {path, query} or a promise of the data; null to load nothing */
  constructor(host, request, everyMs = 0) {
    this.#host = host;
    this.#request = request;
    this.#everyMs = everyMs;
    this.refresh();
  }

  /** Discards the data and loads again, because the request has changed. */
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
