/**
 * Level of one frequency in dB relative to a full-scale sine (0 dB; −Infinity for silence), by Goertzel's algorithm
 * with a Hann window. Distinguishes tones at least 2 × rate / samples.length hertz apart.
 */
export function toneLevel(samples: Int16Array, rate: number, hz: number): number {
  const count = samples.length;
  if (count < 2) return Number.NEGATIVE_INFINITY;
  const coefficient = 2 * Math.cos((2 * Math.PI * hz) / rate);
  const windowStep = (2 * Math.PI) / count;
  let s1 = 0;
  let s2 = 0;
  for (let i = 0; i < count; i++) {
    // Without a window, a loud neighbour leaks into every other bin at −13 dB.
    const windowed = samples[i]! * (0.5 - 0.5 * Math.cos(windowStep * (i + 0.5)));
    const s0 = windowed + coefficient * s1 - s2;
    s2 = s1;
    s1 = s0;
  }
  const power = s1 * s1 + s2 * s2 - coefficient * s1 * s2;
  // A sine of amplitude a yields a·count/4 with a Hann window (mean 1/2, half of the energy in each of ±hz).
  const amplitude = (4 * Math.sqrt(Math.max(0, power))) / count;
  return 20 * Math.log10(amplitude / 32767);
}
