import type { Migration } from '@jackfield/ports';

/** Each filter has an index that gives its list newest first too: without that SQLite walks through all recordings of the account. */
export const indexesOfFilters: Migration = {
  name: 'recordings/0003-indexes-of-filters',
  contracts: 'indexes',
  sql: `
DROP INDEX recordings_by_call;
DROP INDEX recordings_by_mpc;
DROP INDEX recordings_by_mpc_name;
DROP INDEX recordings_by_from;
DROP INDEX recordings_by_to;
CREATE INDEX recordings_by_call ON recordings (main_account, call_uuid, created_at, recording_id);
CREATE INDEX recordings_by_mpc ON recordings (main_account, mpc_uuid, created_at, recording_id);
CREATE INDEX recordings_by_mpc_name ON recordings (main_account, mpc_name, created_at, recording_id);
CREATE INDEX recordings_by_from ON recordings (main_account, from_number, created_at, recording_id);
CREATE INDEX recordings_by_to ON recordings (main_account, to_number, created_at, recording_id);
CREATE INDEX recordings_by_age ON recordings (main_account, closed_at);
CREATE INDEX recordings_by_age_of_account ON recordings (account, closed_at);
`,
};
