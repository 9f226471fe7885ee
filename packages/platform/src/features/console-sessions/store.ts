import type { Database, Instant, Write } from '@jackfield/ports';
import { linksExpiredBefore, removeLinks, takeLink } from './link-store.ts';
import { type ConsoleSessionRow, tablesOf } from './tables.ts';

export type ConsoleSessionStore = ReturnType<typeof createConsoleSessionStore>;

/** SQL of sessions. */
export function createConsoleSessionStore(database: Pick<Database, 'read' | 'transact'>) {
  const { read, transact } = database;
  const sessions = () => tablesOf(read).selectFrom('console_sessions').selectAll();

  return {
    find: (sessionHash: string): Promise<ConsoleSessionRow | undefined> =>
      sessions().where('session_hash', '=', sessionHash).executeTakeFirst(),

    /** Newest first. */
    list: (account: string, now: Instant): Promise<readonly ConsoleSessionRow[]> =>
      sessions()
        .where('account', '=', account)
        .where('expires_at', '>', now)
        .orderBy('created_at', 'desc')
        .orderBy('session_id')
        .execute(),

    /** Removes the oldest sessions of the account beyond `most`, and the session that the browser had before. */
    insert: (row: ConsoleSessionRow, most: number, replacedHash: string | undefined): Promise<void> =>
      transact(async (write) => {
        if (replacedHash !== undefined) await removeSession(write, replacedHash);
        await tablesOf(write).insertInto('console_sessions').values(row).execute();
        const surplus = await tablesOf(write)
          .selectFrom('console_sessions')
          .select('session_hash')
          .where('account', '=', row.account)
          .orderBy('created_at', 'desc')
          .orderBy('session_id')
          .offset(most)
          .limit(most)
          .execute();
        for (const { session_hash } of surplus) await removeSession(write, session_hash);
      }),

    /** False when the session is gone meanwhile. */
    prolong: (sessionHash: string, usedAt: Instant, expiresAt: Instant): Promise<boolean> =>
      transact(async (write) => {
        const changed = await tablesOf(write)
          .updateTable('console_sessions')
          .set({ used_at: usedAt, expires_at: expiresAt })
          .where('session_hash', '=', sessionHash)
          .executeTakeFirst();
        return changed.numUpdatedRows > 0n;
      }),

    remove: (sessionHash: string): Promise<void> => transact((write) => removeSession(write, sessionHash)),

    /** False when the account has no such session. */
    removeNamed: (account: string, sessionId: string): Promise<boolean> =>
      transact(async (write) => {
        const removed = await tablesOf(write)
          .deleteFrom('console_sessions')
          .where('session_id', '=', sessionId)
          .where('account', '=', account)
          .executeTakeFirst();
        return removed.numDeletedRows > 0n;
      }),

    /** Links too: a link that is not used yet would open another session. */
    removeAll: (account: string): Promise<void> => transact((write) => removeOf(write, account)),

    removeOf,

    /** Writes only where something has expired. */
    async removeExpired(before: Instant, limit: number): Promise<number> {
      const [old, links] = await Promise.all([
        tablesOf(read)
          .selectFrom('console_sessions')
          .select('session_hash')
          .where('expires_at', '<', before)
          .limit(limit)
          .execute(),
        linksExpiredBefore(read, before, limit),
      ]);
      if (old.length + links.length === 0) return 0;
      await transact(async (write) => {
        for (const { session_hash } of old) await removeExpiredSession(write, session_hash, before);
        for (const link of links) await takeLink(write, link);
      });
      return Math.max(old.length, links.length);
    },
  };
}

async function removeSession(write: Write, sessionHash: string): Promise<void> {
  await tablesOf(write).deleteFrom('console_sessions').where('session_hash', '=', sessionHash).execute();
}

/** Unless a request has prolonged it meanwhile. */
async function removeExpiredSession(write: Write, sessionHash: string, before: Instant): Promise<void> {
  await tablesOf(write)
    .deleteFrom('console_sessions')
    .where('session_hash', '=', sessionHash)
    .where('expires_at', '<', before)
    .execute();
}

async function removeOf(write: Write, account: string): Promise<void> {
  await tablesOf(write).deleteFrom('console_sessions').where('account', '=', account).execute();
  await removeLinks(write, account);
}
