// Actions on a queue.

import {queuePath} from '../core/api.js';
import {cli} from '../core/commands.js';
import {plural} from '../core/format.js';
import {html, nothing} from '../core/view.js';
import {act} from './act.js';

export function pauseQueue(queue) {
  const isPaused = Boolean(queue.pausedSince);
  const verb = isPaused ? 'resume' : 'pause';
  return act({
    title: `${isPaused ? 'Resume' : 'Pause'} queue ${queue.queue}?`,
    confirm: isPaused ? 'Resume' : 'Pause',
    text: html`<p>${isPaused ? 'Servers claim tasks of this queue again.' : 'Servers finish the active tasks and stop claiming new ones. Clients can still enqueue tasks.'}</p>`,
    request: () => ({method: 'POST', path: `${queuePath(queue.queue)}/${verb}`}),
    cli: () => cli('queue', verb, [queue.queue]),
    done: `Queue ${queue.queue} ${isPaused ? 'resumed' : 'paused'}`,
  });
}

export function removeQueue(queue) {
  const hasTasks = queue.size > 0;
  return act({
    title: `Remove queue ${queue.queue}?`,
    confirm: 'Remove',
    danger: true,
    text: html`<p>Permanently deletes the queue, its counters and its limits${hasTasks ? html`, including <b>${plural(queue.size, 'task')}</b>` : nothing}.
      ${queue.sizes?.active ? ` The queue has ${plural(queue.sizes.active, 'active task')} and cannot be removed until they are finished.` : nothing}</p>`,
    typed: hasTasks ? queue.queue : null,
    request: () => ({method: 'DELETE', path: queuePath(queue.queue), query: hasTasks ? {force: true} : {}}),
    cli: () => cli('queue', 'remove', {force: hasTasks}, [queue.queue]),
    done: `Queue ${queue.queue} removed`,
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
    title: `Limits of queue ${queue}`,
    confirm: 'Save',
    text: html`<p>Limits apply across all servers. Leave a field empty to use the servers' configuration.</p>`,
    fields: [
      {name: 'maxActive', label: 'Maximum active tasks', type: 'number', value: limits?.maxActive ?? '', hint: '0 = no limit'},
      {name: 'ordered', label: 'Process in order, one task at a time', value: limits?.ordered === null || limits?.ordered === undefined ? '' : String(limits.ordered), options: [['', 'not set'], ['true', 'yes'], ['false', 'no']]},
      {name: 'rate', label: 'Rate limit', value: limits?.rate ?? '', hint: 'Task starts per interval, for example 100/s, 30/m or 5/10s; none = no limit'},
      {name: 'burst', label: 'Burst', type: 'number', value: limits?.burst ?? '', hint: 'Maximum number of tasks that start at once after an idle period. Default: the number that the rate limit allows in 0.1 s.'},
    ],
    request: (values) => ({method: 'PUT', path: `${queuePath(queue)}/limits`, body: body(values)}),
    cli: ({maxActive, ordered, rate, burst}) => (maxActive === '' && ordered === '' && rate === '' ? cli('queue', 'limit', {clear: true}, [queue]) : cli('queue', 'limit', {'max-active': maxActive, ordered, rate, burst}, [queue])),
    done: `Limits of queue ${queue} saved`,
  });
}
