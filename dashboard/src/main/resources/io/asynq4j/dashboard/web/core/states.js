// The states of tasks, in the order they are shown, and what can be done in each; the same as in JobRequest.java.

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

const WAITING = ['pending', 'scheduled', 'retry', 'archived'];

export const ACTIONS = {
  run: {label: 'Run now', icon: 'play', states: STATES.filter((s) => s !== 'active' && s !== 'pending')},
  archive: {label: 'Archive', icon: 'archive', states: STATES.filter((s) => s !== 'active' && s !== 'archived')},
  delete: {label: 'Delete', icon: 'trash', danger: true, states: STATES.filter((s) => s !== 'active')},
  cancel: {label: 'Cancel', icon: 'stop', danger: true, states: ['active']},
  move: {label: 'Move', icon: 'move', states: WAITING},
  reschedule: {label: 'Reschedule', icon: 'clock', states: WAITING},
};

export const actionsOf = (state) => Object.keys(ACTIONS).filter((action) => ACTIONS[action].states.includes(state));
