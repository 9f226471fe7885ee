import { EventEmitter } from 'node:events';
import { type ApplicationFrame, type PlatformFrame, platformFrame } from '@jackfield/contract';
import { Compile } from 'typebox/compile';
import type { WebSocket } from 'ws';
import { fromLinear, fromMulaw, toLinear, toMulaw } from './audio.ts';

/** The content of a stream's `start` frame. */
export type StreamStart = Extract<PlatformFrame, { event: 'start' }>['start'];

export interface StreamEvents {
  /** 20 ms of one track. */
  media: [samples: Int16Array, frame: Extract<PlatformFrame, { event: 'media' }>['media']];
  /** With the number of its frame: a resumed stream may send it again, in the next session, with the same number. */
  digit: [digit: string, track: string, sequenceNumber: number];
  /** Speech on a track begins or is over; of a stream with `voice_activity`. Numbered like `digit`. */
  speech: [state: 'start' | 'stop', track: string, sequenceNumber: number];
  /** The platform could not use one of our frames. */
  failed: [reason: string];
  /** Once, after all other events. */
  end: [reason: string];
}

const isFrame = Compile(platformFrame);
const events: readonly unknown[] = platformFrame.anyOf.map(({ properties }) => properties.event.const);

/** Reads a frame of the platform; undefined for an unknown kind, which is ignored. Throws for anything else. */
export function readPlatformFrame(text: string): PlatformFrame | undefined {
  const frame: unknown = JSON.parse(text);
  if (isFrame.Check(frame)) return frame;
  const event = typeof frame === 'object' && frame !== null && 'event' in frame ? frame.event : undefined;
  if (typeof event === 'string' && !events.includes(event)) return undefined;
  throw new TypeError('the message is not a frame of a stream');
}

/** A message may have 64 KB, and 16 KB are recommended; 4,000 samples are 11 KB. */
const chunkSamples = 4_000;

/** One stream in the application, from `start` on. */
export class StreamSession extends EventEmitter<StreamEvents> {
  readonly start: StreamStart;
  readonly extraHeaders: string;
  readonly #startNumber: number;
  readonly #socket: WebSocket;
  readonly #checkpoints = new Map<string, (played: boolean) => void>();
  /** Each clear with the checkpoints whose audio it cleared. */
  readonly #clears: { readonly settle: () => void; readonly cleared: readonly (() => void)[] }[] = [];
  #checkpointNumber = 0;
  #reason = '';

  constructor(socket: WebSocket, first: Extract<PlatformFrame, { event: 'start' }>) {
    super();
    this.#socket = socket;
    this.start = first.start;
    this.#startNumber = first.sequenceNumber;
    this.extraHeaders = first.extra_headers;
    socket.on('message', (data, isBinary) => {
      if (isBinary) return;
      let frame: PlatformFrame | undefined;
      try {
        frame = readPlatformFrame(data.toString());
      } catch {
        socket.close(1002, 'the message is not a frame of a stream');
        return;
      }
      if (frame !== undefined) this.#take(frame);
    });
    socket.on('close', (code) => {
      for (const settle of this.#checkpoints.values()) settle(false);
      this.#checkpoints.clear();
      for (const { settle } of this.#clears.splice(0)) settle();
      this.emit('end', this.#reason === '' ? `closed with ${code}` : this.#reason);
    });
  }

  /** Queues audio after the audio that is playing; the default rate is the stream's. */
  play(samples: Int16Array, sampleRate: number = this.start.mediaFormat.sampleRate): void {
    const { encoding, sampleRate: own } = this.start.mediaFormat;
    const isMulaw = encoding === 'audio/x-mulaw' && sampleRate === own;
    const contentType = isMulaw ? 'audio/x-mulaw' : 'audio/x-l16';
    for (let at = 0; at < samples.length; at += chunkSamples) {
      const chunk = samples.subarray(at, at + chunkSamples);
      const payload = (isMulaw ? toMulaw(chunk) : toLinear(chunk)).toString('base64');
      this.#send({ event: 'playAudio', media: { contentType, sampleRate, payload } });
    }
  }

  /** True when all audio played before has been heard; false when it was cleared, or the stream has ended. */
  heard(name = `checkpoint-${++this.#checkpointNumber}`): Promise<boolean> {
    if (!this.#isOpen) return Promise.resolve(false);
    this.#checkpoints.get(name)?.(false);
    return new Promise((resolve) => {
      this.#checkpoints.set(name, resolve);
      this.#send({ event: 'checkpoint', name });
    });
  }

  /** Stops the playing audio and drops the queue; resolves when the platform confirms. */
  clear(): Promise<void> {
    if (!this.#isOpen) return Promise.resolve();
    const cleared = [...this.#checkpoints].map(([name, settle]) => () => {
      if (this.#checkpoints.get(name) !== settle) return;
      this.#checkpoints.delete(name);
      settle(false);
    });
    return new Promise((settle) => {
      this.#clears.push({ settle, cleared });
      this.#send({ event: 'clearAudio' });
    });
  }

  /** Sends keys to the call; `w` waits 0.5 s, `W` 1 s. */
  press(dtmf: string): void {
    this.#send({ event: 'sendDTMF', dtmf });
  }

  /** Ends the stream; the call continues with its document. */
  stop(): void {
    this.#send({ event: 'stop' });
  }

  #take(frame: PlatformFrame): void {
    switch (frame.event) {
      case 'media': {
        const bytes = Buffer.from(frame.media.payload, 'base64');
        const isMulaw = this.start.mediaFormat.encoding === 'audio/x-mulaw';
        this.emit('media', isMulaw ? fromMulaw(bytes) : fromLinear(bytes), frame.media);
        return;
      }
      case 'dtmf':
        this.emit('digit', frame.dtmf.digit, frame.dtmf.track, frame.sequenceNumber);
        return;
      case 'speech':
        this.emit('speech', frame.speech.state, frame.speech.track, frame.sequenceNumber);
        return;
      case 'playedStream':
        if (this.#isOfEarlierSession(frame)) return;
        this.#checkpoints.get(frame.name)?.(true);
        this.#checkpoints.delete(frame.name);
        return;
      case 'clearedAudio':
        if (this.#isOfEarlierSession(frame)) return;
        this.#cleared();
        return;
      case 'playFailed':
        this.emit('failed', frame.reason);
        return;
      case 'stop':
        this.#reason = frame.stop.reason;
    }
  }

  /** Sent before the `start` of this session and again behind it: the answer to a session that has ended. */
  #isOfEarlierSession({ sequenceNumber }: PlatformFrame): boolean {
    return sequenceNumber < this.#startNumber;
  }

  /** The platform forgets the checkpoints of cleared audio, so their promises are settled here. */
  #cleared(): void {
    const clear = this.#clears.shift();
    for (const settle of clear?.cleared ?? []) settle();
    clear?.settle();
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  #send(frame: ApplicationFrame): void {
    if (this.#isOpen) this.#socket.send(JSON.stringify(frame));
  }
}
