import { MessageChannel, type MessagePort } from 'node:worker_threads';
import {
  type CaptureMessage,
  type CaptureReceiver,
  FrameResampler,
  recognitionPrefix,
} from '@jackfield/media';
import {
  engineSampleRate,
  type Logger,
  type Metrics,
  type MixCommand,
  type RecognitionNotice,
  type RecognitionOrder,
  type RecognitionProblem,
  type SpeechEngine,
  type SpeechRecognition,
  type SpeechResult,
  type SpeechSession,
} from '@jackfield/ports';
import { closedProblem } from './recognition-error.ts';

/** The media engine as the recogniser sees it. */
export interface RecognitionSource {
  send(command: MixCommand): void;
  sendCapturesTo(openPort: () => MessagePort, receiver: CaptureReceiver): void;
}

export interface RecognitionLimits {
  readonly recognitions: number;
  /** Audio of one recognition. */
  readonly audioMs: number;
  /** Between two chunks of audio. */
  readonly silenceOfMediaMs: number;
  /** From the last audio to the end of the results. */
  readonly answerMs: number;
}

export interface LegRecognitionOptions {
  readonly engine: SpeechEngine;
  readonly media: RecognitionSource;
  /** Languages of the engine, with or without a region; all of them when left out. */
  readonly languages?: readonly string[];
  readonly metrics?: Pick<Metrics, 'count' | 'observe'>;
  /** Gets a warning for each failure, without words of callers. */
  readonly log?: Pick<Logger, 'warn'>;
  readonly limits?: Partial<RecognitionLimits>;
}

/** The recogniser of this process. */
export interface LegRecognition extends SpeechRecognition {
  /** For the census. */
  readonly running: number;
  /** Ends all recognitions; safe to call twice. */
  close(): void;
}

const recognitionLimits: RecognitionLimits = {
  recognitions: 200,
  audioMs: 300_000,
  silenceOfMediaMs: 10_000,
  answerMs: 10_000,
};

const mostCharacters = 10_000;
const frameSamples = engineSampleRate / 50;

interface Running {
  readonly session: SpeechSession;
  deadline: NodeJS.Timeout | undefined;
  resampler: FrameResampler | undefined;
  heardMs: number;
  /** The capture was ordered to end. */
  isFinishing: boolean;
  /** When the engine received the last audio, on the clock of the process. */
  finishedAt: number | undefined;
}

/** Joins the audio of legs, which leaves the media threads as captures, to an engine. */
export function createLegRecognition(options: LegRecognitionOptions): LegRecognition {
  return new CapturedRecognition(options);
}

class CapturedRecognition implements LegRecognition {
  readonly #engine: SpeechEngine;
  readonly #media: RecognitionSource;
  readonly #languages: ReadonlySet<string> | undefined;
  readonly #metrics: LegRecognitionOptions['metrics'];
  readonly #log: LegRecognitionOptions['log'];
  readonly #limits: RecognitionLimits;
  readonly #running = new Map<string, Running>();
  readonly #listeners = new Set<(notice: RecognitionNotice) => void>();
  readonly #ports = new Set<MessagePort>();
  #isClosed = false;

