// Confirmation dialogs: what the action does, its parameters, and the equivalent terminal commands.

import {copy} from '../core/clipboard.js';
import {View, html, nothing} from '../core/view.js';
import {icon} from './icons.js';

let host = null;

/**
 * Opens the dialog. The promise resolves to the values of the fields, or to null if the user cancels.
 *
 * @param question {title, text, fields: [{name, label, type, value, options, required, hint}], confirm, dismiss, danger, typed,
 *     commands(values) → {cli, curl}}; typed is a text that the user must enter to enable the confirm button
 */
export const ask = (question) => host.ask(question);

class QuestionDialog extends View {
  #question = null;
  #values = {};
  #typed = '';
  #answer = null;

  start() {
    host = this;
  }

  ask(question) {
    this.#question = question;
    this.#values = Object.fromEntries((question.fields ?? []).map((field) => [field.name, field.value ?? '']));
    this.#typed = '';
    this.update();
    return new Promise((resolve) => {
      this.#answer = resolve;
      // Runs after the template is rendered.
      setTimeout(() => {
        this.querySelector('dialog').showModal();
        this.querySelector('[data-first]')?.focus();
      });
    });
  }

  #close(values) {
    this.querySelector('dialog').close();
    this.#answer?.(values);
    this.#answer = null;
  }

  #isReady() {
    const {typed, fields = []} = this.#question;
    return (!typed || this.#typed === typed) && fields.every((field) => !field.required || this.#values[field.name]);
  }

  #set(field, value) {
    this.#values = {...this.#values, [field.name]: value};
    this.update();
  }

  template() {
    const question = this.#question;
    return html`<dialog aria-labelledby="question-title" @cancel=${(e) => { e.preventDefault(); this.#close(null); }}
      @click=${(e) => e.target.tagName === 'DIALOG' && this.#close(null)}>
      ${question ? this.#form(question) : nothing}
    </dialog>`;
  }

  #form(question) {
    const commands = question.commands?.(this.#values);
    return html`<form method="dialog" @submit=${(e) => { e.preventDefault(); if (this.#isReady()) this.#close(this.#values); }}>
      <h2 id="question-title">${question.title}</h2>
      <div class="question-text">${question.text ?? nothing}</div>
      ${(question.fields ?? []).map((field, i) => this.#field(field, i === 0))}
      ${question.typed ? html`<label class="field"><span>Type <code>${question.typed}</code> to confirm</span>
        <input autocomplete="off" .value=${this.#typed} @input=${(e) => { this.#typed = e.target.value; this.update(); }}></label>` : nothing}
      ${commands ? html`<div class="commands">
        ${Object.entries(commands).filter(([, text]) => text).map(([kind, text]) => html`
          <button type="button" class="ghost small" title=${text} @click=${() => copy(text, `Copied as ${kind}`)}>${icon('terminal')}Copy as ${kind}</button>`)}
      </div>` : nothing}
      <div class="dialog-foot">
        ${question.only ? nothing : html`<button type="button" class="quiet" @click=${() => this.#close(null)}>${question.dismiss ?? 'Cancel'}</button>`}
        <button type="submit" class=${question.danger ? 'danger' : 'primary'} ?disabled=${!this.#isReady()}
          ?data-first=${!(question.fields ?? []).length}>${question.confirm ?? 'OK'}</button>
      </div>
    </form>`;
  }

  #field(field, isFirst) {
    const value = this.#values[field.name];
    const set = (e) => this.#set(field, e.target.value);
    let input;
    if (field.options) {
      input = html`<select ?data-first=${isFirst} @change=${set}>
        ${field.options.map(([key, text]) => html`<option value=${key} ?selected=${key === value}>${text}</option>`)}</select>`;
    } else if (field.type === 'textarea') {
      input = html`<textarea class="mono" rows="10" ?data-first=${isFirst} spellcheck="false" .value=${value} @input=${set}></textarea>`;
    } else {
      input = html`<input type=${field.type ?? 'text'} ?data-first=${isFirst} autocomplete="off" placeholder=${field.placeholder ?? ''}
        list=${field.list ? 'question-list' : nothing} .value=${value} @input=${set}>
        ${field.list ? html`<datalist id="question-list">${field.list.map((text) => html`<option value=${text}></option>`)}</datalist>` : nothing}`;
    }
    return html`<label class="field"><span>${field.label}</span>${input}${field.hint ? html`<small>${field.hint}</small>` : nothing}</label>`;
  }
}

QuestionDialog.define('question-dialog');
