// Doing things: every change is asked about once, can be copied as a command, and reports how it went, good or bad.

import {send} from '../core/api.js';
import {curl} from '../core/commands.js';
import {ask} from './dialogs.js';
import {failed, toast} from './toasts.js';

/**
 * Asks, does it, and tells. Gives the answer (or true when there is none), null when it was called off or went wrong.
 *
 * @param action {title, text, fields, confirm, danger, typed, request(values) → {method, path, query, body}, cli(values),
 *     done: a text or (answer, values) → text, link(answer)}
 */
export async function act(action) {
  const values = await ask({
    ...action,
    confirm: action.confirm ?? action.title,
    commands: (current) => ({CLI: action.cli?.(current), curl: curl(action.request(current))}),
  });
  if (!values) {
    return null;
  }
  try {
    const answer = await send(action.request(values));
    const text = typeof action.done === 'function' ? action.done(answer, values) : action.done;
    toast('good', text, '', action.link?.(answer) ?? null);
    return answer ?? true;
  } catch (e) {
    failed(`Not done: ${action.title.replace(/\?$/, '')}`, e);
    return null;
  }
}
