import type { Migration } from '@jackfield/ports';

/** Several flows of one phone may have the same contact, so the instance and its reg-id are part of the key (RFC 5626). */
export const sipBindingsFlows: Migration = {
  name: 'sip-endpoints/0003-flows',
  contracts: 'the key of sip_bindings, by which bindings were replaced',
  sql: `
CREATE TABLE sip_bindings_with_flows (
  endpoint_id TEXT NOT NULL,
  contact TEXT NOT NULL,
  instance TEXT NOT NULL,
  reg_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  flow TEXT {{bytewise}} NOT NULL,
  q DOUBLE PRECISION NOT NULL,
  expires_at BIGINT NOT NULL,
  call_id TEXT NOT NULL,
  cseq BIGINT NOT NULL,
  user_agent TEXT NOT NULL,
  registered_at BIGINT NOT NULL,
  PRIMARY KEY (endpoint_id, contact, instance, reg_id)
);
INSERT INTO sip_bindings_with_flows (endpoint_id, contact, instance, reg_id, path, flow, q, expires_at, call_id, cseq, user_agent, registered_at)
  SELECT endpoint_id, contact, '', 0, '', flow, q, expires_at, call_id, cseq, user_agent, registered_at FROM sip_bindings;
DROP TABLE sip_bindings;
ALTER TABLE sip_bindings_with_flows RENAME TO sip_bindings;
CREATE INDEX sip_bindings_by_flow ON sip_bindings (flow);
CREATE INDEX sip_bindings_by_expiry ON sip_bindings (expires_at);
`,
};
