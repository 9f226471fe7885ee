import type { Migration } from '@jackfield/ports';
export const idempotencyTable: Migration = {
  name: 'http/0001-idempotency',
  sql: `
CREATE TABLE idempotency_records (
  account TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  status INTEGER,
  sealed_body TEXT,
  PRIMARY KEY (account, idempotency_key)
);
CREATE INDEX idempotency_records_by_age ON idempotency_records (created_at);
`,
};
