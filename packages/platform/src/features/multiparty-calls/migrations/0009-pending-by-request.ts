import type { Migration } from '@jackfield/ports';

/** Phones that may still join, by the request that added them: `DELETE Request/` cancels those without a call yet. */
export const pendingByRequest: Migration = {
  name: 'multiparty-calls/0009-pending-by-request',
  sql: `
CREATE INDEX multiparty_participants_pending ON multiparty_participants (request_uuid)
  WHERE joined_at IS NULL AND exited_at IS NULL;
`,
};
