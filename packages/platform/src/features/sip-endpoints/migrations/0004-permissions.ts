import type { Migration } from '@jackfield/ports';

/** The permission of a phone's token outlives its REGISTER: it applies to the phone's requests in calls that it answers. */
export const sipBindingsPermissions: Migration = {
  name: 'sip-endpoints/0004-permissions',
  sql: 'ALTER TABLE sip_bindings ADD COLUMN may_call INTEGER NOT NULL DEFAULT 1;',
};
