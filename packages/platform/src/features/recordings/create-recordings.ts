import type { Clock, Database, Migration } from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import type { Recording } from './domain/recording.ts';
import { createKeeping } from './files/keeping.ts';
import { createRemoval } from './files/removal.ts';
import { recordingsTables } from './migrations/0001-recordings.ts';
import { multipartyRecordings } from './migrations/0002-multiparty-recordings.ts';
import { indexesOfFilters } from './migrations/0003-indexes-of-filters.ts';
import type { NewRecording, RecordingNotice, Recordings } from './public-api.ts';
import { createQueries } from './queries.ts';
import { recordingRoutes } from './routes.ts';
import { defineSessions, type SessionDeps } from './sessions.ts';
import { findOver, liveOf, loadLiveRecordings, passOnRecordings, removeRecordings } from './store.ts';

export interface RecordingsDeps extends SessionDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Where customers reach the HTTP interface, without a slash at its end, e.g. `https://calls.example.com`. */
  readonly publicUrl: string;
  /** How long recordings are kept after their end; for ever when left out. */
  readonly keepRecordingsMs?: number;
  /** How often those are looked for whose time is over. */
  readonly pruneEveryMs?: number;
  /** How long the end of what runs is waited for, at a deletion and at the end of the process. */
  readonly endingMs?: number;
}

export interface RecordingsFeature extends Feature, Recordings {
  readonly migrations: readonly Migration[];
  readonly routes: readonly RouteGroup[];
  readonly resources: AccountResources;
  /**
   * Ends the recordings that the last process left behind, with what their files hold; called once, before the first start.
   * Resolves with their number. From then on old ones are removed.
   */
  restore(): Promise<number>;
  /** Completes what still runs; while the runner and the recorder stand. */
  close(): Promise<void>;
}

/** Recordings of calls: started for whoever owns them, kept, listed, served and removed. */
export function createRecordings(deps: RecordingsDeps): RecordingsFeature {
  const { database, clock, log, recordingFiles, publicUrl } = deps;
  const { keepRecordingsMs: keepMs, pruneEveryMs = 60_000, endingMs = 60_000 } = deps;
  const prefix = publicUrl.replace(/\/+$/, '');
  const owners = new Map<string, (owner: string, notice: RecordingNotice) => void>();
  const live = new Set<string>();
  const waiters = new Map<string, (() => void)[]>();
  const removal = createRemoval({ database, clock, log, recordingFiles, keepMs, everyMs: pruneEveryMs });
  const keeping = createKeeping({ database, clock, log, recordingFiles });
  const queries = createQueries(database);
  const sessions = defineSessions(deps, {
    urlOf: ({ uuid, account, format }) => urlOf({ recording: uuid, account, format }),
    tellOwner(recording, notice) {
      const { kind, id } = recording.owner;
      try {
        owners.get(kind)?.(id, notice);
      } catch (err) {
        log.error({ recording: recording.uuid, owner: kind, err }, 'The owner of a recording threw.');
      }
    },
    whenOver({ uuid, isDiscarded }) {
      live.delete(uuid);
      for (const resolve of waiters.get(uuid) ?? []) resolve();
      waiters.delete(uuid);
      if (isDiscarded) removal.sweepSoon();
      else keeping.wake();
    },
  });

  function urlOf({ recording, account, format }: Pick<NewRecording, 'recording' | 'account' | 'format'>) {
    return `${prefix}/v1/Account/${account}/Recording/${recording}.${format}`;
  }

  /** Resolves when it has ended; rejects when that takes longer than a disk may take. */
  async function over(recording: string): Promise<void> {
    if (!live.has(recording)) return;
    let cancel = () => {};
    await new Promise<void>((resolve, reject) => {
      waiters.set(recording, [...(waiters.get(recording) ?? []), resolve]);
      const late = () => reject(new Error(`recording ${recording} did not end in time`));
      cancel = clock.startTimer(clock.now() + endingMs, late);
    }).finally(() => cancel());
  }

  /** The record, and the file with it. */
  async function remove(recording: string): Promise<void> {
    if (live.has(recording)) {
      sessions.insist(recording, { type: 'discard-asked' });
      await over(recording);
    }
    // Also one whose end was being written when the wish came; nothing for one that is gone.
    await database.transact((write) => removeRecordings(write, [recording]));
    await removal.sweep();
  }

  return {
    name: 'recordings',
    migrations: [recordingsTables, multipartyRecordings, indexesOfFilters],
    routes: [recordingRoutes({ queries, recordingFiles, remove, publicUrl: prefix, log })],
    resources: {
      async remove(write, account) {
        for (const recording of await liveOf(write, account)) {
          sessions.send(recording, { type: 'discard-asked' });
        }
        for (;;) {
          const ids = await findOver(write, { account }, 500);
          if (ids.length === 0) break;
          await removeRecordings(write, ids);
        }
        removal.sweepSoon();
      },
      passOn: passOnRecordings,
    },
    ownedBy(kind, tell) {
      if (owners.has(kind)) throw new Error(`owners of kind '${kind}' are told already`);
      owners.set(kind, tell);
    },
    urlOf,
    async start(order) {
      live.add(order.recording);
      try {
        await sessions.open(order.recording, newRecording(order, clock.wallNow()), {
          type: 'ordered',
          tracks: order.tracks,
        });
      } catch (error) {
        if (sessions.peek(order.recording) === undefined) live.delete(order.recording);
        throw error;
      }
    },
    retrack: (recording, tracks) => sessions.send(recording, { type: 'retrack-asked', tracks }),
    tellMembers: (recording, members) => sessions.send(recording, { type: 'members-told', members }),
    pause: (recording) => sessions.send(recording, { type: 'pause-asked' }),
    resume: (recording) => sessions.send(recording, { type: 'resume-asked' }),
    stop: (recording) => sessions.insist(recording, { type: 'stop-asked' }),
    async restore() {
      const left = await loadLiveRecordings(database);
      await Promise.all(
        left.map((recording) => {
          live.add(recording.uuid);
          const ended = over(recording.uuid);
          sessions.resume(recording.uuid, recording, { type: 'process-restarted' });
          return ended;
        }),
      );
      // Not waited for: a store that is out of reach would hold up the start.
      removal.sweepSoon();
      removal.start();
      await keeping.start();
      return left.length;
    },
    async close() {
      const running = [...live];
      for (const recording of running) sessions.insist(recording, { type: 'stop-asked' });
      await Promise.allSettled(running.map(over));
      await removal.close();
      await keeping.close();
    },
  };
}

function newRecording(order: NewRecording, now: number): Recording {
  const { recording, account, mainAccount, owner, type, callUuid, mpc, from, to, format, maxSeconds } = order;
  return {
    uuid: recording,
    account,
    mainAccount,
    owner,
    type,
    callUuid,
    mpc: mpc ?? null,
    from,
    to,
    format,
    maxSeconds,
    callback: order.callback ?? null,
    announcement: order.announcement ?? null,
    sequence: 0,
    memberId: order.memberId ?? null,
    trackType: order.trackType ?? null,
    channels: order.members?.map((each) => ({ ...each, fromMs: 0, toMs: null })) ?? null,
    status: 'starting',
    createdAt: now,
    startedAt: null,
    endedAt: null,
    closedAt: null,
    because: null,
    durationMs: 0,
    bytes: 0,
    pauseAsked: false,
    stopAsked: false,
    tracksAsked: null,
    runningSince: null,
    recordedMs: 0,
    isDiscarded: false,
    sentence: null,
  };
}
