import type { FrameRefusal, StreamOrder } from '@jackfield/ports';
import { audioBytes, encodeText, frameBuffer, type MediaTemplate, mediaText } from '../media-text.ts';
import type { FrameWriter, TrackShape } from './stream-dialect.ts';

/** Longer names are cut in binary frames: one byte of the header holds the length. */
const MOST_NAME_BYTES = 232;
const HEADER_BYTES = 20;

/** Writes the frames of docs/guides/streams.md#frames; ../README.md describes the binary header. */
export class PlivoWriter implements FrameWriter {
  readonly #order: StreamOrder;
  readonly #stream: string;
  readonly #extraHeaders: string;
  readonly #template: MediaTemplate;
  readonly #isMu: boolean;
  readonly #isBinary: boolean;
  #sequence = 0;

  constructor(order: StreamOrder) {
    this.#order = order;
    this.#stream = JSON.stringify(order.stream);
    this.#extraHeaders = JSON.stringify(order.extraHeaders);
    this.#template = {
      head: encodeText('{"event":"media","sequenceNumber":'),
      beforeChunk: encodeText('","chunk":'),
      beforePayload: encodeText(',"payload":"'),
      tail: encodeText(`"},"extra_headers":${this.#extraHeaders}}`),
    };
    this.#isMu = order.encoding === 'audio/x-mulaw';
    this.#isBinary = order.binary ?? false;
  }

  shapeOf(name: string): TrackShape {
    const middle = encodeText(
      `,"streamId":${this.#stream},"media":{"track":${JSON.stringify(name)},"timestamp":"`,
    );
    const label = encodeText(name).subarray(0, MOST_NAME_BYTES);
    const header = new Uint8Array(HEADER_BYTES + Math.ceil(label.length / 4) * 4);
    header[0] = 1;
    header[1] = header.length;
    header[2] = label.length;
    header.set(label, HEADER_BYTES);
    return { name, middle, header };
  }

  start(tracks: readonly string[], resumed: boolean): readonly string[] {
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
    return [
      `{"event":"start","sequenceNumber":${++this.#sequence},"start":${JSON.stringify(start)},"extra_headers":${this.#extraHeaders}}`,
    ];
  }

  media(
    shape: TrackShape,
    timestampMs: number,
    chunk: number,
    samples: Int16Array,
    offset: number,
    step: number,
  ): Uint8Array {
    const bytes = audioBytes(samples, offset, step, this.#isMu);
    const count = this.#isMu ? samples.length / step : (2 * samples.length) / step;
    const sequence = ++this.#sequence;
    if (!this.#isBinary) {
      return mediaText(this.#template, shape.middle, sequence, timestampMs, chunk, bytes, count);
    }
    const { header } = shape;
    const out = frameBuffer(header.length + count);
    out.set(header, 0);
    out.writeUInt32BE(sequence >>> 0, 4);
    out.writeUInt32BE(chunk >>> 0, 8);
    out.writeUInt32BE(Math.floor(timestampMs / 2 ** 32), 12);
    out.writeUInt32BE((timestampMs % 2 ** 32) >>> 0, 16);
    for (let i = 0; i < count; i++) out[header.length + i] = bytes[i]!;
    return out.subarray(0, header.length + count);
  }

  dtmf(track: string, digit: string, timestampMs: number): readonly string[] {
    const dtmf = { track, digit, timestamp: String(timestampMs) };
    return this.#frame('dtmf', `,"dtmf":${JSON.stringify(dtmf)},"extra_headers":${this.#extraHeaders}`);
  }

  speech(track: string, speaking: boolean, timestampMs: number): readonly string[] {
    const speech = { track, state: speaking ? 'start' : 'stop', timestamp: String(timestampMs) };
    return this.#frame('speech', `,"speech":${JSON.stringify(speech)},"extra_headers":${this.#extraHeaders}`);
  }

  played(name: string): readonly string[] {
    return this.#frame('playedStream', `,"name":${JSON.stringify(name)}`);
  }

  /** Waiting checkpoints are not answered. */
  cleared(): readonly string[] {
    return this.#frame('clearedAudio', '');
  }

  refused(code: FrameRefusal, reason: string): readonly string[] {
    return this.#frame('playFailed', `,"reason":${JSON.stringify(reason)},"reasonCode":"${code}"`);
  }

  stop(reason: string): readonly string[] {
    return this.#frame('stop', `,"stop":${JSON.stringify({ callId: this.#order.call, reason })}`);
  }

  #frame(event: string, rest: string): readonly string[] {
    return [`{"event":"${event}","sequenceNumber":${++this.#sequence},"streamId":${this.#stream}${rest}}`];
  }
}
