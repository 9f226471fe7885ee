import { amplitudeOf } from '../dsp/level.ts';
import { resample } from '../dsp/resampler.ts';
import { createGrowingSamples, type GrowingSamples, grow } from '../playout/growing-samples.ts';
import { createSamplesPlay, createTonePlay, type Play } from '../playout/play.ts';
import { createSounds } from '../playout/sounds.ts';
import { narrowClipRate as NARROW, wideClipRate as WIDE } from './clip-rates.ts';
import type { Sound, SoundClip } from './commands.ts';

/** The built-in sounds and the loaded clips of an engine. */
export interface SoundLibrary {
  /**
   * Keeps a clip at 8 kHz, and at 16 kHz where its rate is higher; false when it does not fit into the limit. `narrow`
   * is the clip at 8 kHz, if it is already converted.
   */
  loadClip(name: string, clip: SoundClip, narrow?: Int16Array): boolean;
  /**
   * Adds to the end of a clip that grows, which the first piece begins: at 8 kHz, and at 16 kHz where its rate is higher. False when it does
   * not fit into the limit; the clip is then complete.
   */
  growClip(name: string, piece: ClipPiece): boolean;
  dropClip(name: string): void;
  /** Renders the built-in sounds, which otherwise happens at their first use. */
  warmUp(): void;
  /**
   * Creates a play of the sound for listeners of up to this rate, with this source id; undefined for an unknown clip or
   * an invalid tone.
   */
  play(id: number, sound: Sound, loop: boolean, rate: number): Play | undefined;
  readonly clips: number;
}

interface Clip {
  readonly narrow: Int16Array | GrowingSamples;
  readonly wide: Int16Array | GrowingSamples | undefined;
}

/** More of a clip, at both stored rates. */
export interface ClipPiece {
  readonly narrow: Int16Array;
  readonly wide: Int16Array | undefined;
  /** Nothing follows. */
  readonly isLast: boolean;
}

/** Of all engines of a thread. The built-in sounds have nothing above 3.4 kHz, so 8 kHz suffices. */
const sounds = createSounds(NARROW);

/** A library without clips; `mostSamples` limits all clips together. */
export function createSoundLibrary(mostSamples: number): SoundLibrary {
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
    growClip(name, { narrow, wide, isLast }) {
      const clip = growingClip(clips, name, wide !== undefined);
      const added = narrow.length + (wide?.length ?? 0);
      const fits = clipSamples + added <= mostSamples;
      for (const [growing, more] of [
        [clip.narrow, narrow],
        [clip.wide, wide],
      ] as const) {
        if (growing === undefined) continue;
        if (fits && more !== undefined) grow(growing, more);
        growing.isOpen = !isLast && fits;
      }
      if (fits) clipSamples += added;
      return fits;
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
            // A looped tone has no gap, so it is endless.
            ...(durationMs === undefined || loop ? {} : { durationMs }),
          });
        }
      }
    },
  };
}

interface GrowingClip {
  readonly narrow: GrowingSamples;
  readonly wide: GrowingSamples | undefined;
}

/** The one of this name, or a new one; a whole clip of this name is an error of the caller. */
function growingClip(clips: Map<string, Clip>, name: string, isWide: boolean): GrowingClip {
  const known = clips.get(name);
  if (known !== undefined) {
    if (known.narrow instanceof Int16Array || !known.narrow.isOpen)
      throw new Error(`clip ${name} is complete`);
    return known as GrowingClip;
  }
  const begun = {
    narrow: createGrowingSamples(NARROW),
    wide: isWide ? createGrowingSamples(WIDE) : undefined,
  };
  clips.set(name, begun);
  return begun;
}
