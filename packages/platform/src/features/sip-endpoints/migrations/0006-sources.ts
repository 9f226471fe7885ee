import type { Migration } from '@jackfield/ports';

/** Transport and address of the phone of each binding, for the list of an endpoint's devices; empty for older bindings. */
export const sipBindingsSources: Migration = {
  name: 'sip-endpoints/0006-sources',
  sql: `
ALTER TABLE sip_bindings ADD COLUMN transport TEXT NOT NULL DEFAULT '';
ALTER TABLE sip_bindings ADD COLUMN source TEXT NOT NULL DEFAULT '';
`,
};
