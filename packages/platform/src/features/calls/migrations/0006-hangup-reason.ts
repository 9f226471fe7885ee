import type { Migration } from '@jackfield/ports';

/** Why a call ended, as a sentence; nothing is looked up by it. */
export const hangupReason: Migration = {
  name: 'calls/0006-hangup-reason',
  sql: 'ALTER TABLE calls ADD COLUMN hangup_reason TEXT;',
};
