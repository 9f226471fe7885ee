/** What a header says of the samples behind it: 16-bit, channels interleaved. */
export interface SoundFormat {
  readonly sampleRate: number;
  readonly channels: number;
}

export const wavHeaderBytes = 44;

const bytesPerSample = 2;
/** A header counts in 32 bits, its own first 8 bytes left out. */
export const longestWavData = 0xffff_ffff - wavHeaderBytes;

/**
 * RIFF header of 16-bit PCM, all numbers little-endian:
 *
 *     0 RIFF  4 size-8  8 WAVE | 12 'fmt '  16 16  20 PCM  22 channels  24 rate  28 bytes/s  32 frame  34 bits | 36 data  40 bytes
 */
export function wavHeader({ sampleRate, channels }: SoundFormat, dataBytes: number): Uint8Array {
  const header = Buffer.alloc(wavHeaderBytes);
  const counted = Math.min(dataBytes, longestWavData);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(wavHeaderBytes - 8 + counted, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * channels * bytesPerSample, 28);
  header.writeUInt16LE(channels * bytesPerSample, 32);
  header.writeUInt16LE(bytesPerSample * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(counted, 40);
  return header;
}

/** The format in a header of ours; undefined for anything else. */
export function readWavHeader(bytes: Uint8Array): (SoundFormat & { readonly dataBytes: number }) | undefined {
  if (bytes.length < wavHeaderBytes) return undefined;
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, wavHeaderBytes);
  const isOurs =
    header.toString('latin1', 0, 4) === 'RIFF' &&
    header.toString('latin1', 8, 16) === 'WAVEfmt ' &&
    header.toString('latin1', 36, 40) === 'data' &&
    header.readUInt16LE(20) === 1 &&
    header.readUInt16LE(34) === bytesPerSample * 8;
  const channels = header.readUInt16LE(22);
  const sampleRate = header.readUInt32LE(24);
  if (!isOurs || channels === 0 || sampleRate === 0) return undefined;
  return { channels, sampleRate, dataBytes: header.readUInt32LE(40) };
}

/** Whole milliseconds of so many bytes of samples. */
export function wavDurationMs({ sampleRate, channels }: SoundFormat, dataBytes: number): number {
  const frames = Math.floor(dataBytes / (channels * bytesPerSample));
  return Math.round((frames * 1000) / sampleRate);
}
