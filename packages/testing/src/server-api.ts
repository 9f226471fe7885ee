import type { ApiAnswer, ApiMethod } from './api.ts';
import type { ServerAt } from './server-options.ts';
import { TestingError } from './testing-error.ts';

export interface AccountOfServer {
  readonly authId: string;
  readonly authToken: string;
}

/** Requests of one account to the HTTP interface of a server. */
export interface ServerApi {
  send(method: ApiMethod, path: string, body?: object): Promise<ApiAnswer>;
  /** The same, and an answer that is no success is an error. */
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  done(method: ApiMethod, path: string, body?: object): Promise<any>;
}

export function createServerApi({ url }: Pick<ServerAt, 'url'>, account: AccountOfServer): ServerApi {
  const { authId, authToken } = account;
  const authorization = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;

  async function send(method: ApiMethod, path: string, body?: object): Promise<ApiAnswer> {
    const target = path.startsWith('/') ? `${url}${path}` : `${url}/v1/Account/${authId}/${path}`;
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(target, {
      method,
      headers: { authorization, ...json },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      const cause = error.cause instanceof Error ? error.cause.message : error.message;
      throw new TestingError(
        'server-unreachable',
        `${method} ${target} was not answered (${cause}): start the server, or correct its URL.`,
        { cause: error },
      );
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  return {
    send,
    async done(method, path, body) {
      const answer = await send(method, path, body);
      if (answer.status < 300) return answer.body;
      throw new TestingError(
        'api-refused',
        `${method} ${path} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`,
      );
    },
  };
}
