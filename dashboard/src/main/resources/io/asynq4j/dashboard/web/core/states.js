// Task states in display order, and the labels of the actions. The session that the API returns lists
// which action is possible in which state.

import {session} from './api.js';

export const STATES = ['active', 'pending', 'aggregating', 'scheduled', 'retry', 'archived', 'completed'];

export const WHAT = {
  active: 'A worker is processing the task.',
  pending: 'The task is ready to run.',
  aggregating: 'The task is waiting in a group for aggregation.',
  scheduled: 'The task runs at a later time.',
  retry: 'The task failed and will be retried.',
  archived: 'The task does not run again; it is kept for inspection.',
  completed: 'The task succeeded and is kept for its retention period.',
};

export const ACTIONS = {
  run: {label: 'Run now', icon: 'play'},
  archive: {label: 'Archive', icon: 'archive'},
  delete: {label: 'Delete', icon: 'trash', danger: true},
  cancel: {label: 'Cancel', icon: 'stop', danger: true},
  move: {label: 'Move', icon: 'move'},
  reschedule: {label: 'Reschedule', icon: 'clock'},
};

export const isAllowed = (action, state) => session.actions[action].includes(state);

/** The actions that are possible in all of these states. */
export const actionsOf = (...states) => Object.keys(ACTIONS).filter((action) => states.every((state) => isAllowed(action, state)));
