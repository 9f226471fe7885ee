import type { Migration } from '@jackfield/ports';

/** The two filters that few values divide, for both views. */
export const callFilters: Migration = {
  name: 'calls/0003-call-filters',
  sql: `
CREATE INDEX calls_by_source ON calls (main_account, hangup_source, ended_at, call_uuid) WHERE ended_at IS NOT NULL;
CREATE INDEX calls_by_direction ON calls (main_account, direction, ended_at, call_uuid) WHERE ended_at IS NOT NULL;
CREATE INDEX calls_of_sub_by_source ON calls (account, hangup_source, ended_at, call_uuid)
  WHERE ended_at IS NOT NULL AND account <> main_account;
CREATE INDEX calls_of_sub_by_direction ON calls (account, direction, ended_at, call_uuid)
  WHERE ended_at IS NOT NULL AND account <> main_account;
`,
};
