import type { SoundClip, Speech, SpeechRequest, StopSignal } from '@jackfield/ports';
import type { FairLine } from './fair-line.ts';
import type { GrowingClip } from './loaded-clips.ts';

/**
 * A text in its turn at the engine. An engine that streams gives the first piece at once; its turn lasts until the last one.
 * Accounts take turns: the first of `accounts` names the group.
 */
export function speakInTurn(
  speech: Speech,
  texts: FairLine,
  request: SpeechRequest & { readonly accounts: readonly string[] },
  signal: StopSignal,
): Promise<SoundClip | GrowingClip> {
  const group = request.accounts[0] ?? '';
  return new Promise((resolve, reject) => {
    const turn = () => speak(speech, request, signal, resolve);
    texts.run(group, turn, signal).catch(reject);
  });
}

async function speak(
  speech: Speech,
  request: SpeechRequest,
  signal: StopSignal,
  begun: (clip: SoundClip | GrowingClip) => void,
): Promise<void> {
  const stop = new AbortController();
  const abort = () => stop.abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const stream = speech.stream?.(request, stop.signal);
    if (stream === undefined) return begun(await speech.speak(request));
    const pieces = stream[Symbol.asyncIterator]();
    const first = await pieces.next();
    // The end of a request that ended meanwhile is not reported again, and the clip is used by nothing.
    if (first.done === true || stop.signal.aborted) return begun(silence);
    await new Promise<void>((over) => {
      stop.signal.addEventListener('abort', () => over(), { once: true });
      begun({ first: first.value, rest: watched(pieces, over) });
    });
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const silence: SoundClip = { sampleRate: 8_000, samples: new Int16Array(0) };

/** Reports the end of the pieces, good or bad. */
function watched(pieces: AsyncIterator<SoundClip>, over: () => void): AsyncIterator<SoundClip> {
  return {
    async next() {
      try {
        const piece = await pieces.next();
        if (piece.done === true) over();
        return piece;
      } catch (error) {
        over();
        throw error;
      }
    },
  };
}
