// Query input with suggestions for the last term.

import {get} from '../core/api.js';
import {View, html, nothing} from '../core/view.js';
import {icon} from './icons.js';

const PAUSE_MS = 150;
let next = 0;

/** @prop value; @prop placeholder; @prop onquery called with the submitted query; @prop label */
class QueryBox extends View {
  static props = ['value', 'placeholder', 'onquery', 'label', 'isMain'];
  #items = [];
  #at = -1;
  #isOpen = false;
  #timer = 0;
  #key = `suggestions-${next++}`;

  get input() {
    return this.querySelector('input');
  }

  changed(prop) {
    if (prop === 'value' && this.input) {
      this.input.value = this.value ?? '';
    }
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#suggest(), PAUSE_MS);
  }

  async #suggest() {
    const q = this.input?.value;
    try {
      const {items} = await get('search/suggestions', {q});
      if (q === this.input?.value && document.activeElement === this.input) {
        this.#items = items.slice(0, 8);
        this.#at = -1;
        this.#isOpen = this.#items.length > 0;
        this.update();
      }
    } catch {
      // Suggestions are optional. Submitting the query reports its errors.
      this.#shut();
    }
  }

  #shut() {
    this.#isOpen = false;
    this.update();
  }

  #take(item) {
    this.input.value = item.query;
    this.input.focus();
    this.#typed();
  }

  #send() {
    clearTimeout(this.#timer);
    this.#shut();
    this.onquery(this.input.value.trim());
  }

  #key_(event) {
    const last = this.#items.length - 1;
    if (event.key === 'Enter') {
      if (this.#isOpen && this.#at >= 0) {
        this.#take(this.#items[this.#at]);
      } else {
        this.#send();
      }
    } else if (event.key === 'Escape') {
      if (this.#isOpen) {
        this.#shut();
      } else {
        this.input.blur();
      }
    } else if (event.key === 'ArrowDown' && this.#isOpen) {
      this.#at = this.#at >= last ? 0 : this.#at + 1;
    } else if (event.key === 'ArrowUp' && this.#isOpen) {
      this.#at = this.#at <= 0 ? last : this.#at - 1;
    } else {
      return;
    }
    event.preventDefault();
    this.update();
  }

  template() {
    return html`<div class="query-box" role="search">
      ${icon('search')}
      <input type="text" role="combobox" autocomplete="off" spellcheck="false" aria-label=${this.label ?? 'Search tasks'} aria-autocomplete="list"
        aria-expanded=${this.#isOpen} aria-controls=${this.#key} aria-activedescendant=${this.#at >= 0 ? `${this.#key}-${this.#at}` : nothing}
        placeholder=${this.placeholder ?? ''} value=${this.value ?? ''}
        @input=${() => this.#typed()} @focus=${() => this.#typed()} @keydown=${(e) => this.#key_(e)} @blur=${() => setTimeout(() => this.#shut(), 150)}>
      ${this.isMain ? html`<kbd aria-hidden="true">/</kbd>` : nothing}
      <ul id=${this.#key} role="listbox" aria-label="Suggestions" ?hidden=${!this.#isOpen}>${this.#items.map((item, i) => html`
        <li role="option" id="${this.#key}-${i}" aria-selected=${i === this.#at} @mousedown=${(e) => { e.preventDefault(); this.#take(item); }}>
          <code>${item.query}</code><span class="faint">${item.help}</span></li>`)}</ul>
    </div>`;
  }
}

QueryBox.define('query-box');
