import type { RequestAccount } from './api-request.ts';

/** The parts of a request that say which things it concerns. */
export interface NamingParts {
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * Where the things of some operations live, on a database that several nodes share. Requests that change them are carried out at that
 * node; reads are answered by every node, from the records.
 */
export interface ResourceHome {
  /** The beginning of paths below the account's (`Call/:call_uuid/`), for all operations that change something; or one operation, `POST Call/`. */
  readonly operations: string;
  /**
   * The incarnation in which the thing lives; undefined where nothing lives that the account may see. Several: each of them and this
   * node carry the request out for what lives there.
   */
  of(account: RequestAccount, parts: NamingParts): Promise<number | readonly number[] | undefined>;
}

export function homeOf(
  homes: readonly ResourceHome[],
  { method, path }: { readonly method: string; readonly path: string },
): ResourceHome | undefined {
  if (method === 'GET') return undefined;
  return homes.find(({ operations }) => operations === `${method} ${path}` || path.startsWith(operations));
}
