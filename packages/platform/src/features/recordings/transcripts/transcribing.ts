import { transcriptErrorCodes } from '@jackfield/contract/transcripts';
import type { Clock, Database, Logger, TranscribedPart, Transcription, Write } from '@jackfield/ports';
import type { Outbox } from '../../../kernel/outbox.ts';
import { channelsOf } from '../store.ts';
import { type RecordingRow, reading } from '../tables.ts';
import { redactDigits } from './redact-digits.ts';
import { speakerOf, type Transcript, type TranscriptFailureCode } from './transcript.ts';
import { transcriptEvent, wordsEvent } from './transcript-events.ts';
import {
  findTranscript,
  findWords,
  pendingTranscripts,
  saveProgress,
  saveWords,
} from './transcripts-store.ts';
import { createTurns, type Rest } from './turns.ts';

/** Makes transcripts of files, part by part, while they are recorded and after it. */
export interface Transcribing {
  /** Begins with the recordings of the last process. */
  start(): Promise<void>;
  /** A recording with a transcript has begun. */
  begin(recording: string): void;
  /** A recording has ended; ignored for one without a transcript. */
  finish(recording: string): void;
  /** Recordings that are not transcribed wholly, for the census. */
  readonly pending: number;
  /** Gives up running parts; the next start repeats them. */
  close(): Promise<void>;
}

export interface TranscribingDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly transcription: Transcription;
  readonly outbox: Pick<Outbox, 'appendEvents' | 'wake'>;
  /** The machine on whose disk the files are. */
  readonly node: string;
  readonly urlOf: (row: Pick<RecordingRow, 'recording_id' | 'account'>) => string;
}

/** Parts at a time; the recordings take turns after each part. */
const concurrent = 2;
/** A file of the recorder grows once a second. */
const liveMs = 1_500;
const firstPauseMs = 2_000;
const longestPauseMs = 600_000;
/** With these pauses the engine may be away for an hour. */
const mostAttempts = 14;
const pageOfPending = 500;
/** Of the text in a callback. */
const mostCharacters = 500_000;

type Outcome = 'again' | 'wait' | 'over';

const restAfter: Readonly<Record<Outcome, Rest>> = { again: 0, wait: liveMs, over: undefined };

export function createTranscribing(deps: TranscribingDeps): Transcribing {
  const { database, clock, log } = deps;
  const attempts = new Map<string, number>();
  const end = new AbortController();
  const turns = createTurns(clock, concurrent, takeTurn);

  async function takeTurn(recording: string): Promise<Rest> {
    try {
      const outcome = await transcribePart(deps, recording, end.signal);
      attempts.delete(recording);
      return restAfter[outcome];
    } catch (error) {
      return end.signal.aborted ? undefined : failed(recording, error);
    }
  }

  async function failed(recording: string, error: unknown): Promise<Rest> {
    const failure = failureOf(error);
    const count = (attempts.get(recording) ?? 0) + 1;
    const isFinal =
      failure.code === 'unknown-language' || failure.code === 'no-file' || count >= mostAttempts;
    log.warn({ recording, ...failure, attempts: count, isFinal }, 'recording could not be transcribed');
    attempts.set(recording, count);
    if (isFinal) {
      try {
        await giveUp(deps, recording, failure);
        attempts.delete(recording);
        return undefined;
      } catch (err) {
        log.error({ recording, err }, 'end of a transcript could not be written');
      }
    }
    return Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(count - 1, 20));
  }

  return {
    async start() {
      let last = '';
      for (;;) {
        const found = await pendingTranscripts(database, deps.node, last, pageOfPending);
        for (const recording of found) turns.wake(recording);
        if (found.length < pageOfPending) return;
        last = found.at(-1)!;
      }
    },
    begin: turns.wake,
    finish(recording) {
      if (turns.has(recording)) turns.wake(recording);
    },
    get pending() {
      return turns.size;
    },
    close() {
      end.abort();
      return turns.close();
    },
  };
}

async function transcribePart(
  deps: TranscribingDeps,
  recording: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const { database, transcription } = deps;
  const [row, transcript] = await Promise.all([
    rowOf(database, recording),
    findTranscript(database, recording),
  ]);
  if (row === undefined || transcript === undefined || transcript.state !== 'in-progress') return 'over';
  const isComplete = row.closed_at !== null;
  if (!isComplete && row.status === 'starting') return 'wait';
  const { positions, language } = transcript;
  const order = { recording, format: row.format, positions, isComplete, language };
  const part = withoutDigits(await transcription.next(order, signal), transcript.redactsDigits);
  const isSame = JSON.stringify(part.positions) === JSON.stringify(positions);
  if (isSame && !part.isOver) return 'wait';
  const after: Transcript = {
    ...transcript,
    positions: part.positions,
    state: part.isOver ? 'completed' : 'in-progress',
  };
  await write(deps, row, transcript, after, part);
  if (part.isOver) return 'over';
  // A file that still grows has little more behind its last words.
  return isComplete ? 'again' : 'wait';
}

async function write(
  deps: TranscribingDeps,
  row: RecordingRow,
  before: Transcript,
  after: Transcript,
  part: Pick<TranscribedPart, 'words'>,
): Promise<void> {
  const { database, outbox } = deps;
  const recording = { type: row.recording_type, memberId: row.member_id, channels: channelsOf(row) };
  const events = part.words.map((words) =>
    wordsEvent(row, words, speakerOf(recording, after.positions.length, words)),
  );
  if (after.state !== 'in-progress') {
    const said =
      after.callback === null ? [] : [...(await findWords(database, row.recording_id)), ...part.words];
    const text = said.map((words) => words.text).join(' ');
    events.push(transcriptEvent(row, after, text.slice(0, mostCharacters), deps.urlOf(row)));
  }
  const isSaved = await database.transact(async (transaction: Write) => {
    if (!(await saveProgress(transaction, before, after))) return false;
    await saveWords(transaction, row.recording_id, part.words);
    if (events.length > 0) await outbox.appendEvents(transaction, events);
    return true;
  });
  if (isSaved && events.length > 0) outbox.wake();
}

async function giveUp(
  deps: TranscribingDeps,
  recording: string,
  failure: NonNullable<Transcript['failure']>,
): Promise<void> {
  const [row, transcript] = await Promise.all([
    rowOf(deps.database, recording),
    findTranscript(deps.database, recording),
  ]);
  if (row === undefined || transcript === undefined) return;
  await write(deps, row, transcript, { ...transcript, state: 'failed', failure }, { words: [] });
}

function rowOf(database: Database, recording: string): Promise<RecordingRow | undefined> {
  return reading(database.read)
    .selectFrom('recordings')
    .selectAll()
    .where('recording_id', '=', recording)
    .executeTakeFirst();
}

function withoutDigits(part: TranscribedPart, redactsDigits: boolean): TranscribedPart {
  if (!redactsDigits) return part;
  return { ...part, words: part.words.map((words) => ({ ...words, text: redactDigits(words.text) })) };
}

/** An unexpected error is a failure of the engine; its sentence may quote words. */
function failureOf(error: unknown): NonNullable<Transcript['failure']> {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code === 'string' && typeof message === 'string' && code in transcriptErrorCodes)
    return { code: code as TranscriptFailureCode, sentence: message };
  return { code: 'engine-failed', sentence: 'the recording could not be read or transcribed' };
}
