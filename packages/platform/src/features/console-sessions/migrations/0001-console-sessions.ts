import type { Migration } from '@jackfield/ports';

/**
 * `session_hash` and `link_hash` are keyed hashes of secrets that only a browser or a link holds. `token_mark` is the hash of the
 * account's token at the login: a changed token ends the sessions that began before.
 */
export const consoleSessionsTables: Migration = {
  name: 'console-sessions/0001-console-sessions',
  sql: `
CREATE TABLE console_sessions (
  session_hash TEXT PRIMARY KEY,
  session_id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  token_mark TEXT NOT NULL,
  role TEXT NOT NULL,
  name TEXT,
  user_agent TEXT NOT NULL,
  source_address TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  used_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX console_sessions_by_account ON console_sessions (account, created_at, session_id);
CREATE INDEX console_sessions_by_expiry ON console_sessions (expires_at);

CREATE TABLE console_links (
  link_hash TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  role TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX console_links_by_account ON console_links (account, expires_at);
CREATE INDEX console_links_by_expiry ON console_links (expires_at);
`,
};
