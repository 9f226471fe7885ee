import type { Migration } from '@jackfield/ports';

/** `entry` is JSON: nothing is looked up by its parts. `position` is the order, and bounds the number of rows. */
export const callBlackBoxTable: Migration = {
  name: 'call-black-box/0001-call-black-box',
  sql: `
CREATE TABLE call_black_box (
  position {{identity}},
  call_uuid TEXT NOT NULL,
  kind TEXT NOT NULL,
  at BIGINT NOT NULL,
  entry TEXT NOT NULL
);
CREATE INDEX call_black_box_by_call ON call_black_box (call_uuid, kind, position);
`,
};
