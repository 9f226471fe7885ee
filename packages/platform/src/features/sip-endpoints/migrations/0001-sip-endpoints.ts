import type { Migration } from '@jackfield/ports';
export const sipEndpointsTables: Migration = {
  name: 'sip-endpoints/0001-sip-endpoints',
  sql: `
CREATE TABLE sip_endpoints (
  position {{identity}},
  endpoint_id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  username TEXT NOT NULL UNIQUE,
  base_name TEXT NOT NULL,
  stamp BIGINT NOT NULL,
  alias TEXT NOT NULL,
  application_id TEXT,
  password_md5_sealed TEXT NOT NULL,
  ha1_md5 TEXT NOT NULL,
  ha1_sha256 TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX sip_endpoints_by_account ON sip_endpoints (account, position);
CREATE INDEX sip_endpoints_by_main_account ON sip_endpoints (main_account, position);
CREATE UNIQUE INDEX sip_endpoints_by_base_name ON sip_endpoints (base_name, stamp);

CREATE TABLE sip_endpoint_totals (
  account TEXT PRIMARY KEY,
  total INTEGER NOT NULL
);

CREATE TABLE sip_bindings (
  endpoint_id TEXT NOT NULL,
  contact TEXT NOT NULL,
  flow TEXT {{bytewise}} NOT NULL,
  q DOUBLE PRECISION NOT NULL,
  expires_at BIGINT NOT NULL,
  call_id TEXT NOT NULL,
  cseq BIGINT NOT NULL,
  user_agent TEXT NOT NULL,
  registered_at BIGINT NOT NULL,
  PRIMARY KEY (endpoint_id, contact)
);
CREATE INDEX sip_bindings_by_flow ON sip_bindings (flow);
CREATE INDEX sip_bindings_by_expiry ON sip_bindings (expires_at);
`,
};
