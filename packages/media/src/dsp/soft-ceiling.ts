/** Peaks of what is added up or amplified are kept at or below this: 1 dB under full scale. */
export const CEILING = 29_204;
const ROOM = 32_767 - CEILING;

/**
 * A sample as it is up to the ceiling; what exceeds it is bent into the decibel above, without a corner: its slope is that of
 * the signal at the ceiling, and nothing reaches full scale.
 */
export function bend(sample: number): number {
  if (sample > CEILING) {
    const over = sample - CEILING;
    return CEILING + (ROOM * over) / (over + ROOM);
  }
  if (sample < -CEILING) {
    const over = -CEILING - sample;
    return -CEILING - (ROOM * over) / (over + ROOM);
  }
  return sample;
}
