import { EventEmitter } from 'node:events';
import { type ApplicationFrame, type PlatformFrame, platformFrame } from '@jackfield/contract';
import { Compile } from 'typebox/compile';
import type { WebSocket } from 'ws';
import { fromLinear, fromMulaw, toLinear, toMulaw } from './audio.ts';

/** What a stream begins with. */
export type StreamStart = Extract<PlatformFrame, { event: 'start' }>['start'];

export interface StreamEvents {
  /** 20 ms of one track. */
  media: [samples: Int16Array, frame: Extract<PlatformFrame, { event: 'media' }>['media']];
  digit: [digit: string, track: string];
  /** A frame of ours could not be used. */
  failed: [reason: string];
  /** Once; nothing comes after it. */
  end: [reason: string];
}

const isFrame = Compile(platformFrame);
const events: readonly unknown[] = platformFrame.anyOf.map(({ properties }) => properties.event.const);

/** A frame of the platform; undefined for one of a kind that is not known yet, which is left alone. Throws for anything else. */
export function readPlatformFrame(text: string): PlatformFrame | undefined {
  const frame: unknown = JSON.parse(text);
  if (isFrame.Check(frame)) return frame;
  const event = typeof frame === 'object' && frame !== null && 'event' in frame ? frame.event : undefined;
  if (typeof event === 'string' && !events.includes(event)) return undefined;
  throw new TypeError('this is no frame of a stream');
}

/** A message has at most 64 KB, and 16 KB are recommended; 4,000 samples are 11 KB. */
const chunkSamples = 4_000;

/** One stream as an application sees it, from `start` on. */
export class StreamSession extends EventEmitter<StreamEvents> {
  readonly start: StreamStart;
  readonly extraHeaders: string;
  readonly #socket: WebSocket;
  readonly #checkpoints = new Map<string, (played: boolean) => void>();
  /** Each with the checkpoints whose audio it has cleared. */
  readonly #clears: { readonly settle: () => void; readonly cleared: readonly (() => void)[] }[] = [];
  #checkpointNumber = 0;
  #reason = '';

  constructor(socket: WebSocket, first: Extract<PlatformFrame, { event: 'start' }>) {
    super();
    this.#socket = socket;
    this.start = first.start;
    this.extraHeaders = first.extra_headers;
    socket.on('message', (data, isBinary) => {
      if (isBinary) return;
      let frame: PlatformFrame | undefined;
      try {
        frame = readPlatformFrame(data.toString());
      } catch {
        socket.close(1002, 'this is no frame of a stream');
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

  /** Queues audio behind what is already playing; at the rate of the stream when none is given. */
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

  /** True when everything that was played before has been heard; false when it was cleared, or the stream has ended. */
  heard(name = `checkpoint-${++this.#checkpointNumber}`): Promise<boolean> {
    if (!this.#isOpen) return Promise.resolve(false);
    this.#checkpoints.get(name)?.(false);
    return new Promise((resolve) => {
      this.#checkpoints.set(name, resolve);
      this.#send({ event: 'checkpoint', name });
    });
  }

  /** Silences what plays and what waits; resolves when the platform says so. */
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

  /** Presses keys towards the call; `w` waits 0.5 s, `W` 1 s. */
  press(dtmf: string): void {
    this.#send({ event: 'sendDTMF', dtmf });
  }

  /** Ends the stream; the call goes on as its document says. */
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
        this.emit('digit', frame.dtmf.digit, frame.dtmf.track);
        return;
      case 'playedStream':
        this.#checkpoints.get(frame.name)?.(true);
        this.#checkpoints.delete(frame.name);
        return;
      case 'clearedAudio':
        this.#cleared();
        return;
      case 'playFailed':
        this.emit('failed', frame.reason);
        return;
      case 'stop':
        this.#reason = frame.stop.reason;
    }
  }

  /** The platform forgets the checkpoints of what it clears: whoever waits for them is told here. */
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
