import type { History } from '@jackfield/testkit';
import { Client } from 'pg';

/**
 * In the transaction that writes, so that a write that is rolled back leaves no trace. The lanes of an incarnation are deleted when its last
 * transaction has ended: a row of `watched` behind that step was written without the fence.
 */
const watch = `
CREATE TABLE watched (step BIGSERIAL, node TEXT, ended BIGINT);
CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO watched (node) VALUES (session_user);
  RETURN NULL;
END $$;
CREATE FUNCTION watch_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO watched (ended) SELECT DISTINCT incarnation FROM removed;
  RETURN NULL;
END $$;
CREATE TRIGGER watch_end AFTER DELETE ON incarnation_lanes
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION watch_end();
DO $$
DECLARE
  name TEXT;
BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'watched' LOOP
    EXECUTE format('CREATE TRIGGER watch AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH STATEMENT EXECUTE FUNCTION watch()', name);
  END LOOP;
END $$`;

/** The check of each transaction finds its lane again, also behind the end of its incarnation. */
const keepLanes = `
CREATE FUNCTION keep_lanes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO incarnation_lanes SELECT * FROM removed;
  RETURN NULL;
END $$;
CREATE TRIGGER z_keep_lanes AFTER DELETE ON incarnation_lanes
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION keep_lanes()`;

/** Which node wrote rows when, noted by the database itself: each node logs in under its own name, and is started once. */
export class WatchedRows {
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  /** When a node has made the tables. */
  static async begin(url: string): Promise<WatchedRows> {
    await rowsOf(url, watch);
    return new WatchedRows(url);
  }

  /** Takes the fence off, in this database alone: the product has no switch for it. */
  async withoutFence(): Promise<void> {
    await rowsOf(this.#url, keepLanes);
  }

  async parts(): Promise<Pick<History, 'writes' | 'ends'>> {
    const rows = await rowsOf<{ step: string; incarnation: string; is_end: boolean }>(
      this.#url,
      `SELECT step, incarnation, ended IS NOT NULL AS is_end FROM watched
      JOIN incarnations ON CASE WHEN ended IS NULL THEN incarnations.node = watched.node ELSE incarnation = ended END
      WHERE ended IS NULL OR ended_by <> incarnation ORDER BY step`,
    );
    const each = rows.map(({ step, incarnation, is_end }) => ({
      is_end,
      written: { step: Number(step), incarnation: Number(incarnation) },
    }));
    return {
      writes: each.flatMap(({ is_end, written }) => (is_end ? [] : [written])),
      ends: each.flatMap(({ is_end, written }) => (is_end ? [written] : [])),
    };
  }
}

/** Over a connection of its own: PostgreSQL may have been restarted since the last one. */
export async function rowsOf<Row extends object>(url: string, query: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(query)).rows;
  } finally {
    await client.end();
  }
}
