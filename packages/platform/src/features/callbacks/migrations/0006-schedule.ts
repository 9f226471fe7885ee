import type { Migration } from '@jackfield/ports';

/** For replays; null for a delivery without a schedule, and for those before this migration. */
export const callbackSchedules: Migration = {
  name: 'callbacks/0006-schedule',
  sql: 'ALTER TABLE callbacks ADD COLUMN schedule TEXT;',
};
