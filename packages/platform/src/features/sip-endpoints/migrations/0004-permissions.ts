import type { Migration } from '@jackfield/ports';

/** What the token of a phone allows outlives its REGISTER: it counts for what the phone asks for in calls that it takes. */
export const sipBindingsPermissions: Migration = {
  name: 'sip-endpoints/0004-permissions',
  sql: 'ALTER TABLE sip_bindings ADD COLUMN may_call INTEGER NOT NULL DEFAULT 1;',
};
