import type { Migration } from '@jackfield/ports';

/**
 * `verify_sessions_alive` guarantees one live code for a recipient. The indexes after it answer the lists of a main
 * account and of a subaccount and their filters, newest first; `verify_sessions_open` is for restart. Counters are kept by windows
 * and swept by their start.
 */
export const verifyTables: Migration = {
  name: 'verify/0001-verify',
  sql: `
CREATE TABLE verify_sessions (
  session_uuid TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  app_uuid TEXT NOT NULL,
  alias TEXT NOT NULL,
  recipient TEXT NOT NULL,
  country TEXT,
  requestor_ip TEXT,
  status TEXT NOT NULL,
  callback_url TEXT,
  callback_method TEXT,
  template TEXT NOT NULL,
  code_length INTEGER NOT NULL,
  code_hash TEXT NOT NULL,
  sealed_code TEXT,
  max_attempts INTEGER NOT NULL,
  max_checks INTEGER NOT NULL,
  checks INTEGER NOT NULL,
  voice_fallback INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  closed_at BIGINT,
  brand_name TEXT,
  app_hash TEXT
);
CREATE UNIQUE INDEX verify_sessions_alive ON verify_sessions (account, app_uuid, recipient) WHERE status = 'in-progress';
CREATE INDEX verify_sessions_by_main_account ON verify_sessions (main_account, created_at, session_uuid);
CREATE INDEX verify_sessions_by_account ON verify_sessions (account, created_at, session_uuid);
CREATE INDEX verify_sessions_by_recipient ON verify_sessions (main_account, recipient, created_at);
CREATE INDEX verify_sessions_by_app ON verify_sessions (main_account, app_uuid, created_at);
CREATE INDEX verify_sessions_by_status ON verify_sessions (main_account, status, created_at);
CREATE INDEX verify_sessions_by_country ON verify_sessions (main_account, country, created_at);
CREATE INDEX verify_sessions_by_alias ON verify_sessions (main_account, alias, created_at);
CREATE INDEX verify_sessions_by_brand ON verify_sessions (main_account, brand_name, created_at) WHERE brand_name IS NOT NULL;
CREATE INDEX verify_sessions_by_hash ON verify_sessions (main_account, app_hash, created_at) WHERE app_hash IS NOT NULL;
CREATE INDEX verify_sessions_open ON verify_sessions (session_uuid) WHERE closed_at IS NULL;

CREATE TABLE verify_attempts (
  attempt_uuid TEXT PRIMARY KEY,
  session_uuid TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  channel TEXT NOT NULL,
  status TEXT NOT NULL,
  error_code TEXT,
  created_at BIGINT NOT NULL,
  locale TEXT NOT NULL,
  brand_name TEXT,
  app_hash TEXT,
  dtmf INTEGER NOT NULL,
  fraud_check TEXT,
  sender TEXT,
  message TEXT
);
CREATE UNIQUE INDEX verify_attempts_by_session ON verify_attempts (session_uuid, sequence);
CREATE INDEX verify_attempts_by_message ON verify_attempts (message, created_at) WHERE message IS NOT NULL;

CREATE TABLE verify_apps (
  app_uuid TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  alias TEXT NOT NULL,
  brand_name TEXT NOT NULL,
  code_length INTEGER NOT NULL,
  code_expiry INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  max_validations INTEGER NOT NULL,
  sms_template TEXT NOT NULL,
  app_hash TEXT NOT NULL,
  sender TEXT NOT NULL,
  fraud_shield TEXT NOT NULL,
  allowed_countries TEXT NOT NULL,
  voice_fallback INTEGER NOT NULL,
  is_default INTEGER NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX verify_apps_default ON verify_apps (account) WHERE is_default = 1;
CREATE INDEX verify_apps_by_account ON verify_apps (account, created_at, app_uuid);
CREATE INDEX verify_apps_by_main_account ON verify_apps (main_account, created_at, app_uuid);

CREATE TABLE verify_counters (
  name TEXT NOT NULL,
  window_start BIGINT NOT NULL,
  total BIGINT NOT NULL,
  PRIMARY KEY (name, window_start)
);
CREATE INDEX verify_counters_by_start ON verify_counters (window_start);
`,
};
