import type { Migration } from '@jackfield/ports';

/** Of all accounts, for the removal of old calls. */
export const multipartyCallsByEnd: Migration = {
  name: 'multiparty-calls/0006-multiparty-calls-by-end',
  sql: 'CREATE INDEX multiparty_calls_ended ON multiparty_calls (ended_at) WHERE ended_at IS NOT NULL;',
};
