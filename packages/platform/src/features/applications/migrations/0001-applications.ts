import type { Migration } from '@jackfield/ports';

/**
 * The unique indexes of the defaults ensure that an account has at most one of each kind. `applications_by_owner` serves the
 * filter by subaccount: without it SQLite scans everything that the main account sees.
 */
export const applicationsTables: Migration = {
  name: 'applications/0001-applications',
  sql: `
CREATE TABLE applications (
  position {{identity}},
  app_id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  app_name TEXT {{bytewise}} NOT NULL,
  answer_url TEXT NOT NULL,
  answer_method TEXT NOT NULL,
  hangup_url TEXT NOT NULL,
  hangup_method TEXT NOT NULL,
  fallback_answer_url TEXT NOT NULL,
  fallback_method TEXT NOT NULL,
  message_url TEXT NOT NULL,
  message_method TEXT NOT NULL,
  default_number_app INTEGER NOT NULL,
  default_endpoint_app INTEGER NOT NULL,
  public_uri INTEGER NOT NULL,
  log_incoming_messages INTEGER NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX applications_by_account ON applications (account, position);
CREATE INDEX applications_by_main_account ON applications (main_account, position);
CREATE INDEX applications_by_owner ON applications (main_account, account, position);
CREATE INDEX applications_by_account_and_name ON applications (account, app_name);
CREATE INDEX applications_by_main_account_and_name ON applications (main_account, app_name);
CREATE UNIQUE INDEX applications_default_number ON applications (account) WHERE default_number_app = 1;
CREATE UNIQUE INDEX applications_default_endpoint ON applications (account) WHERE default_endpoint_app = 1;

CREATE TABLE application_totals (
  account TEXT PRIMARY KEY,
  total INTEGER NOT NULL
);
`,
};
