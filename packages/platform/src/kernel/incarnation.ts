import type { Clock, Database, Instant, Logger, Secrets } from '@jackfield/ports';
import { sql } from 'kysely';
import { type ClockSkew, createClockSkew } from './clock-skew.ts';
import {
  beginIncarnation,
  type EndingOfAnother,
  endIncarnation,
  type KnownAlive,
  saveAlive,
  settleIncarnation,
  succeedIncarnation,
  type UnsettledIncarnation,
  type WrittenHeartbeat,
} from './incarnation-store.ts';
import { lastAliveTable } from './migrations/0004-last-alive.ts';
import { lastAliveCounted } from './migrations/0005-last-alive-counted.ts';
import { incarnationsTable } from './migrations/0007-incarnations.ts';
import { heartbeats } from './migrations/0009-heartbeats.ts';

/**
 * One run of a process. Live rows name the incarnation in which their things live. A killed process writes nothing more: its billed
 * sessions ended with it, and the time until their end is recorded is not billed. So a process with billed sessions writes the time
 * every few seconds; on a shared database each process does so, and counts: the count that no longer changes is that of a dead process.
 */
export interface Incarnation {
  readonly number: number;
  /** In names of connections. */
  readonly token: string;
  /** As of the last heartbeat; none where the database has the clock of this machine. */
  readonly clockSkew: Pick<ClockSkew, 'ms'>;
  /** A billed session begins. */
  enter(): void;
  /** A billed session ends; called once for each `enter`. */
  leave(): void;
  /** Writes its row and gives the incarnations whose things have to be ended. To be called before the first event of this process. */
  begin(): Promise<readonly EndedIncarnation[]>;
  /** All things of that incarnation have been ended or taken over. */
  settled(ended: EndedIncarnation): Promise<void>;
  /** Calls the listener after each heartbeat that was written, with all incarnations as it read them; one listener per process. */
  onHeartbeat(listener: (unsettled: readonly UnsettledIncarnation[]) => void): void;
  /** This incarnation becomes the successor of another one; undefined when the row of that one has changed. */
  succeed(other: Pick<EndingOfAnother, 'incarnation' | 'seen'>): Promise<EndedIncarnation | undefined>;
  /** Resolves when no write is going on. */
  close(): Promise<void>;
  /** The last write of a process that stops on a shared database: other nodes take over what it has left, without waiting for its silence. */
  end(): Promise<void>;
}

/** An incarnation that writes nothing more. Its things end in the same way at a restart and when another node takes over. */
export interface EndedIncarnation {
  readonly number: number;
  readonly token: string;
  readonly diedAt: DiedAt;
}

/**
 * When the process died, in the time of a session that was known alive at `since`. The wall clock may have been stepped while the
 * process ran: sessions from before and after the step have different times. The earlier time that fits costs the least.
 */
export type DiedAt = (since: Instant) => Instant;

/** What the session runner reports. */
export type Alive = Pick<Incarnation, 'enter' | 'leave'>;

export const incarnationMigrations = [lastAliveTable, lastAliveCounted, incarnationsTable, heartbeats];

export interface IncarnationDeps {
  readonly clock: Clock;
  readonly database: Database;
  readonly log: Logger;
  readonly secrets: Pick<Secrets, 'randomBytes'>;
  /** The name of the machine among those that share the database. */
  readonly node?: string;
  /** Another process has ended this incarnation: nothing that this process writes is kept any more. */
  readonly onEnded?: () => void;
}

/** The most that is not billed when the process is killed. */
const aliveEveryMs = 5_000;
/** Five heartbeats are missed before an incarnation is suspected. */
const heartbeatMs = 2_000;
/** A process that was held up for seconds has lost its connection as well, and the others count on. */
const heartbeatRetryMs = 500;

