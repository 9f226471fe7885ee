import type { Clock, Database, Migration, Transcription } from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import { createAppendAlone } from '../../kernel/append-alone.ts';
import type { EndedIncarnation } from '../../kernel/incarnation.ts';
import type { Outbox } from '../../kernel/outbox.ts';
import { createOwners, notifyOrLog } from '../../kernel/owners.ts';
import { TakenOverSessions } from '../../kernel/taken-over-sessions.ts';
import type { Recording } from './domain/recording.ts';
import { outboxEventOf } from './events.ts';
import { createKeeping } from './files/keeping.ts';
import { createRemoval } from './files/removal.ts';
import { createEndings, type Endings } from './live/endings.ts';
import { newRecording } from './live/new-recording.ts';
import { recordingsTables } from './migrations/0001-recordings.ts';
import { multipartyRecordings } from './migrations/0002-multiparty-recordings.ts';
import { indexesOfFilters } from './migrations/0003-indexes-of-filters.ts';
import { recordingFailureCodes } from './migrations/0004-failure-codes.ts';
import { recordingIncarnation } from './migrations/0005-incarnation.ts';
import { filesOfANode } from './migrations/0006-files-of-a-node.ts';
import { recordingPeaks } from './migrations/0007-peaks.ts';
import { recordingTranscripts } from './migrations/0008-transcripts.ts';
import type { NewRecording, RecordingNotice, Recordings } from './public-api.ts';
import { createQueries } from './queries.ts';
import { recordingResources } from './resources.ts';
import { recordingRoutes } from './routes.ts';
import { searchRecordings } from './search-queries.ts';
import { defineSessions, type RecordingSessions, type SessionDeps } from './sessions.ts';
import { claimLeftRecordings, leftRecordings, removeRecordings } from './store.ts';
import { followTranscripts } from './transcripts/followed-transcripts.ts';

export interface RecordingsDeps extends SessionDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Where customers reach the HTTP interface, without a slash at its end, e.g. `https://calls.example.com`. */
  readonly publicUrl: string;
  /** Absent without a speech engine: no transcript can be ordered. */
  readonly transcription?: Transcription;
  readonly outbox: Pick<Outbox, 'appendEvents' | 'wake'>;
  /** How long recordings are kept after their end; for ever when left out. */
  readonly keepRecordingsMs?: number;
  /** How often older records are removed. */
  readonly pruneEveryMs?: number;
  /** The longest wait for the end of a live recording, at a deletion and at the end of the process. */
  readonly endingMs?: number;
}

export interface RecordingsFeature extends Feature, Recordings {
  readonly migrations: readonly Migration[];
  readonly routes: readonly RouteGroup[];
  readonly resources: AccountResources;
  /**
   * Ends the live recordings of that incarnation, with the audio in their files; they are in this machine's directory. Resolves with
   * their number.
   */
  endIncarnation(ended: EndedIncarnation): Promise<number>;
  /** From now on old recordings are removed, and complete files are moved to their store. */
  restore(): Promise<void>;
  /** Completes live recordings; before the runner and the recorder are closed. */
  close(): Promise<void>;
}

