import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type * as engine from '@jackfield/media';
import type * as ports from '@jackfield/ports';

/** Whether the compiler finds two types identical, to the last optional and read-only member. */
type Same<A, B> =
  (<T>() => T extends A ? 'same' : 'different') extends <T>() => T extends B ? 'same' : 'different'
    ? 'same'
    : 'different';

/** The types that the ports and the media engine both state, because neither may import the other (ARCHITECTURE.md). */
interface Vocabulary {
  readonly MixCommand: Same<ports.MixCommand, engine.MixCommand>;
  readonly CaptureTrack: Same<ports.CaptureTrack, engine.CaptureTrack>;
  readonly Sound: Same<ports.Sound, engine.Sound>;
  /** The pool reports the death of a worker; an engine cannot. */
  readonly MediaNotice: Same<Exclude<ports.MediaNotice, { type: 'media-lost' }>, engine.MediaNotice>;
  readonly SoundClip: Same<ports.SoundClip, engine.SoundClip>;
  readonly AgreedMedia: Same<ports.AgreedMedia, engine.AgreedMedia>;
  readonly AgreedProtection: Same<ports.AgreedProtection, engine.AgreedProtection>;
  readonly AgreedPayload: Same<ports.AgreedPayload, engine.AgreedPayload>;
  readonly LegStatistics: Same<ports.LegStatistics, engine.LegStatistics>;
}

describe('the vocabulary of media', () => {
  it('The ports and the media engine state the same types', () => {
    // The compiler refuses a line whose types differ: change them in both packages.
    const vocabulary: Vocabulary = {
      MixCommand: 'same',
      CaptureTrack: 'same',
      Sound: 'same',
      MediaNotice: 'same',
      SoundClip: 'same',
      AgreedMedia: 'same',
      AgreedProtection: 'same',
      AgreedPayload: 'same',
      LegStatistics: 'same',
    };
    assert.deepEqual(new Set(Object.values(vocabulary)), new Set(['same']));
  });
});
