// Actions on one task, on selected tasks, and on all tasks that match a query.

import {queuePath, send, taskPath} from '../core/api.js';
import {bulkCli, byId, cli, cliChain, curl, literal} from '../core/commands.js';
import {count, plural} from '../core/format.js';
import {live} from '../core/live.js';
import {taskLink} from '../core/router.js';
import {ACTIONS} from '../core/states.js';
import {html, nothing} from '../core/view.js';
import {act} from './act.js';
import {minified, pretty} from './content-view.js';
import {ask} from './dialogs.js';
import {startJob} from './jobs-tray.js';
import {failed, toast} from './toasts.js';

/** To delete this many tasks or more, the user must type the number. */
const TYPED_FROM = 1_000;

const PAST = {run: 'made pending', archive: 'archived', delete: 'deleted', cancel: 'cancelled', move: 'moved', reschedule: 'rescheduled'};

const TEXT = {
  run: 'The task becomes pending and runs as soon as a worker is free. The retry count does not change.',
  archive: 'The task is kept, but does not run until you run it.',
  delete: 'The task and its payload are deleted permanently.',
  cancel: 'The handler is interrupted. An outcome that it returns in time applies; otherwise the choice below applies. The worker stays busy until the handler returns.',
  move: 'A scheduled or retry task is scheduled in the new queue for the same time. An archived task becomes pending. Any other task keeps its state.',
  reschedule: 'The task is scheduled for the new time.',
};

function fieldsOf(action, queue) {
  switch (action) {
    case 'archive':
      return [{name: 'full', label: 'If the archive is full', value: '', options: [['', 'Do not archive'], ['drop', 'Delete the oldest archived tasks']]}];
    case 'cancel':
      return [{name: 'after', label: 'After cancellation', value: 'retry', options: [['retry', 'Retry the task'], ['archive', 'Archive the task'], ['delete', 'Delete the task']]}];
    case 'move':
      return [{name: 'queue', label: 'Target queue', required: true, list: [...live.queues.keys()].filter((name) => name !== queue).slice(0, 200)}];
    case 'reschedule':
      return [{name: 'in', label: 'Run in', value: '10m', required: true, hint: 'Duration from now, for example 90s, 10m, 1h30m or 2d.'}];
    default:
      return [];
  }
}

/** The title of the confirmation, for example "Run 3 tasks now?". */
const question = (action, what) => (action === 'run' ? `Run ${what} now?` : `${ACTIONS[action].label} ${what}?`);

/** The label of the confirm button for several tasks. */
const confirmOf = (action, n) => (action === 'run' ? `Run ${count(n)} now` : `${ACTIONS[action].label} ${count(n)}`);

/** Avoids two buttons with the label "Cancel". */
const dismissOf = (action) => (action === 'cancel' ? 'Keep running' : 'Cancel');

const dropsOldest = (action, values) => action === 'archive' && values.full === 'drop';
const bodyOf = (action, values) => (dropsOldest(action, values) ? {dropOldest: true} : action === 'cancel' ? {after: values.after} : action === 'move' ? {queue: values.queue} : action === 'reschedule' ? {in: values.in} : undefined);
const cliOf = (action, values) => (dropsOldest(action, values) ? {'drop-oldest': true} : action === 'cancel' ? {then: values.after} : action === 'move' ? {to: values.queue} : action === 'reschedule' ? {in: values.in} : {});

function requestOf(action, path, values) {
  switch (action) {
    case 'delete':
      return {method: 'DELETE', path};
    case 'archive':
      return {method: 'POST', path: `${path}/archive`, query: dropsOldest(action, values) ? {dropOldest: true} : {}};
    default:
      return {method: 'POST', path: `${path}/${action}`, body: bodyOf(action, values)};
  }
}

/** How many archived tasks were deleted to make room. */
const droppedOf = (report) => (report.dropped > 0 ? `${plural(report.dropped, 'archived task')} deleted to make room.` : '');

/** Returns true if the action was performed. */
export async function actOnTask(action, task) {
  switch (action) {
    case 'copy':
      return copyTask(task);
    case 'edit':
      return editTask(task);
    default:
  }
  const path = taskPath(task.queue, task.id);
  const {label, danger} = ACTIONS[action];
  return Boolean(await act({
    title: question(action, `task ${task.type || task.id}`),
    confirm: action === 'cancel' ? 'Cancel the task' : label,
    dismiss: dismissOf(action),
    danger,
    text: html`<p>${TEXT[action]}</p><p class="faint">${task.queue} / ${task.id}</p>`,
    fields: fieldsOf(action, task.queue),
    request: (values) => requestOf(action, path, values),
    cli: (values) => cli('task', action, {queue: task.queue, ...cliOf(action, values)}, byId(task.id)),
    done: `Task ${PAST[action]}`,
  }));
}

const newPayload = (text) => ({payloadText: minified(text)});

const isEditable = (task) => ['json', 'text', 'absent'].includes(task.payload.kind) && !task.payload.truncated;

