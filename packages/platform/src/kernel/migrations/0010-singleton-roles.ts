import type { Migration } from '@jackfield/ports';

/** What only one of several processes does, and the incarnation that does it. A role without a row is free. */
export const singletonRolesTable: Migration = {
  name: 'kernel/0010-singleton-roles',
  sql: `
CREATE TABLE singleton_roles (
  name TEXT PRIMARY KEY,
  incarnation BIGINT NOT NULL
);
`,
};
