import type { Migration } from '@jackfield/ports';

/**
 * One row for each run of a process. A row without `ended_at` may be running; one without `settled_at` may have left things behind.
 * Row 0 stands for the runs before this table. A group of writes locks its row of `incarnation_lanes` where several processes share
 * the database: without that row it is refused. Nothing reads `last_alive` any more; a later release removes it.
 */
export const incarnationsTable: Migration = {
  name: 'kernel/0007-incarnations',
  sql: `
CREATE TABLE incarnations (
  incarnation BIGINT PRIMARY KEY,
  node TEXT NOT NULL,
  seat INTEGER NOT NULL,
  started_at BIGINT NOT NULL,
  alive_at BIGINT NOT NULL,
  counted_at BIGINT,
  ended_at BIGINT,
  ended_by BIGINT,
  settled_at BIGINT
);
CREATE UNIQUE INDEX incarnations_seated ON incarnations (seat) WHERE ended_at IS NULL;
CREATE TABLE incarnation_lanes (
  incarnation BIGINT NOT NULL,
  lane INTEGER NOT NULL,
  PRIMARY KEY (incarnation, lane)
);
INSERT INTO incarnations (incarnation, node, seat, started_at, alive_at, counted_at)
  SELECT 0, '', 0, 0, coalesce(max(alive_at), 0), max(counted_at) FROM last_alive;
`,
};
