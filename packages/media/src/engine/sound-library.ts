import { amplitudeOf } from '../dsp/level.ts';
import { resample } from '../dsp/resampler.ts';
import { createSamplesPlay, createTonePlay, type Play } from '../playout/play.ts';
import { createSounds } from '../playout/sounds.ts';
import type { Sound, SoundClip } from './commands.ts';

/** Everything that an engine can play: built-in sounds and the clips that were loaded. */
export interface SoundLibrary {
  /**
   * Keeps a clip, converted to 8 kHz, and to 16 kHz where it has more to say; false when both would not fit into the limit. `narrow` is
   * the clip at 8 kHz, for who has converted it already.
   */
  loadClip(name: string, clip: SoundClip, narrow?: Int16Array): boolean;
  dropClip(name: string): void;
  /** Renders the built-in sounds, which otherwise happens at their first use. */
  warmUp(): void;
  /** The sound from its beginning for listeners of up to this rate, as the source with this id; undefined when there is none like it. */
  play(id: number, sound: Sound, loop: boolean, rate: number): Play | undefined;
  readonly clips: number;
}

/** Rates at which sounds are kept: that of telephones, where most listeners are, and one that carries all of speech. */
const NARROW = 8000;
const WIDE = 16_000;

interface Clip {
  readonly narrow: Int16Array;
  readonly wide: Int16Array | undefined;
}

/** A library without clips; `mostSamples` is the room for all clips together. */
export function createSoundLibrary(mostSamples: number): SoundLibrary {
  // Nothing in them reaches above 3.4 kHz, so they are rendered at this rate alone.
  const sounds = createSounds(NARROW);
  const frameSamples = NARROW / 50;
  const clips = new Map<string, Clip>();
  let clipSamples = 0;
  const sizeOf = (clip: Clip | undefined): number => (clip?.narrow.length ?? 0) + (clip?.wide?.length ?? 0);

  return {
    get clips() {
      return clips.size;
    },
    loadClip(name, { sampleRate, samples }, narrow) {
      const isWide = sampleRate > NARROW;
      const seconds = samples.length / sampleRate;
      const length = Math.round(seconds * NARROW) + (isWide ? Math.round(seconds * WIDE) : 0);
      const replaced = sizeOf(clips.get(name));
      if (clipSamples - replaced + length > mostSamples) return false;
      const clip: Clip = {
        narrow: narrow ?? resample(samples, sampleRate, NARROW),
        wide: isWide ? resample(samples, sampleRate, WIDE) : undefined,
      };
      clips.set(name, clip);
      clipSamples += sizeOf(clip) - replaced;
      return true;
    },
    dropClip(name) {
      clipSamples -= sizeOf(clips.get(name));
      clips.delete(name);
    },
    warmUp() {
      sounds.holdMusic();
      sounds.ringback();
      sounds.beep(1);
      sounds.beep(2);
    },
    play(id, sound, loop, rate) {
      switch (sound.kind) {
        case 'beep':
          return createSamplesPlay(id, frameSamples, sounds.beep(sound.count), loop);
        case 'ringback':
          return createSamplesPlay(id, frameSamples, sounds.ringback(), loop);
        case 'hold-music':
          return createSamplesPlay(id, frameSamples, sounds.holdMusic(), loop);
        case 'clip': {
          const clip = clips.get(sound.name);
          if (clip === undefined) return undefined;
          const isWide = rate > NARROW && clip.wide !== undefined;
          return isWide
            ? createSamplesPlay(id, WIDE / 50, clip.wide!, loop)
            : createSamplesPlay(id, frameSamples, clip.narrow, loop);
        }
        case 'tone': {
          const { frequencyHz, levelDb, durationMs } = sound;
          if (!(frequencyHz > 0 && frequencyHz < rate / 2)) return undefined;
          return createTonePlay(id, rate / 50, {
            rate,
            frequencyHz,
            amplitude: amplitudeOf(levelDb),
            // A tone without a gap, over and over, is an endless one.
            ...(durationMs === undefined || loop ? {} : { durationMs }),
          });
        }
      }
    },
  };
}
