import type { Instant, Write } from '@jackfield/ports';
import type { CompiledQuery } from 'kysely';
import type { GoneBinding, GoneQueries } from './gone-bindings.ts';

/** Deletes bindings that end without a REGISTER, one portion at a time. */
export interface GoneBindings {
  expired(write: Write, now: Instant): Promise<DeletedBindings>;
  ofFlows(write: Write, from: string, to: string): Promise<DeletedBindings>;
}

export interface DeletedBindings {
  readonly rows: readonly GoneBinding[];
  /** False when another portion may be left. */
  readonly isLast: boolean;
}

/** Limit of the deletions of one transaction, so that it does not delay others for long. */
const batch = 500;

/**
 * `locks`: a database with concurrent transactions locks the endpoints first. A REGISTER then waits, or has committed: which endpoints
 * have no binding left is known, and its events are written before or after those of the deletion.
 */
export function createGoneBindings(locks: boolean, queries: GoneQueries): GoneBindings {
  async function deleteRows(
    write: Write,
    lock: CompiledQuery<{ readonly endpoint_id: string }>,
    all: CompiledQuery<GoneBinding>,
    of: (endpoint: string) => CompiledQuery<GoneBinding>,
  ): Promise<DeletedBindings> {
    if (!locks) {
      const { rows } = await write.executeQuery(all);
      return { rows, isLast: rows.length < batch };
    }
    const { rows: endpoints } = await write.executeQuery(lock);
    // A new statement: it sees what was committed before the locks were granted.
    const deleted = await Promise.all(
      endpoints.map(({ endpoint_id }) => write.executeQuery(of(endpoint_id))),
    );
    return { rows: deleted.flatMap(({ rows }) => rows), isLast: endpoints.length === 0 };
  }

  return {
    expired: (write, now) =>
      deleteRows(write, queries.lockExpired(now, batch), queries.expired(now, batch), (endpoint) =>
        queries.expiredOf(endpoint, now),
      ),
    ofFlows: (write, from, to) =>
      deleteRows(write, queries.lockOfFlows(from, to, batch), queries.ofFlows(from, to, batch), (endpoint) =>
        queries.ofFlowsOf(endpoint, from, to),
      ),
  };
}