async function editTask(task) {
  const {queue, id} = task;
  if (!isEditable(task)) {
    toast('bad', 'This payload cannot be edited in the dashboard', 'It is binary, too large or hidden. Use the command line instead: asynq task edit --payload @file');
    return false;
  }
  const path = `${taskPath(task.queue, task.id)}/payload`;
  const after = {name: 'after', label: 'After saving', value: '', options: [['', 'Keep the state of the task'], ['run', 'Run the task now']]};
  const isDone = await act({
    title: 'Edit payload',
    confirm: 'Save',
    text: html`<p>${task.queue} / ${task.id}</p>`,
    fields: [{name: 'payload', label: 'Payload', type: 'textarea', value: pretty(task.payload.text)}, ...(task.actions.includes('run') ? [after] : [])],
    request: (values) => ({method: 'PUT', path, query: values.after === 'run' ? {run: true} : {}, body: newPayload(values.payload)}),
    cli: (values) => cliChain(['task', 'edit', {queue, payload: literal(minified(values.payload))}, byId(id)], ...(values.after === 'run' ? [['task', 'run', {queue}, byId(id)]] : [])),
    done: (answer, values) => (values.after === 'run' ? 'Payload saved, task made pending' : 'Payload saved'),
  });
  return Boolean(isDone);
}

async function copyTask(task) {
  const path = `${taskPath(task.queue, task.id)}/copy`;
  const fields = [
    {name: 'queue', label: 'Queue', value: task.queue, required: true},
    {name: 'processIn', label: 'Run in', placeholder: 'now', hint: 'Duration from now, for example 10m. Default: now.'},
  ];
  if (isEditable(task)) {
    fields.push({name: 'payload', label: 'Payload', type: 'textarea', value: pretty(task.payload.text)});
  }
  const shown = isEditable(task) ? pretty(task.payload.text) : '';
  return Boolean(await act({
    title: 'Copy task',
    confirm: 'Enqueue copy',
    text: html`<p>Enqueues a new task with the same type and options and a new ID. The original task does not change.</p>`,
    fields,
    request: ({queue, processIn, payload}) => ({
      method: 'POST',
      path,
      body: {queue, ...(processIn ? {processIn} : {}), ...(payload !== undefined && payload !== shown ? newPayload(payload) : {})},
    }),
    // The CLI command cannot change the payload, so a copy with another payload is offered as curl only.
    cli: ({queue, processIn, payload}) => (payload !== undefined && payload !== shown ? null : cli('task', 'copy', {queue: task.queue, to: queue, in: processIn}, byId(task.id))),
    done: 'Copy enqueued',
    link: (answer) => ({href: taskLink(answer.queue, answer.id), text: 'Open task'}),
  }));
}

/** Acts on selected tasks of one queue. */
export async function actOnChosen(action, queue, ids) {
  const {label, danger} = ACTIONS[action];
  const request = (values) => ({method: 'POST', path: `${queuePath(queue)}/tasks/batch`, body: {action, ids, ...bodyOf(action, values)}});
  const values = await ask({
    title: question(action, plural(ids.length, 'task')),
    text: html`<p>${plural(ids.length, 'selected task')} in queue <b>${queue}</b>. ${danger ? 'This cannot be undone.' : nothing}</p>`,
    fields: fieldsOf(action, queue),
    confirm: confirmOf(action, ids.length),
    dismiss: dismissOf(action),
    danger,
    commands: (current) => ({CLI: cli('task', action, {queue, ...cliOf(action, current)}, byId(...ids)), curl: curl(request(current))}),
  });
  if (!values) {
    return false;
  }
  try {
    const report = await send(request(values));
    if (report.failed > 0) {
      const why = report.failures.slice(0, 3).map((f) => `${f.id}: ${f.problem}`).join(' · ');
      toast('bad', `${plural(report.done, 'task')} ${PAST[action]}, ${count(report.failed)} failed`, why);
    } else {
      toast('good', `${plural(report.done, 'task')} ${PAST[action]}`, droppedOf(report));
    }
    return true;
  } catch (e) {
    failed(`${label} failed`, e);
    return false;
  }
}

/** Acts on all tasks that match a query: counts them, asks for confirmation, then starts a background job. */
export async function actOnQuery(action, query) {
  const {label, danger} = ACTIONS[action];
  const counted = await startJob({action: 'count', query}, {isShown: false});
  if (!counted) {
    return false;
  }
  if (counted.state !== 'done') {
    toast('bad', 'The tasks could not be counted', counted.problem ?? '');
    return false;
  }
  const n = counted.matched;
  if (n === 0) {
    toast('info', 'No tasks match the query anymore');
    return false;
  }
  const body = (values) => ({action, query, ...bodyOf(action, values), reason: values.reason || null});
  const values = await ask({
    title: question(action, plural(n, 'task')),
    text: html`<p>The query currently matches <b>${plural(n, 'task')}</b>. A background job processes them in batches. You can stop the job; completed changes are not reverted.${danger ? ' This cannot be undone.' : nothing}</p><code class="clip">${query}</code>`,
    fields: [...fieldsOf(action, null), {name: 'reason', label: 'Reason (recorded in the audit log)', placeholder: 'optional'}],
    typed: action === 'delete' && n >= TYPED_FROM ? String(n) : null,
    confirm: confirmOf(action, n),
    dismiss: dismissOf(action),
    danger,
    commands: (current) => ({CLI: bulkCli(action, query, cliOf(action, current)), curl: curl({method: 'POST', path: 'jobs', body: body(current)})}),
  });
  if (!values) {
    return false;
  }
  const job = await startJob(body(values));
  if (job?.state === 'done' && job.failed === 0) {
    toast('good', `${plural(job.done, 'task')} ${PAST[action]}`, droppedOf(job));
  } else if (job) {
    toast('bad', `${label} ${job.state}: ${count(job.done)} ${PAST[action]}, ${count(job.failed)} failed`, job.problem ?? '');
  }
  return Boolean(job);
}
