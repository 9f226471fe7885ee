import type { Migration } from '@jackfield/ports';

/** `username` is that of the endpoint when the trace began. */
export const sipTracesTable: Migration = {
  name: 'call-black-box/0002-sip-traces',
  sql: `
CREATE TABLE sip_traces (
  trace_id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  call_uuid TEXT,
  endpoint_id TEXT,
  username TEXT,
  began_at BIGINT NOT NULL,
  ends_at BIGINT NOT NULL
);
CREATE INDEX sip_traces_by_account ON sip_traces (account, began_at);
CREATE INDEX sip_traces_by_main_account ON sip_traces (main_account, began_at);
CREATE INDEX sip_traces_by_end ON sip_traces (ends_at);
`,
};
