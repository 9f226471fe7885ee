import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

/** Rows that a session of the test has locked: a process that changes one of them waits, in the middle of its work. */
export class HeldRows {
  readonly #client: Client;
  #isLost = false;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** `query` selects the rows, without its FOR UPDATE. */
  static async take(url: string, query: string, values: readonly unknown[]): Promise<HeldRows> {
    const client = new Client(url);
    const held = new HeldRows(client);
    // PostgreSQL may go away while the rows are held.
    client.on('error', () => {
      held.#isLost = true;
    });
    await client.connect();
    await client.query('BEGIN');
    await client.query(`${query} FOR UPDATE`, [...values]);
    return held;
  }

  /** Resolves when a process waits for one of the rows. */
  async waitedFor(): Promise<void> {
    for (;;) {
      // A transaction sees the connections of its first look, and the connection that waits may be newer.
      await this.#client.query('SELECT pg_stat_clear_snapshot()');
      const { rows } = await this.#client.query(
        'SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))',
      );
      if (rows.length > 0) return;
      await pause(20);
    }
  }

  async release(): Promise<void> {
    if (!this.#isLost) await this.#client.end();
  }
}
