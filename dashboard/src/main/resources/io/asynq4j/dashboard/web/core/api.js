// Client of the HTTP API. Every failure is an ApiError with a readable message.

const BASE = new URL('api/v1/', document.baseURI);
// fetch rejects URLs that contain credentials.
BASE.username = '';
BASE.password = '';
const TIMEOUT_MS = 20_000;

/** The session of the current user; filled once before the first page is shown. */
export const session = {role: 'viewer', redis: [], hidden: [], readOnly: false, actions: {}, requestHeader: 'X-Asynq-Request'};

let redis = null;

/** The name of the selected Redis; null for the first one. */
export const chosenRedis = () => redis;
export function chooseRedis(name) {
  redis = name && session.redis.length > 1 && name !== session.redis[0] ? name : null;
}

const RANK = {viewer: 0, operator: 1, admin: 2};
export const may = (role) => RANK[session.role] >= RANK[role];

export class ApiError extends Error {
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? `The dashboard returned HTTP status ${status}.`);
    this.status = status;
    this.kind = (problem.type ?? '').split(':').pop();
    this.title = problem.title ?? `HTTP status ${status}`;
    this.problem = problem;
  }
}

/** Encodes a name for a path; the same encoding as in PathSegmentCodec.java. */
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

/** @param request {method, path, query, body}; the curl command is made from the same object */
export async function send({method, path, query, body}, {signal} = {}) {
  const headers = {Accept: 'application/json'};
  if (method !== 'GET') {
    headers[session.requestHeader] = '1';
  }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
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
      title: 'The dashboard does not respond',
      detail: timeout.aborted
        ? 'The request timed out after 20 seconds. A change may or may not have been applied.'
        : 'The connection failed. Check that the dashboard is running and that the network is available.',
    });
  }
  const json = parsed(text);
  if (!response.ok) {
    throw new ApiError(response.status, json ?? {title: `HTTP status ${response.status}`});
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