  constructor({ engine, media, languages, metrics, log, limits }: LegRecognitionOptions) {
    this.#metrics = metrics;
    this.#log = log;
    this.#engine = engine;
    this.#media = media;
    this.#languages = languages && new Set(languages.map((each) => each.toLowerCase()));
    this.#limits = { ...recognitionLimits, ...limits };
    media.sendCapturesTo(() => this.#openPort(), 'recogniser');
  }

  get running(): number {
    return this.#running.size;
  }

  start({ recognition, track, ...request }: RecognitionOrder): void {
    if (this.#running.has(recognition)) throw new Error(`recognition ${recognition} runs already`);
    const refusal = this.#refusalOf(request.language);
    // Its listener may still be carrying out the order.
    if (refusal !== undefined) {
      queueMicrotask(() => this.#over(recognition, refusal));
      return;
    }
    const session = this.#engine.open(request, {
      result: (result) => this.#result(recognition, session, result),
      over: (problem) => this.#ended(recognition, session, problem),
    });
    const running: Running = {
      session,
      deadline: undefined,
      resampler: undefined,
      heardMs: 0,
      isFinishing: false,
      finishedAt: undefined,
    };
    this.#running.set(recognition, running);
    this.#expectAudio(recognition, running);
    this.#media.send({ do: 'capture', capture: recognitionPrefix + recognition, tracks: [track] });
  }

  finish(recognition: string): void {
    const running = this.#running.get(recognition);
    if (running === undefined || running.isFinishing) return;
    running.isFinishing = true;
    const { answerMs } = this.#limits;
    const sentence = `the speech engine did not end within ${answerMs} ms after the last audio`;
    this.#limit(recognition, running, answerMs, { code: 'engine-slow', sentence });
    // Its last chunk comes with its end.
    this.#media.send({ do: 'end-capture', capture: recognitionPrefix + recognition });
  }

  cancel(recognition: string): void {
    const running = this.#running.get(recognition);
    if (running === undefined) return;
    this.#remove(recognition, running);
    this.#metrics?.count('jackfield_recognitions_ended_total', { outcome: 'cancelled' });
    queueMicrotask(() => this.#notify({ type: 'recognition-over', recognition, problem: null }));
  }

  subscribe(listener: (notice: RecognitionNotice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const [recognition, running] of [...this.#running]) this.#fail(recognition, running, closedProblem);
    this.#engine.close();
    for (const port of this.#ports) port.close();
  }

  #refusalOf(language: string): RecognitionProblem | undefined {
    if (this.#isClosed) return closedProblem;
    const { recognitions } = this.#limits;
    if (this.#running.size >= recognitions) {
      const sentence = `${recognitions} recognitions already run at the same time`;
      return { code: 'too-many-recognitions', sentence };
    }
    const tag = language.toLowerCase();
    const languages = this.#languages;
    if (languages === undefined || languages.has(tag) || languages.has(tag.split('-')[0]!)) return undefined;
    return { code: 'unknown-language', sentence: 'the speech engine does not know the language' };
  }

  #openPort(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#ports.add(port2);
    port2.on('message', (message: CaptureMessage) => this.#captured(message));
    // A worker that ends closes its end.
    port2.on('close', () => this.#ports.delete(port2));
    return port1;
  }

  #captured(message: CaptureMessage): void {
    const recognition = message.capture.slice(recognitionPrefix.length);
    const running = this.#running.get(recognition);
    if (running === undefined) return;
    if (message.type === 'ended') {
      this.finish(recognition);
      running.finishedAt = performance.now();
      running.session.finish();
      return;
    }
    const { samples, sampleRate } = message;
    if (!running.isFinishing) this.#expectAudio(recognition, running);
    running.heardMs += (samples.length * 1000) / sampleRate;
    running.session.write(atEngineRate(running, samples, sampleRate));
    if (running.heardMs >= this.#limits.audioMs) this.finish(recognition);
  }

  #expectAudio(recognition: string, running: Running): void {
    const { silenceOfMediaMs } = this.#limits;
    const sentence = `no audio of the call arrived for ${silenceOfMediaMs} ms`;
    this.#limit(recognition, running, silenceOfMediaMs, { code: 'no-audio', sentence });
  }

  #limit(recognition: string, running: Running, ms: number, problem: RecognitionProblem): void {
    clearTimeout(running.deadline);
    running.deadline = setTimeout(() => this.#fail(recognition, running, problem), ms);
  }

  #result(recognition: string, session: SpeechSession, result: SpeechResult): void {
    const running = this.#running.get(recognition);
    if (running?.session !== session) return;
    const text = result.text.trim().slice(0, mostCharacters);
    // Times beyond the audio, or in the wrong order, are a fault of the engine.
    const toMs = Math.min(result.toMs, Math.round(running.heardMs));
    const fromMs = Math.min(result.fromMs, toMs);
    this.#notify({ type: 'recognised', recognition, result: { ...result, text, fromMs, toMs } });
  }

  /** The engine has ended the session. */
  #ended(recognition: string, session: SpeechSession, problem: RecognitionProblem | null): void {
    const running = this.#running.get(recognition);
    if (running === undefined || running.session !== session) return;
    this.#remove(recognition, running);
    if (problem === null && running.finishedAt !== undefined) {
      const seconds = (performance.now() - running.finishedAt) / 1000;
      this.#metrics?.observe('jackfield_recognition_answer_seconds', seconds);
    }
    this.#over(recognition, problem);
  }

  #fail(recognition: string, running: Running, problem: RecognitionProblem): void {
    this.#remove(recognition, running);
    this.#over(recognition, problem);
  }

  #remove(recognition: string, running: Running): void {
    this.#running.delete(recognition);
    clearTimeout(running.deadline);
    if (!running.isFinishing)
      this.#media.send({ do: 'end-capture', capture: recognitionPrefix + recognition });
    running.session.cancel();
  }

  #over(recognition: string, problem: RecognitionProblem | null): void {
    this.#metrics?.count('jackfield_recognitions_ended_total', { outcome: problem?.code ?? 'complete' });
    if (problem !== null) this.#log?.warn({ recognition, ...problem }, 'speech recognition failed');
    this.#notify({ type: 'recognition-over', recognition, problem });
  }

  #notify(notice: RecognitionNotice): void {
    for (const listener of this.#listeners) listener(notice);
  }
}

/** Whole frames of 20 ms of any rate, at the rate of engines. */
function atEngineRate(running: Running, samples: Int16Array, sampleRate: number): Int16Array {
  if (sampleRate === engineSampleRate) return samples;
  const given = sampleRate / 50;
  if (running.resampler?.inputSamples !== given) running.resampler = new FrameResampler(given, frameSamples);
  const frames = Math.floor(samples.length / given);
  const converted = new Int16Array(frames * frameSamples);
  for (let n = 0; n < frames; n++) {
    const frame = samples.subarray(n * given, (n + 1) * given);
    running.resampler.convert(frame, converted.subarray(n * frameSamples, (n + 1) * frameSamples));
  }
  return converted;
}
