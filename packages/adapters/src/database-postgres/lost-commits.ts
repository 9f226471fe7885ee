import { setTimeout as pause } from 'node:timers/promises';
import type { Read } from '@jackfield/ports';
import { sql } from 'kysely';
import { saysUnknownTransaction } from './unavailable-error.ts';

/** Commits whose answer was lost with their connection. */
export interface LostCommits {
  /** Asks until the server knows; undefined when `close` is called before. */
  wasCommitted(transaction: string): Promise<boolean | undefined>;
  /** Ends all questions; resolves when the last one has ended. */
  close(): Promise<void>;
}

/** The pause between two questions, while the server is unreachable or still runs the transaction, at most until its idle timeout. */
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
      // Null: the server has forgotten the transaction, which never happens while it is open.
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
