// What can be done with one task, with chosen ones, and with all that a query wants.

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

/** From here on a deletion wants its number written out. */
const TYPED_FROM = 1_000;

const PAST = {run: 'made pending', archive: 'archived', delete: 'deleted', cancel: 'told to stop', move: 'moved', reschedule: 'rescheduled'};

const TEXT = {
  run: 'It becomes pending and runs as soon as a worker is free. Its retries stay counted.',
  archive: 'It is kept and does not run until somebody runs it.',
  delete: 'It is gone for good, with its payload.',
  cancel: 'Whoever works on it is told to stop; whether it does is up to the handler.',
  move: 'It keeps its state and its options.',
  reschedule: 'It waits until then.',
};

function fieldsOf(action, queue) {
  switch (action) {
    case 'archive':
      return [{name: 'full', label: 'When the archive is full', value: '', options: [['', 'nothing more is archived'], ['drop', 'its oldest tasks are deleted']]}];
    case 'cancel':
      return [{name: 'after', label: 'What becomes of it', value: 'retry', options: [['retry', 'it is retried'], ['archive', 'it is archived'], ['delete', 'it is deleted']]}];
    case 'move':
      return [{name: 'queue', label: 'To which queue', required: true, list: [...live.queues.keys()].filter((name) => name !== queue).slice(0, 200)}];
    case 'reschedule':
      return [{name: 'in', label: 'In how long', value: '10m', required: true, hint: 'Such as 90s, 10m, 1h30m or 2d'}];
    default:
      return [];
  }
}

/** Two buttons that say cancel would leave open which one does. */
const dismissOf = (action) => (action === 'cancel' ? 'Let it run' : 'Cancel');

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

/** What had to go for those that were archived. */
const droppedOf = (report) => (report.dropped > 0 ? `To make room, ${plural(report.dropped, 'archived task')} went for good.` : '');

/** Gives true when it was done. */
export async function actOnTask(action, task) {
  switch (action) {
    case 'copy':
      return cloneTask(task);
    case 'edit':
      return editTask(task);
    default:
  }
  const path = taskPath(task.queue, task.id);
  const {label, danger} = ACTIONS[action];
  return Boolean(await act({
    title: `${label}: ${task.type || task.id}?`,
    confirm: action === 'cancel' ? 'Cancel the task' : label,
    dismiss: dismissOf(action),
    danger,
    text: html`<p>${TEXT[action]}</p><p class="faint">${task.queue} / ${task.id}</p>`,
    fields: fieldsOf(action, task.queue),
    request: (values) => requestOf(action, path, values),
    cli: (values) => cli('task', action, {queue: task.queue, ...cliOf(action, values)}, byId(task.id)),
    done: `The task is ${PAST[action]}`,
  }));
}

const newPayload = (text) => ({payloadText: minified(text)});

const isEditable = (task) => ['json', 'text', 'absent'].includes(task.payload.kind) && !task.payload.truncated;

async function editTask(task) {
  const {queue, id} = task;
  if (!isEditable(task)) {
    toast('bad', 'This payload cannot be edited here', 'It is binary, too large or not shown. Use the command line: asynq task update --payload @file.');
    return false;
  }
  const path = `${taskPath(task.queue, task.id)}/payload`;
  const after = {name: 'after', label: 'Then', value: '', options: [['', 'it stays as it is'], ['run', 'it runs at once']]};
  const isDone = await act({
    title: 'Edit the payload',
    confirm: 'Save',
    text: html`<p>${task.queue} / ${task.id}</p>`,
    fields: [{name: 'payload', label: 'Payload', type: 'textarea', value: pretty(task.payload.text)}, ...(task.actions.includes('run') ? [after] : [])],
    request: (values) => ({method: 'PUT', path, query: values.after === 'run' ? {run: true} : {}, body: newPayload(values.payload)}),
    cli: (values) => cliChain(['task', 'update', {queue, payload: literal(minified(values.payload))}, byId(id)], ...(values.after === 'run' ? [['task', 'run', {queue}, byId(id)]] : [])),
    done: (answer, values) => (values.after === 'run' ? 'The payload is replaced, and the task is pending' : 'The payload is replaced'),
  });
  return Boolean(isDone);
}

async function cloneTask(task) {
  const path = `${taskPath(task.queue, task.id)}/copy`;
  const fields = [
    {name: 'queue', label: 'Queue', value: task.queue, required: true},
    {name: 'processIn', label: 'Run in', placeholder: 'at once', hint: 'Such as 10m; empty for at once'},
  ];
  if (isEditable(task)) {
    fields.push({name: 'payload', label: 'Payload', type: 'textarea', value: pretty(task.payload.text)});
  }
  const shown = isEditable(task) ? pretty(task.payload.text) : '';
  return Boolean(await act({
    title: 'Clone this task',
    confirm: 'Enqueue the copy',
    text: html`<p>A new task of the same type and options, with an id of its own. This one stays as it is.</p>`,
    fields,
    request: ({queue, processIn, payload}) => ({
      method: 'POST',
      path,
      body: {queue, ...(processIn ? {processIn} : {}), ...(payload !== undefined && payload !== shown ? newPayload(payload) : {})},
    }),
    // The command copies the payload as it is; with another one it is only a request.
    cli: ({queue, processIn, payload}) => (payload !== undefined && payload !== shown ? null : cli('task', 'clone', {queue: task.queue, to: queue, in: processIn}, byId(task.id))),
    done: 'The copy is enqueued',
    link: (answer) => ({href: taskLink(answer.queue, answer.id), text: 'Open it'}),
  }));
}

/** Chosen tasks of one queue. */
export async function actOnChosen(action, queue, ids) {
  const {label, danger} = ACTIONS[action];
  const request = (values) => ({method: 'POST', path: `${queuePath(queue)}/tasks/batch`, body: {action, ids, ...bodyOf(action, values)}});
  const values = await ask({
    title: `${label} ${plural(ids.length, 'task')}?`,
    text: html`<p>${plural(ids.length, 'chosen task')} of the queue <b>${queue}</b>. ${danger ? 'This cannot be undone.' : nothing}</p>`,
    fields: fieldsOf(action, queue),
    confirm: `${label} ${count(ids.length)}`,
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
      toast('bad', `${count(report.done)} ${PAST[action]}, ${count(report.failed)} not`, why);
    } else {
      toast('good', `${plural(report.done, 'task')} ${PAST[action]}`, droppedOf(report));
    }
    return true;
  } catch (e) {
    failed(`${label} failed`, e);
    return false;
  }
}

/** All tasks that a query wants, counted first, then in the background. */
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
    toast('info', 'No task matches any more');
    return false;
  }
  const body = (values) => ({action, query, ...bodyOf(action, values), reason: values.reason || null});
  const values = await ask({
    title: `${label} ${plural(n, 'task')}?`,
    text: html`<p>All tasks that match just now <b>${count(n)}</b>, in the background, step by step. It can be stopped; what is done stays done.${danger ? ' Nothing brings them back.' : nothing}</p><code class="clip">${query}</code>`,
    fields: [...fieldsOf(action, null), {name: 'reason', label: 'Reason (kept in the audit log)', placeholder: 'optional'}],
    typed: action === 'delete' && n >= TYPED_FROM ? String(n) : null,
    confirm: `${label} ${count(n)}`,
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
