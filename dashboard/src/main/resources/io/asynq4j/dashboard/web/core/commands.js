// Terminal commands (CLI and curl) that are equivalent to an action.

import {chosenRedis, session, url} from './api.js';

/** Quotes text for a POSIX shell. */
export const shell = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${String(text).replaceAll("'", "'\\''")}'`);

export function curl({method, path, query, body}) {
  const words = ['curl'];
  if (method !== 'GET') {
    words.push('-X', method, '-H', shell(`${session.requestHeader}: 1`));
  }
  if (session.user) {
    words.push('-u', shell(session.user));
  }
  if (body !== undefined) {
    words.push('-H', shell('Content-Type: application/json'), '-d', shell(JSON.stringify(body)));
  }
  words.push(shell(url(path, query).href));
  return words.join(' ');
}

/**
 * cli('task', 'run', {queue: 'mail', id: 'x'}, ['name']): subcommands, options and positional arguments. An option with the
 * value true is a flag; null omits the option.
 */
export const cli = (...parts) => cliChain(parts);

/** Joins several commands with &&; each is an array of the arguments of cli. */
export const cliChain = (...commands) => {
  const text = commands.map(wordsOf).join(' && ');
  return chosenRedis() ? `${text}   # on ${chosenRedis()}` : text;
};

function wordsOf(parts) {
  const words = ['asynq'];
  for (const part of parts) {
    if (typeof part === 'string') {
      words.push(part);
    } else if (Array.isArray(part)) {
      // An argument may start with a dash.
      words.push(...(part.some((each) => each.startsWith('-')) ? ['--'] : []), ...part.map(shell));
    } else {
      words.push(...optionsOf(part));
    }
  }
  return words.join(' ');
}

function optionsOf(values) {
  const words = [];
  const add = (option, value) => words.push(...(value.startsWith('-') ? [`${option}=${shell(value)}`] : [option, shell(value)]));
  for (const [key, value] of Object.entries(values)) {
    if (value === true) {
      words.push(`--${key}`);
    } else if (Array.isArray(value)) {
      value.forEach((each) => add(`--${key}`, each));
    } else if (value !== null && value !== undefined && value !== '' && value !== false) {
      add(`--${key}`, String(value));
    }
  }
  return words;
}

/** Task IDs as arguments of cli. IDs that start with a dash must be positional. */
export const byId = (...ids) => (ids.some((id) => id.startsWith('-')) ? ids : {id: ids});

/** Escapes a payload for the CLI, where a leading @ denotes a file. */
export const literal = (text) => (text.startsWith('@') ? `@${text}` : text);

const BULK = {run: 'runall', archive: 'archiveall', delete: 'deleteall', cancel: 'cancelall', move: 'moveall', reschedule: 'rescheduleall'};
const BULK_TERM = /^(queue|state|group|type|id|error):(?:"((?:[^"\\]|\\.)*)"|(\S+))$/;

/** The CLI command for all tasks that match a query; null if the CLI cannot express the query. */
export function bulkCli(action, query, more) {
  const options = {};
  for (const term of query.match(/[^\s"]*"(?:[^"\\]|\\.)*"|\S+/g) ?? []) {
    const [, key, quoted, plain] = BULK_TERM.exec(term) ?? [];
    if (!key || key in options) {
      return null;
    }
    options[key] = quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1');
  }
  const {queue, state} = options;
  if (!BULK[action] || !queue || !state || queue.includes('*') || state.includes(',')) {
    return null;
  }
  if (action === 'cancel') {
    delete options.state;
  }
  return cli('task', BULK[action], options, more);
}
