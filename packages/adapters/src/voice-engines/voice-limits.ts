import { VoiceError } from './voice-error.ts';

export interface VoiceLimits {
  /** Characters of one text. */
  readonly textLength: number;
  /** The longest time to the first audio. */
  readonly firstMs: number;
  /** The longest time between two pieces of audio. */
  readonly gapMs: number;
  /** The longest audio of one text, in seconds. */
  readonly audioSeconds: number;
}

export const voiceLimits: VoiceLimits = {
  textLength: 3000,
  firstMs: 10_000,
  gapMs: 10_000,
  audioSeconds: 600,
};

/** Refuses a text before it is sent to an engine. */
export function assertText(text: string, { textLength }: VoiceLimits): void {
  if (text.trim() === '') throw new VoiceError('text-empty', 'there is nothing to say');
  if (text.length > textLength)
    throw new VoiceError('text-too-long', `a text has at most ${textLength} characters`);
}

/**
 * Passes the values on; rejects when one of them takes too long, and when the signal aborts. The signal of `values` aborts at every end, because
 * their iterator cannot return while it waits for its engine.
 */
export async function* timed<Value>(
  values: (over: AbortSignal) => AsyncIterable<Value>,
  { firstMs, gapMs }: VoiceLimits,
  signal: AbortSignal,
): AsyncGenerator<Value> {
  const over = new AbortController();
  const iterator = values(over.signal)[Symbol.asyncIterator]();
  let limit = firstMs;
  try {
    for (;;) {
      const late = Promise.withResolvers<never>();
      const abort = () => late.reject(signal.reason);
      const sentence = `the speech engine sent no audio for ${limit} ms`;
      const timer = setTimeout(() => late.reject(new VoiceError('timeout', sentence)), limit);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      try {
        const next = await Promise.race([iterator.next(), late.promise]);
        if (next.done === true) return;
        yield next.value;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      }
      limit = gapMs;
    }
  } finally {
    over.abort();
    // A late value is not used.
    void iterator.return?.().catch(() => {});
  }
}
