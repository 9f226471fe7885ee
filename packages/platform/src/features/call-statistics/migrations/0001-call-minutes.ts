import type { Migration } from '@jackfield/ports';

/** One row for each account and minute in which a call began, was answered or ended; the causes of the ends beside it. */
export const callMinutesTables: Migration = {
  name: 'call-statistics/0001-call-minutes',
  sql: `
CREATE TABLE call_minutes (
  account TEXT NOT NULL,
  minute BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  answered BIGINT NOT NULL,
  ended BIGINT NOT NULL,
  mos_sum DOUBLE PRECISION NOT NULL,
  mos_count BIGINT NOT NULL,
  PRIMARY KEY (account, minute)
);
CREATE INDEX call_minutes_by_minute ON call_minutes (minute);
CREATE TABLE call_minute_causes (
  account TEXT NOT NULL,
  minute BIGINT NOT NULL,
  cause TEXT NOT NULL,
  total BIGINT NOT NULL,
  PRIMARY KEY (account, minute, cause)
);
`,
};
