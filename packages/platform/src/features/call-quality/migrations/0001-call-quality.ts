import type { Migration } from '@jackfield/ports';

/** `sample` is JSON: nothing is looked up by its parts. `position` bounds the number of rows. */
export const callQualityTable: Migration = {
  name: 'call-quality/0001-call-quality',
  sql: `
CREATE TABLE call_quality (
  position {{identity}},
  call_uuid TEXT NOT NULL,
  at BIGINT NOT NULL,
  sample TEXT NOT NULL
);
CREATE INDEX call_quality_by_call ON call_quality (call_uuid, at);
`,
};
