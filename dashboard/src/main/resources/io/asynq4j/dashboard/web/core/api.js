// Calls of the HTTP API. What goes wrong is always an ApiError with words for people.

const BASE = new URL('api/v1/', document.baseURI);
// An address with a password in it would make every fetch fail.
BASE.username = '';
BASE.password = '';
const PATIENCE_MS = 20_000;

/** Who is asking; filled once before the first page is shown. */
export const session = {role: 'viewer', redis: [], hidden: [], readOnly: false, actions: {}, requestHeader: 'X-Asynq-Request'};

let redis = null;

/** The name of the chosen Redis; null for the first. */
export const chosenRedis = () => redis;
export function chooseRedis(name) {
  redis = name && session.redis.length > 1 && name !== session.redis[0] ? name : null;
}

const RANK = {viewer: 0, operator: 1, admin: 2};
export const may = (role) => RANK[session.role] >= RANK[role];

export class ApiError extends Error {
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? `The dashboard answered ${status}.`);
    this.status = status;
    this.kind = (problem.type ?? '').split(':').pop();
    this.title = problem.title ?? `Status ${status}`;
    this.problem = problem;
  }
}

/** How a name stands in a path; the same as in Names.java. */
export function name(text) {
  const isUnsafe = /[/\\%;\p{Cc}]/u.test(text) || /^\.*$/.test(text) || text.startsWith('~') || text === 'batch';
  if (!isUnsafe) {
    return encodeURIComponent(text);
  }
  const bytes = new TextEncoder().encode(text);
  const base64 = btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(''));
  return '~' + base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export const queuePath = (queue) => `queues/${name(queue)}`;
export const taskPath = (queue, id) => `queues/${name(queue)}/tasks/${name(id)}`;

export function url(path, query = {}) {
  const target = new URL(path, BASE);
  const all = redis ? {...query, redis} : query;
  for (const [key, value] of Object.entries(all)) {
    if (value !== null && value !== undefined && value !== '') {
      target.searchParams.set(key, value);
    }
  }
  return target;
}

export const get = (path, query, options) => send({method: 'GET', path, query}, options);

/** @param request {method, path, query, body}: the same that is shown as a curl command */
export async function send({method, path, query, body}, {signal} = {}) {
  const headers = {Accept: 'application/json'};
  if (method !== 'GET') {
    headers[session.requestHeader] = '1';
  }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  const timeout = AbortSignal.timeout(PATIENCE_MS);
  let response;
  let text;
  try {
    response = await fetch(url(path, query), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      cache: 'no-store',
    });
    text = await response.text();
  } catch (e) {
    if (signal?.aborted) {
      throw e;
    }
    throw new ApiError(0, {
      type: 'unreachable',
      title: 'The dashboard does not answer',
      detail: timeout.aborted
        ? 'It gave no answer within 20 seconds. Whether a change was made is not known.'
        : 'The connection to it failed. It may have been stopped, or the network is away.',
    });
  }
  const json = parsed(text);
  if (!response.ok) {
    throw new ApiError(response.status, json ?? {title: `Status ${response.status}`});
  }
  return json;
}

function parsed(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
