import { type Utterance, Utterances } from '@jackfield/media';
import {
  engineSampleRate,
  type RecognitionProblem,
  type SpeechEngine,
  type SpeechRequestOptions,
  type SpeechResult,
} from '@jackfield/ports';
import { problemOf } from './recognition-error.ts';
import { createSessionEngine, type EngineSession, type EngineSessionDeps } from './session-engine.ts';

/** Results of one utterance, with times since its start. Rejects with a RecognitionError, or with the reason of the signal. */
export type Transcribe = (
  samples: Int16Array,
  request: SpeechRequestOptions,
  signal: AbortSignal,
) => Promise<readonly Omit<SpeechResult, 'isFinal'>[]>;

export interface UtteranceLimits {
  /** Utterances of one session that wait for the engine. */
  readonly waiting: number;
  /** For one utterance, from its turn on. */
  readonly answerMs: number;
  /** A longer utterance is cut. */
  readonly utteranceMs: number;
}

const utteranceLimits: UtteranceLimits = { waiting: 4, answerMs: 10_000, utteranceMs: 30_000 };

const silenceMs = 500;
const leadMs = 300;

/** An engine of whole utterances: audio is cut by voice activity, and each piece is transcribed after the one before it. */
export function createUtteranceEngine(
  transcribe: Transcribe,
  limits: Partial<UtteranceLimits> = {},
): SpeechEngine {
  const all = { ...utteranceLimits, ...limits };
  return createSessionEngine((deps) => new UtteranceSession({ ...deps, transcribe, limits: all }));
}

interface UtteranceSessionDeps extends EngineSessionDeps {
  readonly transcribe: Transcribe;
  readonly limits: UtteranceLimits;
}

class UtteranceSession implements EngineSession {
  readonly #deps: UtteranceSessionDeps;
  readonly #utterances: Utterances;
  readonly #waiting: Utterance[] = [];
  readonly #stop = new AbortController();
  #isBusy = false;
  #isFinished = false;

  constructor(deps: UtteranceSessionDeps) {
    this.#deps = deps;
    this.#utterances = new Utterances({
      sampleRate: engineSampleRate,
      silenceMs,
      leadMs,
      mostMs: deps.limits.utteranceMs,
      take: (utterance) => this.#queue(utterance),
    });
  }

  write(samples: Int16Array): void {
    if (!this.#isFinished && !this.#isOver) this.#utterances.write(samples);
  }

  finish(): void {
    if (this.#isFinished || this.#isOver) return;
    this.#isFinished = true;
    this.#utterances.end();
    this.#next();
  }

  cancel(): void {
    this.#deps.leave(this);
    this.#stop.abort();
  }

  end(problem: RecognitionProblem | null): void {
    if (this.#isOver) return;
    this.cancel();
    this.#deps.report.over(problem);
  }

  get #isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  #queue(utterance: Utterance): void {
    if (this.#isOver) return;
    const { waiting } = this.#deps.limits;
    if (this.#waiting.length >= waiting) {
      const sentence = `the speech engine is too slow: ${waiting} utterances wait for it`;
      this.end({ code: 'engine-slow', sentence });
      return;
    }
    this.#waiting.push(utterance);
    this.#next();
  }

  #next(): void {
    if (this.#isBusy || this.#isOver) return;
    const utterance = this.#waiting.shift();
    if (utterance !== undefined) {
      this.#isBusy = true;
      this.#transcribe(utterance).then(
        () => {
          this.#isBusy = false;
          this.#next();
        },
        (error: unknown) => this.end(problemOf(error)),
      );
    } else if (this.#isFinished) this.end(null);
  }

  async #transcribe({ samples, fromMs, toMs }: Utterance): Promise<void> {
    const { transcribe, request, report, limits } = this.#deps;
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(limits.answerMs)]);
    for (const result of await transcribe(samples, request, signal)) {
      if (this.#isOver) return;
      const from = Math.min(toMs, fromMs + Math.max(0, result.fromMs));
      const to = Math.min(toMs, Math.max(from, fromMs + result.toMs));
      report.result({ ...result, isFinal: true, fromMs: from, toMs: to });
    }
  }
}
