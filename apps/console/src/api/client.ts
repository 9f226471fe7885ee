import { texts } from '../texts/en-table.ts';
import { ApiError } from './api-error.ts';
import { noteLost } from './connection.svelte.ts';
import { watched } from './pending.svelte.ts';
import { noteRequest } from './sent-requests.svelte.ts';
import { noteDate } from './server-clock.ts';

/** The server answers the longest of its lists within a few seconds. */
const longestAnswerMs = 30_000;

export type Method = 'GET' | 'POST' | 'DELETE';

/** The account of the session, and what happens when the server no longer knows the session. */
let account = '';
let onLost: () => void = () => {};

export function useAccount(authId: string, lost: () => void): void {
  account = authId;
  onLost = lost;
}

/** The whole path of one below the account. */
export function pathOf(path: string): string {
  return `/v1/Account/${account}/${path}`;
}

/** One request of the API; the cookie of the session goes with it. Throws an `ApiError` for every other answer than a success. */
export async function api<Body>(method: Method, path: string, body?: object): Promise<Body> {
  noteRequest({ method, path, ...(body === undefined ? {} : { body }) });
  return send(method, pathOf(path), body);
}

/** A GET that the reader did not cause, such as the next page: not among the requests that are shown as curl. */
export function quietly<Body>(path: string): Promise<Body> {
  return send('GET', pathOf(path));
}

export async function send<Body>(method: Method, url: string, body?: object): Promise<Body> {
  const init = {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  return watched(answeredBody(url, init));
}

/** The body of a success. A connection that is dead, although nothing has closed it, is given up. */
async function answeredBody<Body>(url: string, init: RequestInit): Promise<Body> {
  const abort = new AbortController();
  const limit = setTimeout(() => abort.abort(), longestAnswerMs);
  try {
    const response = await answerTo(url, { ...init, signal: abort.signal });
    return response.status === 204 ? (undefined as Body) : ((await response.json()) as Body);
  } catch (fault) {
    throw fault instanceof ApiError ? fault : unreachable();
  } finally {
    clearTimeout(limit);
  }
}

/** The response of a success; its body is not read yet. */
export async function answerTo(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: 'same-origin', ...init });
  } catch (fault) {
    if (init.signal?.aborted) throw fault;
    throw unreachable();
  }
  noteDate(response.headers.get('date'));
  if (response.ok) return response;
  const { error, error_code } = await response.json().then(
    (failure: { error?: string; error_code?: string }) => failure,
    () => ({ error: undefined, error_code: undefined }),
  );
  if (response.status === 401) onLost();
  throw new ApiError(response.status, error_code ?? '', error ?? texts.refused(response.status));
}

function unreachable(): ApiError {
  noteLost();
  return new ApiError(0, '', texts.unreachable);
}

/** A page of a list. */
export interface Page<Item> {
  readonly objects: readonly Item[];
  readonly meta: { readonly total_count: number; readonly offset: number; readonly limit: number };
}

/** A query such as `offset=20&status=failed`; empty values are left out. */
export function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
