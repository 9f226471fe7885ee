import type { RequestAccount } from './api-request.ts';

/**
 * Where the things below a path live, on a database that several nodes share. Requests that change them are carried out at that node;
 * reads are answered by every node, from the records.
 */
export interface ResourceHome {
  /** The beginning of the paths below the account's, with its parameter: `Call/:call_uuid/`. */
  readonly under: string;
  /** The incarnation in which the thing lives; undefined where nothing lives that the account may see. */
  of(account: RequestAccount, params: Readonly<Record<string, string>>): Promise<number | undefined>;
}

export function homeOf(
  homes: readonly ResourceHome[],
  { method, path }: { readonly method: string; readonly path: string },
): ResourceHome | undefined {
  return method === 'GET' ? undefined : homes.find(({ under }) => path.startsWith(under));
}
