import type { Migration } from '@jackfield/ports';

/** The deletion of an application finds its endpoints. */
export const sipEndpointsByApplication: Migration = {
  name: 'sip-endpoints/0002-by-application',
  sql: `
CREATE INDEX sip_endpoints_by_application ON sip_endpoints (application_id) WHERE application_id IS NOT NULL;
`,
};
