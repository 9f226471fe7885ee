import { FrameResampler, type Utterance, Utterances } from '@jackfield/media';
import {
  engineSampleRate,
  type RecordingFiles,
  type SpeechEngine,
  type SpeechResult,
  type TranscribedPart,
  type TranscribedWords,
  type Transcription,
  type TranscriptionOrder,
} from '@jackfield/ports';
import { RecognitionError } from '../recognition-error.ts';
import { openRecordedAudio } from './recorded-audio.ts';
import { TranscriptionError } from './transcription-error.ts';

export interface FileTranscriptionOptions {
  readonly engine: SpeechEngine;
  readonly files: Pick<RecordingFiles, 'size' | 'read'>;
  /** From the last audio of an utterance to the end of its results. */
  readonly answerMs?: number;
}

/** Longer than the longest utterance, so that each part has a whole one or a silence. */
const partMs = 35_000;
const mostUtteranceMs = 30_000;
const silenceMs = 500;
const leadMs = 300;
const mostCharacters = 10_000;
const engineFrame = engineSampleRate / 50;

/** Transcribes files of the recorder by a speech engine, one utterance after another: no request to the engine is longer than 30 s. */
export function createFileTranscription(options: FileTranscriptionOptions): Transcription {
  return { next: (order, signal) => nextPart(options, order, signal) };
}

async function nextPart(
  options: FileTranscriptionOptions,
  order: TranscriptionOrder,
  signal: AbortSignal,
): Promise<TranscribedPart> {
  const { recording, format, isComplete } = order;
  const audio = await openRecordedAudio(options.files, `${recording}.${format}`, format);
  if (audio === undefined) {
    if (isComplete) throw new TranscriptionError('no-file', 'there is no sound to transcribe');
    return { positions: order.positions, words: [], isOver: false };
  }
  const positions: number[] = [];
  const words: TranscribedWords[] = [];
  let isOver = isComplete;
  for (let channel = 0; channel < audio.channels; channel++) {
    const fromMs = order.positions[channel] ?? 0;
    const { sampleRate, channels, isLast } = await audio.read(fromMs, partMs);
    signal.throwIfAborted();
    const isEnd = isLast && isComplete;
    const cut = await utterancesOf(channels[channel]!, sampleRate, isEnd);
    for (const utterance of cut.utterances) {
      for (const result of await recognised(options, order.language, utterance, signal))
        words.push(wordsOf(result, channel, fromMs, utterance));
    }
    positions.push(fromMs + cut.usedMs);
    isOver &&= isEnd;
  }
  return { positions, words: words.toSorted((one, other) => one.fromMs - other.fromMs), isOver };
}

interface Cut {
  readonly utterances: readonly Utterance[];
  /** An utterance that has not ended is heard again with the next part. */
  readonly usedMs: number;
}

async function utterancesOf(samples: Int16Array, sampleRate: number, isEnd: boolean): Promise<Cut> {
  const utterances: Utterance[] = [];
  const cutter = new Utterances({
    sampleRate: engineSampleRate,
    silenceMs,
    leadMs,
    mostMs: mostUtteranceMs,
    take: (utterance) => utterances.push(utterance),
  });
  const frame = sampleRate / 50;
  const resampler = new FrameResampler(frame, engineFrame);
  const converted = new Int16Array(engineFrame);
  const frames = Math.floor(samples.length / frame);
  for (let n = 0; n < frames; n++) {
    resampler.convert(samples.subarray(n * frame, (n + 1) * frame), converted);
    cutter.write(converted);
    // A second of audio takes about a millisecond; signalling runs on the same thread.
    if (n % 100 === 99) await new Promise(setImmediate);
  }
  const lengthMs = frames * 20;
  if (isEnd) cutter.end();
  const last = utterances.at(-1)?.toMs ?? 0;
  if (isEnd) return { utterances, usedMs: lengthMs };
  if (cutter.isSpeech) return { utterances, usedMs: last };
  return { utterances, usedMs: Math.max(last, lengthMs - leadMs) };
}

/** The results of one utterance; its session with the engine is freed in any case. */
async function recognised(
  { engine, answerMs = 30_000 }: FileTranscriptionOptions,
  language: string,
  { samples }: Utterance,
  signal: AbortSignal,
): Promise<readonly SpeechResult[]> {
  const results: SpeechResult[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const session = engine.open(
    { language, hints: [], model: null, profanityFilter: false, interim: false },
    {
      result: (result) => {
        if (result.isFinal && result.text.trim() !== '') results.push(result);
      },
      over: (problem) =>
        problem === null ? resolve() : reject(new RecognitionError(problem.code, problem.sentence)),
    },
  );
  const late = new RecognitionError('engine-slow', `the speech engine did not end within ${answerMs} ms`);
  const deadline = setTimeout(() => reject(late), answerMs);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    session.write(samples);
    session.finish();
    await promise;
    return results;
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', abort);
    session.cancel();
  }
}

/** Times beyond the utterance are a fault of the engine. */
function wordsOf(
  result: SpeechResult,
  channel: number,
  partMs: number,
  utterance: Utterance,
): TranscribedWords {
  const from = Math.min(utterance.toMs, utterance.fromMs + Math.max(0, result.fromMs));
  const to = Math.min(utterance.toMs, Math.max(from, utterance.fromMs + result.toMs));
  return {
    channel,
    text: result.text.trim().slice(0, mostCharacters),
    confidence: result.confidence,
    fromMs: Math.round(partMs + from),
    toMs: Math.round(partMs + to),
  };
}
