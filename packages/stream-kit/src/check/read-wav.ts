/** Reads 16-bit mono PCM from a WAV file of exactly this rate; throws for other files. */
export function readWav(bytes: Buffer, sampleRate: number): Int16Array {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE') {
    throw new Error(`the file is not a WAV file: mono, 16 bit, ${sampleRate} Hz is needed`);
  }
  let format: { channels: number; rate: number; bits: number } | undefined;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    if (name === 'fmt ' && at + 24 <= bytes.length) {
      const channels = bytes.readUInt16LE(at + 10);
      format = { channels, rate: bytes.readUInt32LE(at + 12), bits: bytes.readUInt16LE(at + 22) };
    } else if (name === 'data') {
      if (format?.channels !== 1 || format.bits !== 16 || format.rate !== sampleRate) {
        throw new Error(`the WAV file must be mono, 16 bit, ${sampleRate} Hz`);
      }
      const end = Math.min(at + 8 + size, bytes.length);
      const samples = new Int16Array((end - at - 8) >> 1);
      for (let index = 0; index < samples.length; index++) {
        samples[index] = bytes.readInt16LE(at + 8 + 2 * index);
      }
      return samples;
    }
    at += 8 + size + (size & 1);
  }
  throw new Error('the WAV file has no data');
}
