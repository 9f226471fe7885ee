/** Peaks of sums and amplified frames are limited to this: 1 dB below full scale. */
export const CEILING = 29_204;
const ROOM = 32_767 - CEILING;

/**
 * Returns a sample up to the ceiling unchanged. Compresses the excess into the decibel above, with a continuous slope
 * and below full scale.
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
