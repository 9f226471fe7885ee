import { recordingErrorCodes } from '@jackfield/contract';
import type {
  Clock,
  Database,
  Logger,
  RecordedFile,
  Recorder,
  RecordingFailure,
  RecordingFiles,
} from '@jackfield/ports';
import { type WithOutboxEvents, withOutboxEvents } from '../../kernel/outbox-emitting.ts';
import type { SessionRunner, Sessions } from '../../kernel/session-runner.ts';
import {
  isOver,
  type Recording,
  type RecordingEffect,
  type RecordingFault,
  type RecordingInput,
} from './domain/recording.ts';
import { recordingMachine } from './domain/recording-machine.ts';
import { noticeOf, outboxEventOf } from './events.ts';
import { savePeaks } from './peaks-store.ts';
import type { RecordingNotice } from './public-api.ts';
import { saveRecording } from './store.ts';

export interface SessionDeps {
  readonly runner: SessionRunner;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly recordingFiles: RecordingFiles;
  readonly database: Database;
  readonly log: Logger;
  /** The name of the machine among those that share the database. */
  readonly node?: string;
}

export interface SessionListeners {
  readonly urlOf: (recording: Recording) => string;
  readonly notifyOwner: (recording: Recording, notice: RecordingNotice) => void;
  /** After the commit of its end. */
  readonly whenOver: (recording: Recording) => void;
}

export interface RecordingSessions extends Sessions<Recording, RecordingInput> {
  /**
   * Like `send`, for inputs that are not repeated: retried for as long as the database fails, because otherwise the recording
   * would never begin or never end. Other inputs may overtake it.
   */
  insist(recording: string, input: RecordingInput): void;
}

/** The pause of the session runner between two attempts. */
const retryMs = 1_000;

/** One session for each live recording: its machine, its record, and all commands to the recorder. */
export function defineSessions(deps: SessionDeps, listeners: SessionListeners): RecordingSessions {
  const { recorder, recordingFiles, clock, log, node = '' } = deps;
  const areKeptElsewhere = recordingFiles.keep !== undefined;
  const sessions = deps.runner.define<Recording, RecordingInput, WithOutboxEvents<RecordingEffect>>({
    name: 'recording',
    machine: withOutboxEvents(recordingMachine, (state, { recording, event }, now) =>
      outboxEventOf(recording, event, listeners.urlOf(state), now),
    ),
    save: (write, _uuid, before, after, incarnation) =>
      saveRecording(write, before, after, { areKeptElsewhere, incarnation, node }),
    isEnded: isOver,
    perform(uuid, effect) {
      switch (effect.do) {
        case 'start-recorder':
          start(uuid, effect.tracks);
          return;
        case 'retrack':
          recorder.retrack(uuid, effect.tracks);
          return;
        case 'pause-recorder':
          recorder.pause(uuid);
          return;
        case 'resume-recorder':
          recorder.resume(uuid);
          return;
        case 'stop-recorder':
          stop(uuid);
          return;
        case 'inspect-file':
          void inspect(uuid);
          return;
        case 'notify-owner': {
          const { recording, event } = effect;
          listeners.notifyOwner(recording, noticeOf(recording, event, listeners.urlOf(recording)));
          if (isOver(recording)) listeners.whenOver(recording);
        }
      }
    },
  });

  function start(uuid: string, tracks: Extract<RecordingEffect, { do: 'start-recorder' }>['tracks']): void {
    const format = sessions.peek(uuid)?.format ?? 'wav';
    recorder.start({ recording: uuid, format, tracks }).then(
      () => insist(uuid, { type: 'recorder-started' }),
      (error: unknown) => fail(uuid, faultOf(error)),
    );
  }

  function stop(uuid: string): void {
    recorder.stop(uuid).then(
      (file) => void complete(uuid, file),
      (error: unknown) => fail(uuid, faultOf(error)),
    );
  }

  /** Before the end is recorded: the removal of the record then finds them. Without them the recording is heard all the same. */
  async function complete(uuid: string, { peaks, ...file }: RecordedFile): Promise<void> {
    try {
      if (peaks !== undefined) await savePeaks(deps.database, uuid, peaks);
    } catch (err) {
      log.warn({ recording: uuid, err }, 'peaks of a recording not written');
    }
    insist(uuid, { type: 'file-completed', file });
  }

  async function inspect(uuid: string): Promise<void> {
    let file: RecordedFile | undefined;
    const format = sessions.peek(uuid)?.format ?? 'wav';
    try {
      file = await recordingFiles.repair(`${uuid}.${format}`, format);
    } catch (error) {
      log.error({ recording: uuid, err: error }, 'recording file could not be read');
    }
    insist(uuid, { type: 'file-inspected', file });
  }

  function fail(uuid: string, fault: RecordingFault): void {
    log.warn({ recording: uuid, ...fault }, 'recording failed');
    insist(uuid, { type: 'recorder-failed', fault });
  }

  function insist(uuid: string, input: RecordingInput): void {
    sessions.ask(uuid, input).catch(() => {
      clock.startTimer(clock.now() + retryMs, () => insist(uuid, input));
    });
  }

  recorder.subscribe(({ recording, code, sentence }) => fail(recording, { code, sentence }));
  return { ...sessions, insist };
}

/** The recorder rejects with errors that have a code; others are bugs. */
function faultOf(error: unknown): RecordingFault {
  const { code } = error as Partial<RecordingFailure>;
  return {
    code: code !== undefined && code in recordingErrorCodes ? code : 'internal',
    sentence: error instanceof Error ? error.message : String(error),
  };
}
