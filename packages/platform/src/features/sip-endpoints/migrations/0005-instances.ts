import type { Migration } from '@jackfield/ports';

/**
 * Phones that have registered with an instance (RFC 5627): their GRUU stays valid while they are not registered. Of several contacts of a
 * phone, the Call-ID of the last refreshed contact counts.
 */
export const sipInstances: Migration = {
  name: 'sip-endpoints/0005-instances',
  sql: `
ALTER TABLE sip_bindings ADD COLUMN refreshed_at BIGINT NOT NULL DEFAULT 0;
CREATE TABLE sip_instances (
  endpoint_id TEXT NOT NULL,
  instance TEXT NOT NULL,
  first_at BIGINT NOT NULL,
  PRIMARY KEY (endpoint_id, instance)
);
INSERT INTO sip_instances (endpoint_id, instance, first_at)
  SELECT DISTINCT endpoint_id, instance, 0 FROM sip_bindings WHERE instance <> '';
`,
};
