import type { Read } from '@jackfield/ports';
import type { Generated, Kysely } from 'kysely';
import type { ApplicationSettings } from './parameters.ts';

type Flag = 0 | 1;

/** Settings as columns: booleans are 0 and 1. */
type SettingColumns = {
  [Name in keyof ApplicationSettings]: ApplicationSettings[Name] extends boolean
    ? Flag
    : ApplicationSettings[Name];
};

export type ApplicationRow = SettingColumns & {
  app_id: string;
  account: string;
  /** The main account of `account`, or `account` itself: a main account lists the applications of its subaccounts. */
  main_account: string;
  created_at: number;
};

export type ApplicationsTables = {
  /** `position` is the order of creation. */
  applications: ApplicationRow & { position: Generated<number> };
};

/** For a transaction as well: a Write is a Read. */
export const tablesOf = (read: Read): Kysely<ApplicationsTables> => read.withTables<ApplicationsTables>();
