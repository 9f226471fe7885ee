import type { Migration } from '@jackfield/ports';
export const accountsTable: Migration = {
  name: 'accounts/0001-accounts',
  sql: `
CREATE TABLE accounts (
  position {{identity}},
  auth_id TEXT NOT NULL UNIQUE,
  parent TEXT,
  name TEXT NOT NULL,
  city TEXT NOT NULL,
  address TEXT NOT NULL,
  timezone TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  token_sealed TEXT NOT NULL,
  token_hash TEXT NOT NULL,
  subaccounts INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  modified_at BIGINT
);
CREATE INDEX accounts_by_parent ON accounts (parent, position);
`,
};
