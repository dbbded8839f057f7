// What can be done with a queue as a whole.

import {queuePath} from '../core/api.js';
import {cli} from '../core/commands.js';
import {count, plural} from '../core/format.js';
import {html, nothing} from '../core/view.js';
import {act} from './act.js';

export function pauseQueue(queue) {
  const isPaused = Boolean(queue.pausedSince);
  const verb = isPaused ? 'resume' : 'pause';
  return act({
    title: `${isPaused ? 'Resume' : 'Pause'} ${queue.queue}?`,
    confirm: isPaused ? 'Resume' : 'Pause',
    text: html`<p>${isPaused ? 'Servers take its tasks again.' : 'Servers finish what they work on and take nothing more from it. New tasks are still accepted.'}</p>`,
    request: () => ({method: 'POST', path: `${queuePath(queue.queue)}/${verb}`}),
    cli: () => cli('queue', verb, [queue.queue]),
    done: `${queue.queue} is ${isPaused ? 'running again' : 'paused'}`,
  });
}

export function removeQueue(queue) {
  const hasTasks = queue.size > 0;
  return act({
    title: `Remove ${queue.queue}?`,
    confirm: 'Remove',
    danger: true,
    text: html`<p>The queue with its counters and limits is gone for good${hasTasks ? html`, and <b>${plural(queue.size, 'task')} with it</b>` : nothing}.
      ${queue.sizes?.active ? ` It is refused while ${count(queue.sizes.active)} are active.` : nothing}</p>`,
    typed: hasTasks ? queue.queue : null,
    request: () => ({method: 'DELETE', path: queuePath(queue.queue), query: hasTasks ? {force: true} : {}}),
    cli: () => cli('queue', 'remove', {force: hasTasks}, [queue.queue]),
    done: `${queue.queue} is removed`,
  });
}

export function limitQueue(queue, limits) {
  const body = ({maxActive, ordered, rate, burst}) => ({
    maxActive: maxActive === '' ? null : Number(maxActive),
    ordered: ordered === '' ? null : ordered === 'true',
    rate: rate === '' ? null : rate,
    burst: burst === '' ? null : Number(burst),
  });
  return act({
    title: `Limits of ${queue}`,
    confirm: 'Set',
    text: html`<p>They hold for all servers together. What is empty is left to the servers' configuration.</p>`,
    fields: [
      {name: 'maxActive', label: 'At most so many at once', type: 'number', value: limits?.maxActive ?? '', hint: '0 = as many as there are workers'},
      {name: 'ordered', label: 'One by one, in their order', value: limits?.ordered === null || limits?.ordered === undefined ? '' : String(limits.ordered), options: [['', 'not set'], ['true', 'yes'], ['false', 'no']]},
      {name: 'rate', label: 'So many begin in a time', value: limits?.rate ?? '', hint: 'such as 100/s, 30/m or 5/10s; none = any number'},
      {name: 'burst', label: 'So many at once after a quiet time', type: 'number', value: limits?.burst ?? '', hint: 'of what comes in a tenth of a second, if empty'},
    ],
    request: (values) => ({method: 'PUT', path: `${queuePath(queue)}/limits`, body: body(values)}),
    cli: ({maxActive, ordered, rate, burst}) => (maxActive === '' && ordered === '' && rate === '' ? cli('queue', 'limit', {clear: true}, [queue]) : cli('queue', 'limit', {'max-active': maxActive, ordered, rate, burst}, [queue])),
    done: `The limits of ${queue} are set`,
  });
}
