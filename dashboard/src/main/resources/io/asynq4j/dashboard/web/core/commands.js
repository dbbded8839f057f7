// Every action as something that can be pasted into a terminal.

import {chosenRedis, session, url} from './api.js';

/** For a POSIX shell. */
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

/** cli('task', 'run', {queue: 'mail', id: 'x'}); true stands for a switch, null for nothing. */
export function cli(...parts) {
  const words = ['asynq'];
  for (const part of parts) {
    if (typeof part === 'string') {
      words.push(shell(part));
      continue;
    }
    for (const [key, value] of Object.entries(part)) {
      const option = `--${key}`;
      if (value === true) {
        words.push(option);
      } else if (Array.isArray(value)) {
        value.forEach((each) => words.push(option, shell(each)));
      } else if (value !== null && value !== undefined && value !== '' && value !== false) {
        words.push(option, shell(String(value)));
      }
    }
  }
  return chosenRedis() ? `${words.join(' ')}   # on ${chosenRedis()}` : words.join(' ');
}
