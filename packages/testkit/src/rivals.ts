import { after, before, describe } from 'node:test';
import { createPostgresDatabase } from '@jackfield/adapters/database-postgres';
import type { Database, Migration } from '@jackfield/ports';
import { type KyselyPlugin, sql } from 'kysely';
import { type PostgresServer, postgresMissing, startPostgres } from './postgres-server.ts';
import { createRecordingLog } from './recording-log.ts';

/** Two units of two nodes on one PostgreSQL database. */
export interface Race<State> {
  /** Called before each run. */
  readonly prepare: (database: Database) => Promise<State>;
  readonly unit: (database: Database, state: State) => Promise<unknown>;
  readonly rival: (database: Database, state: State) => Promise<unknown>;
  /** Called after both, with whether each of them succeeded. */
  readonly check: (database: Database, state: State, succeeded: RaceOutcome) => Promise<void>;
}

export interface RaceOutcome {
  readonly unit: boolean;
  readonly rival: boolean;
  /** The answer of the unit after which the rival began, from 1. */
  readonly at: number;
}

export interface Rivals {
  /**
   * Runs the unit once for each of its statements: behind that statement's answer the rival runs until it has committed or waits for a
   * lock, and then the unit goes on. An error of either one is an outcome, not a failure.
   */
  race<State>(race: Race<State>): Promise<void>;
}

/** A suite with two nodes on one database; skipped where PostgreSQL is not installed. */
export function onTwoNodes(
  name: string,
  migrations: readonly Migration[],
  suite: (rivals: Rivals) => void,
): void {
  describe(name, { skip: postgresMissing() ?? false }, () => {
    let server: PostgresServer | undefined;
    let nodes: readonly Database[] = [];
    before(async () => {
      const started = await startPostgres();
      if (started.server === undefined) throw new Error(started.reason);
      server = started.server;
      const url = await server.createDatabase();
      nodes = [1, 2].map(() => createPostgresDatabase({ url, log: createRecordingLog() }));
      await nodes[0]!.migrate(migrations);
    });
    after(async () => {
      await Promise.all(nodes.map((node) => node.close()));
      await server?.stop();
    });
    suite({ race: (each) => raceOn(nodes[0]!, nodes[1]!, each) });
  });
}

/** A unit that is repeated has more answers than its statements; none has this many. */
const mostAnswers = 200;

async function raceOn<State>(one: Database, other: Database, race: Race<State>): Promise<void> {
  for (let at = 1; at < mostAnswers; at++) {
    const state = await race.prepare(one);
    let rival: Promise<boolean> | undefined;
    const stopping = stoppingAfter(one, at, async () => {
      rival = succeeded(race.rival(other, state));
      await committedOrBlocked(one, rival);
    });
    const unit = await succeeded(race.unit(stopping, state));
    if (rival === undefined) {
      if (at === 1) throw new Error('the unit has no statement to stop at');
      return;
    }
    await race.check(one, state, { unit, rival: await rival, at });
  }
}

function succeeded(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** The database, whose units call `stop` once, behind the answer with this number. */
function stoppingAfter(database: Database, at: number, stop: () => Promise<void>): Database {
  let answers = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (++answers === at) await stop();
      return result;
    },
  };
  let lane = 0;
  return {
    ...database,
    transact: (work, options) =>
      database.transact((write) => {
        lane = database.laneOfUnit(write);
        return work(write.withPlugin(plugin));
      }, options),
    laneOfUnit: () => lane,
  };
}

async function committedOrBlocked({ read }: Database, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  void work.then(() => {
    isOver = true;
  });
  for (;;) {
    const { rows } = await sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'
      AND datname = current_database()`.execute(read);
    if (isOver || rows.length > 0) return;
  }
}
