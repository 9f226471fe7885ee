import { amplitudeOf } from '../dsp/level.ts';
import { resample } from '../dsp/resampler.ts';
import { createSamplesPlay, createTonePlay, type Play } from '../playout/play.ts';
import { createSounds } from '../playout/sounds.ts';
import type { Sound, SoundClip } from './commands.ts';

/** Everything that an engine can play: built-in sounds and the clips that were loaded. */
export interface SoundLibrary {
  /** Keeps a clip, converted to the rate of the mix; false when it would not fit into the limit. */
  loadClip(name: string, clip: SoundClip): boolean;
  dropClip(name: string): void;
  /** Renders the built-in sounds, which otherwise happens at their first use. */
  warmUp(): void;
  /** The sound from its beginning, as the source with this id; undefined when there is none like it. */
  play(id: number, sound: Sound, loop: boolean): Play | undefined;
  readonly clips: number;
}

/** A library without clips; `mostSamples` is the room for all clips together. */
export function createSoundLibrary(rate: number, frameSamples: number, mostSamples: number): SoundLibrary {
  const sounds = createSounds(rate);
  const clips = new Map<string, Int16Array>();
  let clipSamples = 0;

  return {
    get clips() {
      return clips.size;
    },
    loadClip(name, { sampleRate, samples }) {
      const length = Math.round((samples.length * rate) / sampleRate);
      const replaced = clips.get(name)?.length ?? 0;
      if (clipSamples - replaced + length > mostSamples) return false;
      clips.set(name, resample(samples, sampleRate, rate));
      clipSamples += length - replaced;
      return true;
    },
    dropClip(name) {
      clipSamples -= clips.get(name)?.length ?? 0;
      clips.delete(name);
    },
    warmUp() {
      sounds.holdMusic();
      sounds.ringback();
      sounds.beep(1);
      sounds.beep(2);
    },
    play(id, sound, loop) {
      switch (sound.kind) {
        case 'beep':
          return createSamplesPlay(id, frameSamples, sounds.beep(sound.count), loop);
        case 'ringback':
          return createSamplesPlay(id, frameSamples, sounds.ringback(), loop);
        case 'hold-music':
          return createSamplesPlay(id, frameSamples, sounds.holdMusic(), loop);
        case 'clip': {
          const samples = clips.get(sound.name);
          return samples && createSamplesPlay(id, frameSamples, samples, loop);
        }
        case 'tone': {
          const { frequencyHz, levelDb, durationMs } = sound;
          if (!(frequencyHz > 0 && frequencyHz < rate / 2)) return undefined;
          return createTonePlay(id, frameSamples, {
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
