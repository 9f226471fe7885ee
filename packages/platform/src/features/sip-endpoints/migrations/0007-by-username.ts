import type { Migration } from '@jackfield/ports';

/** A search by the beginning of a username reads the account's own endpoints alone. */
export const sipEndpointsByUsername: Migration = {
  name: 'sip-endpoints/0007-by-username',
  sql: `
CREATE INDEX sip_endpoints_by_account_and_name ON sip_endpoints (account, username {{bytewise}});
CREATE INDEX sip_endpoints_by_main_account_and_name ON sip_endpoints (main_account, username {{bytewise}});
`,
};
