import type {
  RecognitionNotice,
  RecognitionOrder,
  RecognitionProblemCode,
  SpeechRecognition,
  SpeechResult,
} from '@jackfield/ports';
import type { SimulatedMedia } from './simulated-media.ts';

/** Speech recognition whose results the test gives. */
export interface SimulatedRecognition extends SpeechRecognition {
  /** Running recognitions, in the order of their start. */
  readonly orders: readonly RecognitionOrder[];
  /** Names whose audio has been ordered to end. */
  readonly finished: readonly string[];
  /** A result for the latest recognition. */
  recognise(text: string, changes?: Partial<SpeechResult>): void;
  /** The end of the latest recognition: complete, or with a problem. */
  over(code?: RecognitionProblemCode): void;
}

/** The sound of legs: captures on order, and their audio. */
export type CapturedSound = Pick<SimulatedMedia, 'send' | 'onCaptured'>;

/** Results that a test gives, or a recogniser over the captures of each process. */
export type Recognition = SimulatedRecognition | ((sound: CapturedSound) => SpeechRecognition);

/** What a platform gets of it. */
export function recognitionOf(
  recognition: Recognition | undefined,
  sound: CapturedSound,
): { readonly recognition?: SpeechRecognition } {
  if (recognition === undefined) return {};
  return { recognition: typeof recognition === 'function' ? recognition(sound) : recognition };
}

/** Starts without recognitions. `touched` wakes the world after a notice. */
export function createSimulatedRecognition(touched: () => void): SimulatedRecognition {
  const running = new Map<string, RecognitionOrder>();
  const finished: string[] = [];
  const listeners = new Set<(notice: RecognitionNotice) => void>();
  const notify = (notice: RecognitionNotice) => {
    touched();
    for (const listener of listeners) listener(notice);
  };
  const latest = () => {
    const name = [...running.keys()].at(-1);
    if (name === undefined) throw new Error('no recognition runs');
    return name;
  };
  return {
    get orders() {
      return [...running.values()];
    },
    finished,
    start: (order) => void running.set(order.recognition, order),
    finish: (recognition) => void finished.push(recognition),
    cancel(recognition) {
      if (!running.delete(recognition)) return;
      queueMicrotask(() => notify({ type: 'recognition-over', recognition, problem: null }));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    recognise(text, changes = {}) {
      const result = { isFinal: true, text, confidence: null, fromMs: 0, toMs: 500, ...changes };
      notify({ type: 'recognised', recognition: latest(), result });
    },
    over(code) {
      const recognition = latest();
      running.delete(recognition);
      const problem = code === undefined ? null : { code, sentence: 'the scripted engine is away' };
      notify({ type: 'recognition-over', recognition, problem });
    },
  };
}
