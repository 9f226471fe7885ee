import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SoundClip, Speech } from '@jackfield/ports';
import { createFairLine } from './fair-line.ts';
import { createLoadedClips } from './loaded-clips.ts';
import { speakInTurn } from './spoken-clip.ts';

const piece: SoundClip = { sampleRate: 8_000, samples: new Int16Array(80) };
const request = { text: 'one. two.', language: 'en-US', accounts: ['MA1'] };

/** A line in which an account has one turn, and an engine that gives its two pieces when it is let. */
function openLine() {
  const texts = createFairLine({ atOnce: 2, perGroup: 1, waiting: 9 });
  const firstPiece = Promise.withResolvers<void>();
  const speech: Speech = {
    speak: async () => piece,
    async *stream() {
      await firstPiece.promise;
      yield piece;
      yield piece;
    },
  };
  return { texts, speech, letGo: firstPiece.resolve };
}

const growing = (growClip: () => Promise<void>) =>
  createLoadedClips({ loadClip: async () => {}, growClip, dropClip: () => {} }, 1_000_000);

describe('the turn of a text', () => {
  it('ends when the last requester leaves while the first piece is made', async () => {
    const { texts, speech, letGo } = openLine();
    const stop = new AbortController();
    const clips = growing(async () => {});
    const taken = clips.take('text', stop.signal, (signal) => speakInTurn(speech, texts, request, signal));
    assert.equal(texts.census().working, 1);
    stop.abort();
    await assert.rejects(taken, { code: 'withdrawn' });
    letGo();
    const next = await clips.take('text', new AbortController().signal, (signal) =>
      speakInTurn({ speak: async () => piece }, texts, request, signal),
    );
    assert.equal(next.durationMs, 10);
    next.free();
    assert.deepEqual(texts.census(), { working: 0, waiting: 0 });
  });

  it('ends when the media engine has no room for the first piece', async () => {
    const { texts, speech, letGo } = openLine();
    const clips = growing(() => Promise.reject(new RangeError('it exceeds what may be kept')));
    const never = new AbortController().signal;
    letGo();
    await assert.rejects(
      clips.take('text', never, (signal) => speakInTurn(speech, texts, request, signal)),
      RangeError,
    );
    const next = await clips.take('other', never, (signal) =>
      speakInTurn({ speak: async () => piece }, texts, request, signal),
    );
    next.free();
    assert.deepEqual(texts.census(), { working: 0, waiting: 0 });
  });
});
