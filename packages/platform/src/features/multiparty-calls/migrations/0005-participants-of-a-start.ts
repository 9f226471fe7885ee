import type { Migration } from '@jackfield/ports';

/** Status callbacks of participants, and the participant who started the call; in earlier calls, the participant whose entry started it. */
export const participantsOfAStart: Migration = {
  name: 'multiparty-calls/0005-participants-of-a-start',
  sql: `
ALTER TABLE multiparty_participants ADD COLUMN status_callback_url TEXT;
ALTER TABLE multiparty_participants ADD COLUMN status_callback_method TEXT;
ALTER TABLE multiparty_participants ADD COLUMN status_callback_events TEXT;
ALTER TABLE multiparty_participants ADD COLUMN has_started INTEGER NOT NULL DEFAULT 0;
UPDATE multiparty_participants SET has_started = 1 WHERE starts_on_enter = 1 AND joined_at =
  (SELECT started_at FROM multiparty_calls WHERE multiparty_calls.mpc_uuid = multiparty_participants.mpc_uuid);
`,
};
