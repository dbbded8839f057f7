// Actions on a schedule entry.

import {name} from '../core/api.js';
import {cli} from '../core/commands.js';
import {html} from '../core/view.js';
import {act} from './act.js';

const TEXTS = {
  run: ['Run now', 'The schedule entry enqueues its task once, in addition to its regular times.', 'The scheduler will enqueue the task shortly'],
  pause: ['Pause', 'The schedule entry does not fire until you resume it. The pause survives restarts.', 'Schedule paused'],
  resume: ['Resume', 'The schedule entry fires again from its next regular time.', 'Schedule resumed'],
  forget: ['Forget', 'The schedule entry and its history are deleted. A scheduler that still contains the entry registers it again.', 'Schedule forgotten'],
};

export function actOnSchedule(verb, schedule) {
  const [label, text, done] = TEXTS[verb];
  const path = `schedules/${name(schedule.id)}`;
  return act({
    title: verb === 'run' ? `Run ${schedule.taskType} now?` : `${label} schedule ${schedule.taskType}?`,
    confirm: label,
    danger: verb === 'forget',
    text: html`<p>${text}</p><p class="faint">${schedule.id}</p>`,
    request: () => (verb === 'forget' ? {method: 'DELETE', path} : {method: 'POST', path: `${path}/${verb}`}),
    cli: () => cli('cron', verb, [schedule.id]),
    done,
  });
}
