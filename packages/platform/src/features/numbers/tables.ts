import type { Read } from '@jackfield/ports';
import type { Generated, Kysely } from 'kysely';

export type NumberRow = {
  /** E.164 with its +. */
  readonly number: string;
  readonly account: string;
  /** The main account of `account`, or `account` itself: a main account lists the numbers of its subaccounts. */
  readonly main_account: string;
  readonly alias: string;
  /** At most one of both is set. */
  readonly app_id: string | null;
  readonly trunk_id: string | null;
  readonly created_at: number;
};

export type NumbersTables = {
  /** `position` is the order of creation. */
  numbers: NumberRow & { position: Generated<number> };
};

/** For a transaction as well: a Write is a Read. */
export const tablesOf = (read: Read): Kysely<NumbersTables> => read.withTables<NumbersTables>();
