// A payload or result as tree, text or hex dump. It is always rendered as text, never as markup.

import {copy} from '../core/clipboard.js';
import {bytes, count, plural} from '../core/format.js';
import {View, html, nothing} from '../core/view.js';
import {icon} from './icons.js';

const MAX_CHILDREN = 200;
const MAX_HEX = 16_384;

/** A JSON number with all its digits; JavaScript numbers would lose some of 12345678901234567890. */
class Digits {
  constructor(text) {
    this.text = text;
  }
}

/** Older browsers do not expose the source text of a number; they show the raw text instead. */
const KEEPS_DIGITS = JSON.parse('[1.0]', (key, value, context) => context?.source ?? value)[0] === '1.0';

function parse(text) {
  if (!KEEPS_DIGITS) {
    throw new SyntaxError('numbers would lose digits');
  }
  return JSON.parse(text, (key, value, context) => (typeof value === 'number' ? new Digits(context.source) : value));
}

/** Indents JSON without changing its values. */
export function pretty(text) {
  try {
    return indented(parse(text), '');
  } catch {
    return text;
  }
}

/** Removes whitespace from JSON without changing its values. Returns other text unchanged. */
export function minified(text) {
  try {
    return dense(parse(text));
  } catch {
    return text;
  }
}

function dense(value) {
  if (value instanceof Digits) {
    return value.text;
  }
  if (value === null || typeof value !== 'object') {
    return JSON.stringify(value);
  }
  return Array.isArray(value)
    ? `[${value.map(dense).join(',')}]`
    : `{${Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}:${dense(each)}`).join(',')}}`;
}

function indented(value, indent) {
  if (value instanceof Digits) {
    return value.text;
  }
  if (value === null || typeof value !== 'object') {
    return JSON.stringify(value);
  }
  const isList = Array.isArray(value);
  const inner = isList
    ? value.map((each) => indent + '  ' + indented(each, indent + '  '))
    : Object.entries(value).map(([key, each]) => `${indent}  ${JSON.stringify(key)}: ${indented(each, indent + '  ')}`);
  const [open, close] = isList ? '[]' : '{}';
  return inner.length ? `${open}\n${inner.join(',\n')}\n${indent}${close}` : open + close;
}

/** @prop content as the API returns it; @prop what payload or result; @prop download URL of the complete content */
class ContentView extends View {
  static props = ['content', 'what', 'download'];
  #mode = null;
  #tree = undefined;
  #more = new Set();

  changed(prop, old) {
    if (prop === 'content' && old?.text !== this.content?.text) {
      this.#tree = undefined;
    }
  }

  template() {
    const content = this.content;
    if (!content || content.kind === 'absent') {
      return html`<p class="faint">No ${this.what}.</p>`;
    }
    if (content.kind === 'hidden') {
      return html`<p class="faint">${bytes(content.size)}. Not shown: ${content.redacted ? 'it cannot be redacted, so it is hidden.' : 'this dashboard is configured to hide it.'}</p>`;
    }
    const modes = this.#modes(content);
    const mode = modes.includes(this.#mode) ? this.#mode : modes[0];
    return html`<div class="content-view">
      <div class="content-bar">
        <div class="segmented" role="group" aria-label="Display format of the ${this.what}">${modes.map((each) => html`
          <button aria-pressed=${each === mode} @click=${() => { this.#mode = each; this.update(); }}>${each}</button>`)}</div>
        <span class="faint">${bytes(content.size)} · ${content.kind}${content.redacted ? ' · redacted' : ''}</span>
        <span class="grow"></span>
        <button class="ghost small" @click=${() => copy(content.text, `Copied ${this.what}${content.truncated ? ' (only the part that is shown)' : ''}`)}>${icon('copy')}Copy</button>
        ${this.download ? html`<a class="button ghost small" href=${this.download} download>${icon('download')}Download</a>` : nothing}
      </div>
      ${content.truncated ? html`<p class="notice info">Only the first part is shown. Download the ${this.what} to see all ${bytes(content.size)}.</p>` : nothing}
      <div class="content-body" tabindex="0" role="region" aria-label=${this.what}>${this.#body(content, mode)}</div>
    </div>`;
  }

  #modes(content) {
    if (content.kind === 'binary') {
      return ['hex', 'text'];
    }
    return content.kind === 'json' && this.#parsed(content) !== undefined ? ['tree', 'pretty', 'raw', 'hex'] : ['raw', 'hex'];
  }

  #parsed(content) {
    if (this.#tree === undefined && !content.truncated) {
      try {
        this.#tree = parse(content.text);
      } catch {
        return undefined;
      }
    }
    return this.#tree;
  }

  #body(content, mode) {
    switch (mode) {
      case 'tree':
        return html`<div class="tree">${this.#node(null, this.#tree, '$', 0)}</div>`;
      case 'pretty':
        return html`<pre>${pretty(content.text)}</pre>`;
      case 'hex':
        return html`<pre class="hex">${hexDump(rawBytes(content))}</pre>`;
      case 'text':
        return html`<pre>${new TextDecoder().decode(rawBytes(content)).replace(/[\p{Cc}\ufffd]/gu, '·')}</pre>`;
      default:
        return html`<pre>${content.text}</pre>`;
    }
  }

  #node(key, value, path, depth) {
    const label = key === null ? nothing : html`<span class="key">${key}</span><span class="faint">: </span>`;
    if (value === null || typeof value !== 'object' || value instanceof Digits) {
      return html`<div class="leaf">${label}${leaf(value)}</div>`;
    }
    const entries = Array.isArray(value) ? value.map((each, i) => [i, each]) : Object.entries(value);
    const size = Array.isArray(value) ? `[${count(entries.length)}]` : plural(entries.length, 'field');
    const limit = this.#more.has(path) ? entries.length : MAX_CHILDREN;
    // Collapsed branches are not rendered, which keeps large trees fast.
    const isOpen = this.#more.has('open' + path) || (depth < 2 && !this.#more.has('shut' + path) && entries.length <= 50);
    return html`<details ?open=${isOpen} @toggle=${(e) => this.#toggle(e, path, isOpen)}>
      <summary>${label}<span class="faint">${size}</span></summary>
      ${isOpen ? html`<div class="children">${entries.slice(0, limit).map(([k, v]) => this.#node(k, v, `${path}/${k}`, depth + 1))}
        ${entries.length > limit ? html`<button class="ghost small" @click=${() => { this.#more.add(path); this.update(); }}>${count(entries.length - limit)} more</button>` : nothing}</div>` : nothing}
    </details>`;
  }

  #toggle(event, path, wasOpen) {
    event.stopPropagation();
    const isOpen = event.target.open;
    if (isOpen !== wasOpen) {
      this.#more.delete((isOpen ? 'shut' : 'open') + path);
      this.#more.add((isOpen ? 'open' : 'shut') + path);
      this.update();
    }
  }
}

function leaf(value) {
  if (value instanceof Digits) {
    return html`<span class="number">${value.text}</span>`;
  }
  return typeof value === 'string'
    ? html`<span class="string">"${value}"</span>`
    : html`<span class="number">${String(value)}</span>`;
}

function rawBytes(content) {
  if (content.kind !== 'binary') {
    return new TextEncoder().encode(content.text.slice(0, MAX_HEX)).slice(0, MAX_HEX);
  }
  const text = content.text.slice(0, 2 * MAX_HEX);
  return Uint8Array.from({length: text.length / 2}, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

function hexDump(data) {
  const lines = [];
  for (let at = 0; at < data.length; at += 16) {
    const row = Array.from(data.slice(at, at + 16));
    const hex = row.map((b) => b.toString(16).padStart(2, '0')).join(' ').padEnd(47);
    const text = row.map((b) => (b >= 32 && b < 127 ? String.fromCharCode(b) : '·')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex}  ${text}`);
  }
  if (data.length >= MAX_HEX) {
    lines.push('…');
  }
  return lines.join('\n');
}

ContentView.define('content-view');