export function createIncarnation(deps: IncarnationDeps): Incarnation {
  const { clock, database, log, node = '', onEnded = () => {} } = deps;
  const number = randomNumber(deps.secrets);
  const everyMs = database.isShared ? heartbeatMs : aliveEveryMs;
  const clockSkew = createClockSkew(log);
  let billed = 0;
  let cancel: (() => void) | undefined;
  let unwritten: KnownAlive | undefined;
  let isFailing = false;
  let writing: Promise<void> | undefined;
  let heartbeatWritten = (_: readonly UnsettledIncarnation[]): void => {};

  function mark(): void {
    // The next process knows the time of this process by the wall clock alone.
    unwritten = { incarnation: number, wall: clock.wallNow(), counted: clock.now() };
    cancel = clock.startTimer(unwritten.counted + everyMs, mark);
    writing ??= write();
  }

  /** A slow database gets only the latest time next. */
  async function write(): Promise<void> {
    while (unwritten !== undefined) {
      const alive = unwritten;
      unwritten = undefined;
      const askedAt = clock.wallNow();
      await saveAlive(database, alive).then((heartbeat) => written(askedAt, heartbeat), notWritten);
    }
    writing = undefined;
  }

  function written(askedAt: Instant, { databaseAt, unsettled }: WrittenHeartbeat): void {
    isFailing = false;
    if (databaseAt !== undefined) clockSkew.saw(askedAt, databaseAt, clock.wallNow());
    heartbeatWritten(unsettled);
  }

  function notWritten(err: unknown): void {
    if (!isFailing) log.warn({ err }, 'time of the last sign of life not saved; retried until it is');
    isFailing = true;
    if (!database.isShared || cancel === undefined) return;
    cancel();
    cancel = clock.startTimer(clock.now() + heartbeatRetryMs, mark);
  }

  function start(): void {
    cancel = clock.startTimer(clock.now() + everyMs, mark);
  }

  function stop(): void {
    cancel?.();
    cancel = undefined;
  }

  return {
    number,
    token: tokenOf(number),
    clockSkew,
    enter() {
      if (++billed === 1 && !database.isShared) start();
    },
    leave() {
      if (--billed === 0 && !database.isShared) stop();
    },
    async begin() {
      // The last event of the only process on a database shows that it was alive.
      const lastEventAt = database.isShared ? 0 : await timeOfLastEvent(database);
      const { seat, unsettled } = await beginIncarnation(database, {
        incarnation: number,
        node,
        wallNow: clock.wallNow(),
      });
      database.join({ incarnation: number, seat, onEnded });
      if (database.isShared) start();
      return unsettled.map((alive) => endedOf(alive, lastEventAt));
    },
    async settled(ended) {
      await settleIncarnation(database, ended.number, clock.wallNow());
    },
    onHeartbeat(listener) {
      heartbeatWritten = listener;
    },
    async succeed(other) {
      const alive = await succeedIncarnation(database, { ...other, by: number, wallNow: clock.wallNow() });
      return alive && endedOf(alive, 0);
    },
    async close() {
      stop();
      await writing;
    },
    async end() {
      if (database.isShared) await endIncarnation(database, number, clock.wallNow());
    },
  };
}

function endedOf(alive: KnownAlive, lastEventAt: Instant): EndedIncarnation {
  const { incarnation: number } = alive;
  return { number, token: tokenOf(number), diedAt: diedAt(alive, lastEventAt) };
}

async function timeOfLastEvent({ read }: Pick<Database, 'read'>): Promise<Instant> {
  const { rows } = await sql<{ created_at: number }>`
    SELECT created_at FROM outbox ORDER BY id DESC LIMIT 1`.execute(read);
  return Number(rows[0]?.created_at ?? 0);
}

function diedAt({ wall, counted }: KnownAlive, lastEventAt: Instant): DiedAt {
  if (wall === counted) return () => Math.max(wall, lastEventAt);
  const times = [wall, counted].sort((one, other) => one - other);
  return (since) => times.find((at) => at >= since) ?? lastEventAt;
}

/** 53 bits, the integers that a number can hold; never 0, which stands for the runs before there were incarnations. */
function randomNumber({ randomBytes }: Pick<Secrets, 'randomBytes'>): number {
  const bytes = Buffer.from(randomBytes(7));
  return bytes.readUIntBE(0, 6) * 32 + (bytes[6]! & 31) || 1;
}

/** In names of connections, and on the bus. */
export function tokenOf(incarnation: number): string {
  return incarnation.toString(36);
}
