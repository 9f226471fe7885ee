import type { Read } from '@jackfield/ports';

// A type, not an interface: withTables asks for a record.
export type StatisticsTables = {
  call_minutes: {
    account: string;
    minute: number;
    attempts: number;
    answered: number;
    ended: number;
    mos_sum: number;
    mos_count: number;
  };
  call_minute_causes: { account: string; minute: number; cause: string; total: number };
};

/** For a transaction as well: a Write is a Read. */
export const tablesOf = (read: Read) => read.withTables<StatisticsTables>();
