// The states of tasks, in the order they are shown, and how the actions on them look. Which action is possible in which
// state is in the session that the API returns.

import {session} from './api.js';

export const STATES = ['active', 'pending', 'aggregating', 'scheduled', 'retry', 'archived', 'completed'];

export const WHAT = {
  active: 'being worked on',
  pending: 'ready to run',
  aggregating: 'waiting in a group',
  scheduled: 'to run later',
  retry: 'failed, will run again',
  archived: 'failed for good, kept',
  completed: 'done, kept for a while',
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
