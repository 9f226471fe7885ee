import type { StartedPlatform } from './api.ts';

export interface BenchEndpoint {
  readonly endpointId: string;
  readonly username: string;
}

export const password = 'benchmark';
const atOnce = 16;

/** Creates this many endpoints through the API. */
export async function createEndpoints(
  { http, authId, authorization }: StartedPlatform,
  count: number,
  prefix: string,
): Promise<readonly BenchEndpoint[]> {
  const created: BenchEndpoint[] = [];
  let next = 0;
  const create = async () => {
    while (next < count) {
      const username = `${prefix}${(next++).toString(36)}`;
      const response = await fetch(`http://127.0.0.1:${http.port}/v1/Account/${authId}/Endpoint/`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ username, password, alias: 'bench-phone' }),
      });
      const body = (await response.json()) as { readonly endpoint_id: string; readonly username: string };
      if (response.status !== 201) throw new Error(`An endpoint was refused: ${JSON.stringify(body)}`);
      created.push({ endpointId: body.endpoint_id, username: body.username });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, create));
  return created;
}
