// Page navigation below a table.

import {count} from '../core/format.js';
import {pref, setPref} from '../core/prefs.js';
import {html} from '../core/view.js';

export const ROWS = [10, 25, 50, 100];

/** @param set called with the new offset */
export function pager({offset, rows, total, set}) {
  const last = Math.max(0, Math.floor((total - 1) / rows) * rows);
  const button = (text, label, to, isOff) => html`<button class="ghost small" aria-label=${label} ?disabled=${isOff} @click=${() => set(to)}>${text}</button>`;
  return html`<nav class="pager" aria-label="Pages">
    <label>Rows <select @change=${(e) => { setPref('rows', Number(e.target.value)); set(0); }}>
      ${ROWS.map((n) => html`<option value=${n} ?selected=${n === pref('rows')}>${n}</option>`)}</select></label>
    <span class="grow"></span>
    <span>${total === 0 ? '0' : `${count(offset + 1)}–${count(Math.min(total, offset + rows))}`} of ${count(total)}</span>
    ${button('«', 'First page', 0, offset === 0)}
    ${button('‹', 'Previous page', Math.max(0, offset - rows), offset === 0)}
    ${button('›', 'Next page', offset + rows, offset + rows >= total)}
    ${button('»', 'Last page', last, offset + rows >= total)}
  </nav>`;
}
