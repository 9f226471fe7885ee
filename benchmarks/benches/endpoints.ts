import type { StartedPlatform } from './api.ts';

export interface BenchEndpoint {
  readonly endpointId: string;
  readonly username: string;
}

export const password = 'benchmark';
const atOnce = 16;

/** Creates one object through the API and returns the body of the answer. */
export async function create(
  { http, authId, authorization }: StartedPlatform,
  path: string,
  body: object,
): Promise<Readonly<Record<string, string>>> {
  const response = await fetch(`http://127.0.0.1:${http.port}/v1/Account/${authId}/${path}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const created = (await response.json()) as Readonly<Record<string, string>>;
  if (response.status !== 201) throw new Error(`POST ${path} was refused: ${JSON.stringify(created)}`);
  return created;
}

/** Creates this many endpoints through the API. */
export async function createEndpoints(
  started: StartedPlatform,
  count: number,
  prefix: string,
  appId?: string,
): Promise<readonly BenchEndpoint[]> {
  const created: BenchEndpoint[] = [];
  let next = 0;
  const createNext = async () => {
    while (next < count) {
      const username = `${prefix}${(next++).toString(36)}`;
      const body = { username, password, alias: 'bench-phone', ...(appId && { app_id: appId }) };
      const endpoint = await create(started, 'Endpoint/', body);
      created.push({ endpointId: endpoint.endpoint_id!, username: endpoint.username! });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, createNext));
  return created;
}
