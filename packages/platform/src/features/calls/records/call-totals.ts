import type { Database, Write } from '@jackfield/ports';
import { type CompiledQuery, sql } from 'kysely';
import { tablesOf } from '../tables.ts';

/** A call whose record is removed, with the accounts that counted it. */
export interface CountedCall {
  readonly account: string;
  readonly main_account: string;
}

/** Numbers of ended calls, by account and slot. Each lane of units has a slot of its own: no two transactions change one row. */
export class CallTotals {
  readonly #slotOf: Database['laneOfUnit'];
  readonly #count: CompiledQuery;

  constructor({ read, laneOfUnit }: Pick<Database, 'read' | 'laneOfUnit'>) {
    this.#slotOf = laneOfUnit;
    // Built once: building the statement costs more than running it.
    this.#count = tablesOf(read)
      .insertInto('call_totals')
      .values({ account: '', slot: 0, total: 0 })
      .onConflict((on) =>
        on
          .columns(['account', 'slot'])
          .doUpdateSet({ total: sql<number>`call_totals.total + excluded.total` }),
      )
      .compile();
  }

  async change(write: Write, account: string, by: number): Promise<void> {
    await write.executeQuery({ ...this.#count, parameters: [account, this.#slotOf(write), by] });
  }

  /** Changes each row of the totals once. */
  async remove(write: Write, calls: readonly CountedCall[]): Promise<void> {
    const changes = new Map<string, number>();
    for (const { account, main_account } of calls) {
      for (const each of new Set([main_account, account])) changes.set(each, (changes.get(each) ?? 0) - 1);
    }
    for (const [account, by] of changes) await this.change(write, account, by);
  }
}
