// Runs a change: asks for confirmation, offers the equivalent commands, sends the request and reports the result.

import {send} from '../core/api.js';
import {curl} from '../core/commands.js';
import {ask} from './dialogs.js';
import {failed, toast} from './toasts.js';

/**
 * Returns the response (true if it is empty), or null if the user canceled or the request failed.
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
    failed(`Failed: ${action.title.replace(/\?$/, '')}`, e);
    return null;
  }
}
