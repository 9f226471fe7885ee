/** The quietest step of A-law is ±8; a frame within it is inaudible. */
const SILENCE_PEAK = 8;

/** Whether no sample exceeds `peak`. It stops at the first louder one, so loud frames are cheap. */
export function isSilent(samples: Int16Array, count: number, peak: number = SILENCE_PEAK): boolean {
  for (let i = 0; i < count; i++) {
    const sample = samples[i]!;
    if (sample > peak || sample < -peak) return false;
  }
  return true;
}

/** Root mean square of the samples in dB relative to a full-scale square wave; −Infinity for silence. */
export function levelDb(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return 10 * Math.log10(sum / Math.max(1, samples.length) / (32767 * 32767));
}

/** Amplitude (1 is full scale) of a level in dB relative to full scale; 0 dB and above is 1. */
export function amplitudeOf(decibels: number): number {
  return Math.min(1, 10 ** (decibels / 20));
}
