import type { Database, Write } from '@jackfield/ports';
import { type CompiledQuery, sql } from 'kysely';
import { tablesOf } from '../tables.ts';

/** Calls that end at the same time wait for each other only when they share a slot. */
const slots = 16;

/** A call whose record is removed, with the accounts that counted it. */
export interface CountedCall {
  readonly call_uuid: string;
  readonly account: string;
  readonly main_account: string;
}

/** Numbers of ended calls, by account and slot. */
export class CallTotals {
  readonly #count: CompiledQuery;

  constructor({ read }: Pick<Database, 'read'>) {
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

  async change(write: Write, account: string, slot: number, by: number): Promise<void> {
    await write.executeQuery({ ...this.#count, parameters: [account, slot, by] });
  }

  async add(write: Write, account: string, callUuid: string): Promise<void> {
    await this.change(write, account, slotOf(callUuid), 1);
  }

  /** Changes each row of the totals once, in one order for all transactions. */
  async remove(write: Write, calls: readonly CountedCall[]): Promise<void> {
    const changes = new Map<string, number>();
    for (const { call_uuid, account, main_account } of calls) {
      for (const each of new Set([main_account, account])) {
        const key = `${each}/${slotOf(call_uuid)}`;
        changes.set(key, (changes.get(key) ?? 0) - 1);
      }
    }
    for (const [key, by] of [...changes].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const [account = '', slot] = key.split('/');
      await this.change(write, account, Number(slot), by);
    }
  }
}

function slotOf(uuid: string): number {
  return uuid.charCodeAt(uuid.length - 1) % slots;
}
