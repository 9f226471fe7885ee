import { isSilent } from '../dsp/level.ts';
import { createOscillator } from '../dsp/oscillator.ts';
import { createSource, type Source } from '../mix/source.ts';
import { copySamples } from '../samples/sample-loops.ts';
import type { GrowingSamples } from './growing-samples.ts';
import { FADE_MS } from './sounds.ts';

/** A sound for a mix. All listeners hear it at one position. */
export interface Play extends Source {
  /** Fills the frame with the next 20 ms; false, with an inactive frame, at the end. */
  advance(): boolean;
  /** No sample is left: the next frame would be empty. */
  readonly isAtEnd: boolean;
  /** Frames since its start, without those that waited for samples. */
  readonly frames: number;
  /** Continues after this many frames: the play began in another engine. */
  seek(frames: number): void;
}

/** Plays samples at the rate of the mix, once or in a gapless loop; at the end of growing samples it waits in silence for more. */
export function createSamplesPlay(
  id: number,
  frameSamples: number,
  given: Int16Array | GrowingSamples,
  loop: boolean,
): Play {
  const source =
    given instanceof Int16Array ? { samples: given, length: given.length, isOpen: false } : given;
  let position = 0;
  const play: Play & { frames: number; isAtEnd: boolean } = {
    ...createSource(id, frameSamples),
    frames: 0,
    isAtEnd: false,
    seek(frames) {
      play.frames = frames;
      const at = frames * frameSamples;
      position =
        loop && source.length > 0 && !source.isOpen ? at % source.length : Math.min(at, source.length);
    },
    advance() {
      const { frame } = play;
      const { samples, length } = source;
      if (source.isOpen && length - position < frameSamples) {
        frame.fill(0);
        play.active = false;
        return true;
      }
      play.frames++;
      let filled = 0;
      while (filled < frameSamples) {
        if (position >= length) {
          if (!loop || length === 0) break;
          position = 0;
        }
        const part = Math.min(frameSamples - filled, length - position);
        copySamples(samples, position, part, frame, filled);
        filled += part;
        position += part;
      }
      frame.fill(0, filled);
      play.active = filled > 0 && !isSilent(frame, frameSamples);
      play.isAtEnd = !loop && !source.isOpen && position >= length;
      return filled > 0;
    },
  };
  return play;
}

/** A sine: frequency in hertz, amplitude, length in milliseconds. */
export interface ToneShape {
  readonly rate: number;
  readonly frequencyHz: number;
  /** 1 is full scale. */
  readonly amplitude: number;
  /** Endless when left out. */
  readonly durationMs?: number;
}

/** Plays one sine, generated on the fly, so that an endless tone needs no memory and has no seam. */
export function createTonePlay(id: number, frameSamples: number, shape: ToneShape): Play {
  const oscillator = createOscillator(shape.rate, shape.frequencyHz);
  const total =
    shape.durationMs === undefined
      ? Number.POSITIVE_INFINITY
      : Math.round((shape.durationMs * shape.rate) / 1000);
  const fade = Math.round((FADE_MS * shape.rate) / 1000);
  const scratch = new Float64Array(frameSamples);
  let position = 0;
  const play: Play & { frames: number; isAtEnd: boolean } = {
    ...createSource(id, frameSamples),
    frames: 0,
    isAtEnd: false,
    seek(frames) {
      play.frames = frames;
      position = frames * frameSamples;
    },
    advance() {
      const { frame } = play;
      play.frames++;
      const left = total - position;
      if (left <= 0) {
        play.active = false;
        return false;
      }
      const count = Math.min(frameSamples, left);
      scratch.fill(0);
      oscillator.addTo(scratch, 0, count, shape.amplitude);
      for (let i = 0; i < frameSamples; i++) {
        const edge = Math.min(1, (position + i + 1) / fade, (left - i) / fade);
        frame[i] = i < count ? Math.round(scratch[i]! * edge) : 0;
      }
      position += count;
      play.active = true;
      play.isAtEnd = position >= total;
      return true;
    },
  };
  return play;
}
