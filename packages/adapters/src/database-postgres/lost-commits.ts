import { setTimeout as pause } from 'node:timers/promises';
import type { Read } from '@jackfield/ports';
import { sql } from 'kysely';
import { saysUnknownTransaction } from './unavailable-error.ts';

/** Commits whose answer was lost with their connection. */
export interface LostCommits {
  /** Asks until the server knows; undefined when `close` comes before. */
  wasCommitted(transaction: string): Promise<boolean | undefined>;
  /** Resolves when nothing is asked any more. */
  close(): Promise<void>;
}

/** While the server is away, or still runs the transaction: it ends it at the latest with its idle timeout. */
const askAgainMs = 200;

export function createLostCommits(read: Read): LostCommits {
  const closing = new AbortController();
  const asking = new Set<Promise<unknown>>();

  async function untilKnown(transaction: string): Promise<boolean | undefined> {
    while (!closing.signal.aborted) {
      const status = await statusOf(transaction).catch((error: unknown) =>
        saysUnknownTransaction(error) ? 'aborted' : undefined,
      );
      if (status === 'committed') return true;
      // None: so old that the server has forgotten it, which an open transaction never is.
      if (status === 'aborted' || status === null) return false;
      await pause(askAgainMs, undefined, { signal: closing.signal }).catch(() => {});
    }
    return undefined;
  }

  async function statusOf(transaction: string): Promise<string | null | undefined> {
    const { rows } = await sql<{ status: string | null }>`
      SELECT pg_xact_status(${transaction}::xid8) AS status`.execute(read);
    return rows[0]?.status;
  }

  return {
    wasCommitted(transaction) {
      const known = untilKnown(transaction).finally(() => asking.delete(known));
      asking.add(known);
      return known;
    },
    async close() {
      closing.abort();
      await Promise.all(asking);
    },
  };
}
