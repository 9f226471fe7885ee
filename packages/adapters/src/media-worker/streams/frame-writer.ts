import { pcmu } from '@jackfield/media';
import type { FrameRefusal, StreamOrder } from '@jackfield/ports';
import { writeBase64 } from './base64.ts';

/** A track with the constant text of its frames, written once. README.md describes the binary header. */
export interface TrackShape {
  readonly name: string;
  readonly middle: Uint8Array;
  readonly header: Uint8Array;
}

const encode = (text: string): Uint8Array => Buffer.from(text, 'utf8');
const mediaHead = encode('{"event":"media","sequenceNumber":');
const chunkHead = encode('","chunk":');
const payloadHead = encode(',"payload":"');
/** Longer names are cut in binary frames: one byte of the header holds the length. */
const MOST_NAME_BYTES = 232;
const HEADER_BYTES = 20;
/** 20 ms at 24 kHz. */
const MOST_SAMPLES = 480;

/** Frames are written here and copied by the socket; all streams of a thread share it. */
let out = Buffer.alloc(8192);
const gathered = new Int16Array(MOST_SAMPLES);
const gatheredBytes = new Uint8Array(gathered.buffer);
const companded = new Uint8Array(MOST_SAMPLES);

/** Writes the frames of one stream; the numbers continue over its connections. */
export class FrameWriter {
  readonly #order: StreamOrder;
  readonly #stream: string;
  readonly #extraHeaders: string;
  readonly #tail: Uint8Array;
  readonly #isMu: boolean;
  readonly #isBinary: boolean;
  #sequence = 0;

  constructor(order: StreamOrder) {
    this.#order = order;
    this.#stream = JSON.stringify(order.stream);
    this.#extraHeaders = JSON.stringify(order.extraHeaders);
    this.#tail = encode(`"},"extra_headers":${this.#extraHeaders}}`);
    this.#isMu = order.encoding === 'audio/x-mulaw';
    this.#isBinary = order.binary ?? false;
  }

  shapeOf(name: string): TrackShape {
    const middle = encode(
      `,"streamId":${this.#stream},"media":{"track":${JSON.stringify(name)},"timestamp":"`,
    );
    const label = encode(name).subarray(0, MOST_NAME_BYTES);
    const header = new Uint8Array(HEADER_BYTES + Math.ceil(label.length / 4) * 4);
    header[0] = 1;
    header[1] = header.length;
    header[2] = label.length;
    header.set(label, HEADER_BYTES);
    return { name, middle, header };
  }

  start(tracks: readonly string[], resumed: boolean): string {
    const { call, stream, account, encoding, sampleRate } = this.#order;
    const mediaFormat = { encoding, sampleRate };
    const start = {
      callId: call,
      streamId: stream,
      accountId: account,
      tracks,
      mediaFormat,
      ...(resumed ? { resumed } : {}),
    };
    return `{"event":"start","sequenceNumber":${++this.#sequence},"start":${JSON.stringify(start)},"extra_headers":${this.#extraHeaders}}`;
  }

  /** Writes every `step`-th sample from `offset`; the result is valid until the next frame is written. */
  media(
    shape: TrackShape,
    timestampMs: number,
    chunk: number,
    samples: Int16Array,
    offset: number,
    step: number,
  ): Uint8Array {
    const bytes = this.#audio(samples, offset, step);
    const count = this.#isMu ? samples.length / step : (2 * samples.length) / step;
    const needed = 200 + shape.middle.length + this.#tail.length + shape.header.length + 2 * count;
    if (needed > out.length) out = Buffer.alloc(needed);
    const sequence = ++this.#sequence;
    if (this.#isBinary) {
      const { header } = shape;
      out.set(header, 0);
      out.writeUInt32BE(sequence >>> 0, 4);
      out.writeUInt32BE(chunk >>> 0, 8);
      out.writeUInt32BE(Math.floor(timestampMs / 2 ** 32), 12);
      out.writeUInt32BE((timestampMs % 2 ** 32) >>> 0, 16);
      for (let i = 0; i < count; i++) out[header.length + i] = bytes[i]!;
      return out.subarray(0, header.length + count);
    }
    let at = put(mediaHead, 0);
    at = putNumber(sequence, at);
    at = put(shape.middle, at);
    at = putNumber(timestampMs, at);
    at = put(chunkHead, at);
    at = putNumber(chunk, at);
    at = put(payloadHead, at);
    at = writeBase64(bytes, count, out, at);
    at = put(this.#tail, at);
    return out.subarray(0, at);
  }

  dtmf(track: string, digit: string, timestampMs: number): string {
    const dtmf = { track, digit, timestamp: String(timestampMs) };
    return this.#frame('dtmf', `,"dtmf":${JSON.stringify(dtmf)},"extra_headers":${this.#extraHeaders}`);
  }

  playedStream(name: string): string {
    return this.#frame('playedStream', `,"name":${JSON.stringify(name)}`);
  }

  clearedAudio(): string {
    return this.#frame('clearedAudio', '');
  }

  playFailed(code: FrameRefusal, reason: string): string {
    return this.#frame('playFailed', `,"reason":${JSON.stringify(reason)},"reasonCode":"${code}"`);
  }

  stop(reason: string): string {
    return this.#frame('stop', `,"stop":${JSON.stringify({ callId: this.#order.call, reason })}`);
  }

  #frame(event: string, rest: string): string {
    return `{"event":"${event}","sequenceNumber":${++this.#sequence},"streamId":${this.#stream}${rest}}`;
  }

  /** The samples as the bytes of this stream: little-endian L16 (the order of this machine's memory), or µ-law. */
  #audio(samples: Int16Array, offset: number, step: number): Uint8Array {
    const count = samples.length / step;
    for (let i = 0; i < count; i++) gathered[i] = samples[offset + i * step]!;
    if (!this.#isMu) return gatheredBytes;
    pcmu.encode(gathered, count, companded, 0);
    return companded;
  }
}

function put(bytes: Uint8Array, at: number): number {
  out.set(bytes, at);
  return at + bytes.length;
}

/** A whole number from 0 to 2⁵³. */
function putNumber(number: number, at: number): number {
  let digits = 1;
  for (let power = 10; power <= number; power *= 10) digits++;
  let left = number;
  for (let i = at + digits - 1; i >= at; i--) {
    const tenth = Math.floor(left / 10);
    out[i] = 48 + (left - tenth * 10);
    left = tenth;
  }
  return at + digits;
}
