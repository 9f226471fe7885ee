import { EventEmitter } from 'node:events';
import type { ApplicationFrame, PlatformFrame } from '@jackfield/contract';
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

/** A message has at most 64 KB, and 16 KB are recommended; 4,000 samples are 11 KB. */
const chunkSamples = 4_000;

/** One stream as an application sees it, from `start` on. */
export class StreamSession extends EventEmitter<StreamEvents> {
  readonly start: StreamStart;
  readonly extraHeaders: string;
  readonly #socket: WebSocket;
  readonly #checkpoints = new Map<string, (played: boolean) => void>();
  readonly #clears: (() => void)[] = [];
  #checkpointNumber = 0;
  #reason = '';

  constructor(socket: WebSocket, first: Extract<PlatformFrame, { event: 'start' }>) {
    super();
    this.#socket = socket;
    this.start = first.start;
    this.extraHeaders = first.extra_headers;
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.#take(JSON.parse(data.toString()) as PlatformFrame);
    });
    socket.on('close', (code) => {
      for (const settle of this.#checkpoints.values()) settle(false);
      this.#checkpoints.clear();
      for (const settle of this.#clears.splice(0)) settle();
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
    return new Promise((resolve) => {
      this.#checkpoints.set(name, resolve);
      this.#send({ event: 'checkpoint', name });
    });
  }

  /** Silences what plays and what waits; resolves when the platform says so. */
  clear(): Promise<void> {
    return new Promise((resolve) => {
      this.#clears.push(resolve);
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
        // What waits for audio that was cleared waits for ever.
        for (const settle of this.#checkpoints.values()) settle(false);
        this.#checkpoints.clear();
        this.#clears.shift()?.();
        return;
      case 'playFailed':
        this.emit('failed', frame.reason);
        return;
      case 'stop':
        this.#reason = frame.stop.reason;
    }
  }

  #send(frame: ApplicationFrame): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(frame));
  }
}
