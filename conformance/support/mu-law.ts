/** A 16-bit sample by ITU-T G.711: written a second time, so that our own codec is not tested by itself. */
export function muLaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(Math.round(sample)), 32_635) + 132;
  const exponent = Math.floor(Math.log2(magnitude)) - 7;
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 15)) & 0xff;
}

/** A µ-law byte by ITU-T G.711, as a 16-bit sample. */
export function muLawSample(byte: number): number {
  const bits = ~byte & 0xff;
  const magnitude = (((bits & 15) << 3) + 132) * 2 ** ((bits >> 4) & 7) - 132;
  return bits & 0x80 ? -magnitude : magnitude;
}
