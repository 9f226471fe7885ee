import { resample, wideClipRate } from '@jackfield/media';
import type { SoundClip } from '@jackfield/ports';

/** The clip at the higher of the rates at which an engine keeps it: to load it then costs a third of the CPU. Lower rates stay as they are. */
export function wideClip(clip: SoundClip): SoundClip {
  const { sampleRate, samples } = clip;
  if (sampleRate <= wideClipRate) return clip;
  return { sampleRate: wideClipRate, samples: resample(samples, sampleRate, wideClipRate) };
}
