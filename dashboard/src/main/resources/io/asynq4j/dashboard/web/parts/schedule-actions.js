// What can be done with a schedule.

import {name} from '../core/api.js';
import {cli} from '../core/commands.js';
import {html} from '../core/view.js';
import {act} from './act.js';

const WORDS = {
  run: ['Run now', 'It enqueues its task once, beside its schedule.', 'It will enqueue its task in a moment'],
  pause: ['Pause', 'It enqueues nothing until it is resumed; this outlives restarts.', 'The schedule is paused'],
  resume: ['Resume', 'It enqueues again from its next time on.', 'The schedule is resumed'],
  forget: ['Forget', 'Its history is deleted. It comes back if a scheduler still has it.', 'The schedule is forgotten'],
};

export function actOnSchedule(verb, schedule) {
  const [label, text, done] = WORDS[verb];
  const path = `schedules/${name(schedule.id)}`;
  return act({
    title: `${label}: ${schedule.taskType}?`,
    confirm: label,
    danger: verb === 'forget',
    text: html`<p>${text}</p><p class="faint">${schedule.id}</p>`,
    request: () => (verb === 'forget' ? {method: 'DELETE', path} : {method: 'POST', path: `${path}/${verb}`}),
    cli: () => cli('cron', verb, [schedule.id]),
    done,
  });
}
