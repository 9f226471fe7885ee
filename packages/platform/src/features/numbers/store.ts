import type { Database } from '@jackfield/ports';
import { createAccountTotals } from '../../kernel/account-totals.ts';
import { createOwnedRows, type OwnedRows } from '../accounts/index.ts';
import type { NumberRow } from './tables.ts';

export type NumberStore = OwnedRows<NumberRow>;

export function createNumberStore(database: Pick<Database, 'read' | 'dialect'>): NumberStore {
  return createOwnedRows<NumberRow>(database, {
    table: 'numbers',
    id: 'number',
    totals: createAccountTotals(database.read, 'number_totals'),
  });
}
