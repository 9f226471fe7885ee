import type { StreamOrder } from '@jackfield/ports';
import { audioBytes, encodeText, type MediaTemplate, mediaText } from '../media-text.ts';
import { readObject } from './read-json.ts';
import type { FrameWriter, TrackShape } from './stream-dialect.ts';

const noHeader = new Uint8Array();
const template: MediaTemplate = {
  head: encodeText('{"event":"media","sequenceNumber":"'),
  beforeChunk: encodeText('","chunk":"'),
  beforePayload: encodeText('","payload":"'),
  tail: encodeText('"}}'),
};

/** Writes the frames of docs/guides/streams.md#the-twilio-dialect. Numbers are texts there, and the audio is µ-law at 8,000 Hz. */
export class TwilioWriter implements FrameWriter {
  readonly #order: StreamOrder;
  readonly #stream: string;
  #sequence = 0;
  /** The time of the first frame of audio: timestamps count from it. */
  #originMs: number | undefined;

  constructor(order: StreamOrder) {
    this.#order = order;
    this.#stream = JSON.stringify(order.stream);
  }

  shapeOf(name: string): TrackShape {
    const middle = encodeText(
      `","streamSid":${this.#stream},"media":{"track":${JSON.stringify(name)},"timestamp":"`,
    );
    return { name, middle, header: noHeader };
  }

  /** A new connection of a stream begins like the first: the dialect has no event for it. */
  start(tracks: readonly string[]): readonly string[] {
    const { call, stream, account, extraHeaders } = this.#order;
    const start = {
      accountSid: account,
      streamSid: stream,
      callSid: call,
      tracks,
      mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
      customParameters: parametersOf(extraHeaders),
    };
    return [
      '{"event":"connected","protocol":"Call","version":"1.0.0"}',
      this.#frame('start', `"start":${JSON.stringify(start)}`),
    ];
  }

  media(
    { middle }: TrackShape,
    timestampMs: number,
    chunk: number,
    samples: Int16Array,
    offset: number,
    step: number,
  ): Uint8Array {
    this.#originMs ??= timestampMs;
    const bytes = audioBytes(samples, offset, step, true);
    const elapsedMs = Math.max(0, timestampMs - this.#originMs);
    return mediaText(template, middle, ++this.#sequence, elapsedMs, chunk, bytes, samples.length / step);
  }

  dtmf(track: string, digit: string): readonly string[] {
    return [this.#frame('dtmf', `"dtmf":${JSON.stringify({ track: `${track}_track`, digit })}`)];
  }

  /** The dialect has no event for it; requests for both are refused. */
  speech(): readonly string[] {
    return [];
  }

  played(name: string): readonly string[] {
    return [this.#frame('mark', `"mark":${JSON.stringify({ name })}`)];
  }

  /** Each waiting mark is sent back. */
  cleared(dropped: readonly string[]): readonly string[] {
    return dropped.flatMap((name) => this.played(name));
  }

  /** The dialect has no answer to a faulty message; the platform reports it in the event stream. */
  refused(): readonly string[] {
    return [];
  }

  stop(): readonly string[] {
    const { account, call } = this.#order;
    return [this.#frame('stop', `"stop":${JSON.stringify({ accountSid: account, callSid: call })}`)];
  }

  #frame(event: string, rest: string): string {
    return `{"event":"${event}","sequenceNumber":"${++this.#sequence}","streamSid":${this.#stream},${rest}}`;
  }
}

/** Pairs joined by `;`, or a JSON object, as texts. */
function parametersOf(extraHeaders: string): Readonly<Record<string, string>> {
  const read = readObject(extraHeaders);
  if ('frame' in read) {
    const entries = Object.entries(read.frame);
    return Object.fromEntries(
      entries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    );
  }
  const pairs = extraHeaders.split(';').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}
