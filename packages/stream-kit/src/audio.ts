/** 16-bit samples in the byte order of the wire: little-endian. */
export function toLinear(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2);
  for (const [index, sample] of samples.entries()) bytes.writeInt16LE(sample, index * 2);
  return bytes;
}

export function fromLinear(bytes: Buffer): Int16Array {
  const samples = new Int16Array(bytes.length >> 1);
  for (let index = 0; index < samples.length; index++) samples[index] = bytes.readInt16LE(index * 2);
  return samples;
}

/** ITU-T G.711: the bias before the logarithm, and the largest magnitude. */
const bias = 0x84;
const loudest = 32_635;

/** A second implementation: tests through the kit must not check the platform's codec with itself. */
export function toMulaw(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(samples.length);
  for (const [index, sample] of samples.entries()) {
    const sign = sample < 0 ? 0x80 : 0;
    // G.711 as in ITU-T G.191: negative samples use the ones' complement.
    const magnitude = Math.min(sample < 0 ? ~sample : sample, loudest) + bias;
    const exponent = Math.max(0, 24 - Math.clz32(magnitude));
    const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
    bytes[index] = ~(sign | (exponent << 4) | mantissa) & 0xff;
  }
  return bytes;
}

export function fromMulaw(bytes: Uint8Array): Int16Array {
  const samples = new Int16Array(bytes.length);
  for (const [index, byte] of bytes.entries()) {
    const code = ~byte & 0xff;
    const magnitude = ((((code & 0x0f) << 3) + bias) << ((code >> 4) & 7)) - bias;
    samples[index] = (code & 0x80) === 0 ? magnitude : -magnitude;
  }
  return samples;
}

/** Level of the samples, in dB below full scale; -Infinity for silence. */
export function levelDb(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return 10 * Math.log10(sum / Math.max(1, samples.length) / 32_768 ** 2);
}

/** A tone for tests, at half of full scale. */
export function tone(frequencyHz: number, milliseconds: number, sampleRate: number): Int16Array {
  const samples = new Int16Array(Math.round((sampleRate * milliseconds) / 1000));
  const step = (2 * Math.PI * frequencyHz) / sampleRate;
  for (let index = 0; index < samples.length; index++) {
    samples[index] = Math.round(16_384 * Math.sin(step * index));
  }
  return samples;
}
