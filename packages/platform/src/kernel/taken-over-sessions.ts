import type { Database, Write } from '@jackfield/ports';

/** One takeover of the sessions of a kind: reads them, resumes them here, and makes their rows name this incarnation. */
export interface SessionTakeover<Left> {
  /** Those of the ended incarnation that are alive in its rows. */
  readonly read: () => Promise<readonly Left[]>;
  readonly idOf: (left: Left) => string;
  readonly resume: (left: Left) => void;
  readonly claim: (write: Write) => Promise<void>;
}

/**
 * Sessions of an ended incarnation. A takeover that fails on the way is repeated, and a claim may have been committed although its answer
 * was lost: so sessions are resumed before their rows are claimed, and none is resumed twice. Rows without a session would stay alive for ever.
 */
export class TakenOverSessions<Left> {
  readonly #database: Pick<Database, 'transact'>;
  /** Resumed by a takeover that has not succeeded: some of them may have ended since. */
  readonly #resumed = new Set<string>();

  constructor(database: Pick<Database, 'transact'>) {
    this.#database = database;
  }

  async take({ read, idOf, resume, claim }: SessionTakeover<Left>): Promise<readonly Left[]> {
    const left = await read();
    for (const each of left) {
      const id = idOf(each);
      if (this.#resumed.has(id)) continue;
      this.#resumed.add(id);
      resume(each);
    }
    if (left.length > 0) await this.#database.transact(claim, { isolation: 'read-committed' });
    this.#resumed.clear();
    return left;
  }
}
