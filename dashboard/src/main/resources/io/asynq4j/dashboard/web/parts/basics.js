// Small components that all pages share.

import {moment, momentTitle} from '../core/format.js';
import {View, html, nothing} from '../core/view.js';
import {copy} from '../core/clipboard.js';
import {icon} from './icons.js';

const shown = new Set();
setInterval(() => document.hidden || shown.forEach((element) => element.update()), 1_000);

/** A point in time. The relative text updates every second. */
class TimeText extends View {
  static props = ['at'];

  start() {
    shown.add(this);
    this.until(() => shown.delete(this));
  }

  template() {
    return this.at
      ? html`<time datetime=${this.at} title=${momentTitle(this.at)}>${moment(this.at)}</time>`
      : html`<span class="faint">–</span>`;
  }
}

TimeText.define('time-text');

export const when = (iso) => html`<time-text .at=${iso ?? null}></time-text>`;

/** Calls back once a second while the page is visible; returns a function that stops it. */
export function everySecond(callback) {
  const element = {update: callback};
  shown.add(element);
  return () => shown.delete(element);
}

export const badge = (state) => html`<span class="badge state-${state}">${state}</span>`;

export const tag = (text, kind = '') => html`<span class="tag ${kind}">${text}</span>`;

export const copyButton = (text, what) => html`
  <button class="ghost icon-only small" title="Copy ${what}" aria-label="Copy ${what}"
    @click=${(event) => { event.preventDefault(); event.stopPropagation(); copy(text, `Copied ${what}`); }}>${icon('copy')}</button>`;

/** Page header: breadcrumbs, title, details and actions. */
export const head = ({crumbs = [], title, meta = nothing, actions = nothing}) => html`
  <header class="page-head">
    <div class="page-title">
      ${crumbs.length ? html`<nav class="crumbs" aria-label="Breadcrumb">${crumbs.map(([text, href]) => html`<a href=${href}>${text}</a><span aria-hidden="true">/</span>`)}</nav>` : nothing}
      <h1 tabindex="-1">${title}</h1>
      <div class="page-meta">${meta}</div>
    </div>
    <div class="page-actions">${actions}</div>
  </header>`;

/** A number with its label. */
export const stat = (label, value, note = nothing, kind = '') => html`
  <div class="stat ${kind}"><span class="stat-label">${label}</span><span class="stat-value">${value}</span><span class="stat-note">${note}</span></div>`;

export const empty = (title, text = nothing) => html`<div class="empty"><strong>${title}</strong><p>${text}</p></div>`;

/** Error notice for a failed request. Earlier data stays visible below it. */
export function trouble(load) {
  if (!load.error) {
    return nothing;
  }
  const isOld = load.data !== null && load.at > 0;
  return html`<div class="notice bad" role="alert">
    <strong>${load.error.title ?? 'Loading failed'}</strong>
    <p>${load.error.message}${isOld ? ' The last known data is shown.' : ''}</p>
    <button @click=${() => load.refresh()}>Try again</button>
  </div>`;
}

/** Placeholder rows until the first response. Every call has a timeout, so they always disappear. */
export const waiting = (load, rows = 4) => load.data === null && !load.error
  ? html`<div class="skeleton" role="status" aria-label="Loading">${Array.from({length: rows}, () => html`<span></span>`)}</div>`
  : nothing;

export const ageOf = (load) => html`
  <button class="ghost small" @click=${() => load.refresh()} title="Refresh">${icon('refresh')}<data-age .load=${load} .stamp=${load.at}></data-age></button>`;

class DataAge extends View {
  static props = ['load', 'stamp'];

  start() {
    shown.add(this);
    this.until(() => shown.delete(this));
  }

  template() {
    if (!this.load?.at) {
      return html`loading`;
    }
    const seconds = Math.floor((performance.now() - this.load.at) / 1_000);
    return html`${seconds < 2 ? 'just now' : `${seconds}s ago`}`;
  }
}

DataAge.define('data-age');

/** Progress bar. It is SVG because the content security policy forbids inline styles. */
export const bar = (part, kind = '') => html`
  <svg class="bar ${kind}" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="bar-back" width="100" height="6"></rect><rect class="bar-fill" width=${Math.max(0, Math.min(100, part * 100))} height="6"></rect>
  </svg>`;
