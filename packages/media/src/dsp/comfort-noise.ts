/** −65 dBov (RFC 3389 §3): as loud as a quiet office at the far end of a line, and below any voice. */
const LEVEL_DB = -65;
/** Weight of the previous sample: the power falls by 5 dB an octave, as in rooms (Hoth noise). */
const SMOOTHING = 0.6;

/** Noise in this many frames, which join in any order without an audible seam; the same at every call. */
export function renderComfortNoise(frames: number, frameSamples: number): Int16Array[] {
  const noise = new Float64Array(frames * frameSamples);
  let state = 20_733;
  let smooth = 0;
  let power = 0;
  for (let n = 0; n < noise.length; n++) {
    state = (state * 16_807) % 2_147_483_647;
    smooth = SMOOTHING * smooth + (state / 2_147_483_647 - 0.5);
    noise[n] = smooth;
    power += smooth * smooth;
  }
  const scale = (32_767 * 10 ** (LEVEL_DB / 20)) / Math.sqrt(power / noise.length);
  return Array.from({ length: frames }, (_, frame) =>
    Int16Array.from({ length: frameSamples }, (_, i) => Math.round(noise[frame * frameSamples + i]! * scale)),
  );
}
