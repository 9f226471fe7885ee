import { createMp3Encoder } from 'wasm-media-encoders';

/** A sine of half the full scale. */
export function sine(hz: number, sampleRate: number, seconds: number): Float32Array {
  return Float32Array.from(
    { length: Math.round(sampleRate * seconds) },
    (_, i) => Math.sin((2 * Math.PI * hz * i) / sampleRate) / 2,
  );
}

export async function mp3File(
  channels: readonly Float32Array[],
  sampleRate: 8_000 | 16_000 | 22_050 | 44_100 | 48_000,
  bitrate: 8 | 32 | 64 | 128 = 64,
): Promise<Uint8Array> {
  const encoder = await createMp3Encoder();
  // Without this the encoder chooses a rate that suits the bit rate.
  encoder.configure({
    sampleRate,
    outputSampleRate: sampleRate,
    channels: channels.length as 1 | 2,
    bitrate,
  });
  const pieces: Uint8Array[] = [];
  const length = channels[0]!.length;
  for (let at = 0; at < length; at += sampleRate) {
    // The encoder reuses its output: it has to be copied.
    pieces.push(encoder.encode(channels.map((one) => one.subarray(at, at + sampleRate))).slice());
  }
  pieces.push(encoder.finalize().slice());
  return new Uint8Array(Buffer.concat(pieces));
}

export interface WavForm {
  readonly tag?: number;
  readonly bits?: number;
  readonly channels?: number;
  readonly sampleRate?: number;
  readonly frameBytes?: number;
  /** Length in the data chunk's header, in place of the real one. */
  readonly dataLength?: number;
}

export function wavFile(data: Uint8Array, form: WavForm = {}, ...between: readonly Uint8Array[]): Uint8Array {
  return riff(formatChunk(form), ...between, chunk('data', data, form.dataLength));
}

export function riff(...chunks: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat([Buffer.from('WAVE'), ...chunks]);
  return new Uint8Array(chunk('RIFF', body));
}

export function chunk(id: string, body: Uint8Array, length = body.length): Uint8Array {
  const head = Buffer.alloc(8);
  head.write(id, 'latin1');
  head.writeUInt32LE(length >>> 0, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length & 1)]);
}

export function formatChunk(form: WavForm = {}): Uint8Array {
  const { tag = 1, bits = 16, channels = 1, sampleRate = 8_000 } = form;
  const isExtensible = tag > 0xffff;
  const body = Buffer.alloc(isExtensible ? 40 : 16);
  body.writeUInt16LE(isExtensible ? 0xfffe : tag, 0);
  body.writeUInt16LE(channels, 2);
  body.writeUInt32LE(sampleRate, 4);
  body.writeUInt32LE(Math.min(0xffffffff, (sampleRate * channels * bits) / 8), 8);
  body.writeUInt16LE(form.frameBytes ?? Math.min(0xffff, (channels * bits) / 8), 12);
  body.writeUInt16LE(bits, 14);
  if (isExtensible) {
    body.writeUInt16LE(22, 16);
    body.writeUInt16LE(bits, 18);
    body.writeUInt16LE(tag & 0xffff, 24);
    body.write('000000001000800000aa00389b71', 26, 'hex');
  }
  return chunk('fmt ', body);
}

/** Signed samples of 16 bits. */
export function pcm16(samples: Float32Array): Uint8Array {
  const bytes = Buffer.alloc(samples.length * 2);
  for (const [i, sample] of samples.entries()) bytes.writeInt16LE(Math.round(sample * 32_767), i * 2);
  return bytes;
}