/** Recordings of calls: started by their owners, kept, listed, served and removed. */
export function createRecordings(deps: RecordingsDeps): RecordingsFeature {
  const { database, clock, log, recordingFiles, publicUrl, node = '' } = deps;
  const { keepRecordingsMs: keepMs, pruneEveryMs = 60_000, endingMs = 60_000 } = deps;
  const prefix = publicUrl.replace(/\/+$/, '');
  const owners = createOwners<RecordingNotice>();
  const endings = createEndings(clock, endingMs);
  const takenOver = new TakenOverSessions<Recording>(database);
  const files = { database, clock, log, recordingFiles, node };
  const removal = createRemoval({ ...files, keepMs, everyMs: pruneEveryMs });
  const keeping = createKeeping(files);
  const queries = createQueries(database);
  const transcripts = followTranscripts({ ...deps, node, publicUrl: prefix });
  const sessions = defineSessions(deps, {
    urlOf: ({ uuid, account, format }) => urlOf({ recording: uuid, account, format }),
    notifyOwner(recording, notice) {
      transcripts.noticed(recording, notice);
      const { uuid, owner } = recording;
      notifyOrLog(owners, log, { kind: 'recording', id: uuid }, owner, notice);
    },
    whenOver(recording) {
      endings.end(recording.uuid);
      transcripts.ended(recording);
      if (recording.isDiscarded) removal.sweepSoon();
      else keeping.wake();
    },
  });

  function urlOf({ recording, account, format }: Pick<NewRecording, 'recording' | 'account' | 'format'>) {
    return `${prefix}/v1/Account/${account}/Recording/${recording}.${format}`;
  }

  /** The record, and the file with it. */
  async function remove(recording: string): Promise<void> {
    if (endings.isLive(recording)) {
      sessions.insist(recording, { type: 'discard-asked' });
      await endings.over(recording);
    }
    // Also a record whose end was written meanwhile; without effect on a missing record.
    await database.transact((write) => removeRecordings(write, [recording]));
    await removal.sweep();
  }

  return {
    name: 'recordings',
    migrations: [
      recordingsTables,
      multipartyRecordings,
      indexesOfFilters,
      recordingFailureCodes,
      recordingIncarnation,
      filesOfANode,
      recordingPeaks,
      recordingTranscripts,
    ],
    routes: [recordingRoutes({ database, queries, recordingFiles, remove, publicUrl: prefix, log })],
    search: searchRecordings(database),
    resources: recordingResources(database, sessions, removal),
    ...recordingCommands(deps, sessions, endings, urlOf),
    ownedBy: owners.ownedBy,
    canTranscribe: transcripts.canTranscribe,
    census: transcripts.census,
    urlOf,
    async endIncarnation({ number }) {
      const left = await takenOver.take({
        read: () => leftRecordings(database.read, number),
        idOf: ({ uuid }) => uuid,
        resume(recording) {
          transcripts.resumed(recording);
          endings.begin(recording.uuid);
          sessions.resume(recording.uuid, recording, { type: 'process-restarted' });
        },
        claim: (write) => claimLeftRecordings(write, number, deps.runner.incarnation),
      });
      await Promise.all(left.map(({ uuid }) => endings.over(uuid)));
      return left.length;
    },
    async restore() {
      // Not awaited: a store that is out of reach would delay the start.
      removal.sweepSoon();
      removal.start();
      await keeping.start();
      await transcripts.start();
    },
    async close() {
      const running = endings.live();
      for (const recording of running) sessions.insist(recording, { type: 'stop-asked' });
      await Promise.allSettled(running.map(endings.over));
      await transcripts.close();
      await removal.close();
      await keeping.close();
    },
  };
}

type Commands = Pick<Recordings, 'start' | 'retrack' | 'changeMembers' | 'pause' | 'resume' | 'stop'>;

function recordingCommands(
  deps: Pick<RecordingsDeps, 'clock' | 'database' | 'log' | 'outbox'>,
  sessions: RecordingSessions,
  endings: Endings,
  urlOf: Recordings['urlOf'],
): Commands {
  const { clock } = deps;
  const appendAlone = createAppendAlone(deps);

  /** A record that the database refuses for good; the fault is in the log. */
  function reportUnrecorded(recording: Recording): void {
    const now = clock.wallNow();
    const fault = { code: 'internal', sentence: 'the platform failed to start the recording' } as const;
    const failed = {
      ...recording,
      status: 'failed',
      sequence: 1,
      endedAt: now,
      closedAt: now,
      fault,
    } as const;
    appendAlone(outboxEventOf(failed, 'failed', urlOf({ ...recording, recording: recording.uuid }), now));
  }

  return {
    async start(order) {
      const { recording: uuid, tracks, isPromised = false } = order;
      const recording = newRecording(order, clock.wallNow());
      endings.begin(uuid);
      try {
        await sessions.open(uuid, recording, { type: 'ordered', tracks }, { isPromised });
      } catch (error) {
        if (sessions.peek(uuid) === undefined) {
          endings.withdraw(uuid);
          if (isPromised) reportUnrecorded(recording);
        }
        throw error;
      }
    },
    retrack: (recording, tracks) => sessions.send(recording, { type: 'retrack-asked', tracks }),
    changeMembers: (recording, members) => sessions.send(recording, { type: 'members-changed', members }),
    pause: (recording) => sessions.send(recording, { type: 'pause-asked' }),
    resume: (recording) => sessions.send(recording, { type: 'resume-asked' }),
    stop: (recording) => sessions.insist(recording, { type: 'stop-asked' }),
  };
}
