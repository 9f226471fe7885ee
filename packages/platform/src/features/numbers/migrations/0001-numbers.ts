import type { Migration } from '@jackfield/ports';
export const numbersTable: Migration = {
  name: 'numbers/0001-numbers',
  sql: `
CREATE TABLE numbers (
  position {{identity}},
  number TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  alias TEXT NOT NULL,
  app_id TEXT,
  trunk_id TEXT,
  created_at BIGINT NOT NULL
);
CREATE INDEX numbers_by_account ON numbers (account, position);
CREATE INDEX numbers_by_main_account ON numbers (main_account, position);
CREATE INDEX numbers_by_trunk ON numbers (trunk_id, position) WHERE trunk_id IS NOT NULL;
CREATE INDEX numbers_by_application ON numbers (app_id, position) WHERE app_id IS NOT NULL;

CREATE TABLE number_totals (
  account TEXT PRIMARY KEY,
  total INTEGER NOT NULL
);
`,
};
