import { createHmac, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type ApplicationFrame, applicationFrame, stringToSignV3 } from '@jackfield/contract';
import { Check } from 'typebox/value';
import { WebSocket } from 'ws';
import { toLinear, toMulaw } from '../audio.ts';

export interface TestCallOptions {
  readonly url: string;
  /** Signs the upgrade like the platform; unsigned when left out. */
  readonly authToken?: string;
  readonly encoding: 'audio/x-l16' | 'audio/x-mulaw';
  readonly sampleRate: 8000 | 16_000 | 24_000;
  readonly extraHeaders?: string;
}

/** The actions of the tested server during a call. */
export interface Observed {
  readonly frames: ApplicationFrame[];
  /** Messages that were not valid frames, with the reason. */
  readonly wrong: string[];
  /** Duration of the audio in its playAudio frames. */
  playedMs: number;
  closeCode: number | undefined;
  /** The most bytes that waited to be read by the server. */
  mostWaiting: number;
  pongs: number;
}

const frameMs = 20;

/** The platform's side of one stream (docs/guides/streams.md), as a server sees it in a real call. */
export class TestCall {
  readonly streamId = randomUUID();
  readonly callId = randomUUID();
  readonly observed: Observed = {
    frames: [],
    wrong: [],
    playedMs: 0,
    closeCode: undefined,
    mostWaiting: 0,
    pongs: 0,
  };
  readonly #options: TestCallOptions;
  #socket: WebSocket | undefined;
  #sequence = 0;
  #chunk = 0;
  #startedAt = 0;
  /** End of the audio to be played, in ms of our clock, and the checkpoints after it. */
  #playsUntil = 0;
  readonly #checkpoints = new Map<NodeJS.Timeout, string>();
  #isResumed = false;
  #waiters: { readonly kind: ApplicationFrame['event']; readonly resolve: () => void }[] = [];

  constructor(options: TestCallOptions) {
    this.#options = options;
  }

  /** Connects and sends `start`; rejects with the server's error. */
  async connect(): Promise<void> {
    const { url, authToken } = this.#options;
    const headers = authToken === undefined ? {} : signed(url, authToken);
    const socket = new WebSocket(url, {
      headers: { 'User-Agent': 'Jackfield', ...headers },
      perMessageDeflate: false,
      handshakeTimeout: 5_000,
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    this.#socket = socket;
    this.observed.closeCode = undefined;
    socket.on('error', () => {});
    socket.on('message', (data, isBinary) => this.#take(String(data), isBinary));
    socket.on('pong', () => void this.observed.pongs++);
    socket.on('close', (code) => {
      this.observed.closeCode = code;
      this.#dropCheckpoints();
    });
    if (this.#startedAt === 0) this.#startedAt = Date.now();
    const { encoding, sampleRate, extraHeaders = '' } = this.#options;
    this.#say('start', {
      start: {
        callId: this.callId,
        streamId: this.streamId,
        accountId: 'MATESTTESTTESTTESTTE',
        tracks: ['inbound'],
        mediaFormat: { encoding, sampleRate },
        ...(this.#isResumed ? { resumed: true } : {}),
      },
      extra_headers: extraHeaders,
    });
    this.#isResumed = true;
  }

  /** Sends audio in real time. `burstMs` collects it and sends it in bursts, like bad networks. */
  async speak(samples: Int16Array, burstMs = 0): Promise<void> {
    const perFrame = this.#options.sampleRate / 50;
    const begun = performance.now();
    for (let frame = 0; (frame + 1) * perFrame <= samples.length; frame++) {
      const due = begun + (frame + 1) * frameMs;
      const held = burstMs === 0 ? due : begun + Math.ceil((due - begun) / burstMs) * burstMs;
      const wait = held - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      this.#media(samples.subarray(frame * perFrame, (frame + 1) * perFrame));
    }
  }

  /** Sends the audio of a lost connection, without pauses. */
  catchUp(samples: Int16Array): void {
    const perFrame = this.#options.sampleRate / 50;
    for (let at = 0; at + perFrame <= samples.length; at += perFrame) {
      this.#media(samples.subarray(at, at + perFrame));
    }
  }

  /** Skips frames, so that the next one has a gap before it. */
  lose(frames: number): void {
    this.#chunk += frames;
  }

  press(digit: string): void {
    const { streamId } = this;
    const dtmf = { track: 'inbound', digit, timestamp: String(Date.now()) };
    this.#say('dtmf', { streamId, dtmf, extra_headers: this.#options.extraHeaders ?? '' });
  }

  ping(): void {
    this.#socket?.ping();
  }

  /** True when a frame of this kind arrives within the time. */
  async sees(kind: ApplicationFrame['event'], withinMs: number): Promise<boolean> {
    const seen = new Promise<boolean>((resolve) => {
      this.#waiters.push({ kind, resolve: () => resolve(true) });
    });
    return Promise.race([seen, later(withinMs, false)]);
  }

  /** The regular end: `stop`, then a close with 1000. True when the server closes its side within the time. */
  async end(reason = 'Call hangup', withinMs = 2_000): Promise<boolean> {
    this.#say('stop', { streamId: this.streamId, stop: { callId: this.callId, reason } });
    return this.close(1000, withinMs);
  }

  async close(code: number, withinMs = 2_000): Promise<boolean> {
    const socket = this.#socket;
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return true;
    socket.close(code);
    const isClosed = await Promise.race([once(socket, 'close').then(() => true), later(withinMs, false)]);
    if (!isClosed) socket.terminate();
    return isClosed;
  }

  /** Drops the connection without a close. */
  cut(): void {
    this.#socket?.terminate();
  }

  /** Whether a caller would hear audio of the server now. */
  get isPlaying(): boolean {
    return performance.now() < this.#playsUntil;
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  #media(samples: Int16Array): void {
    const isMulaw = this.#options.encoding === 'audio/x-mulaw';
    const payload = (isMulaw ? toMulaw(samples) : toLinear(samples)).toString('base64');
    const chunk = ++this.#chunk;
    const timestamp = String(this.#startedAt + chunk * frameMs);
    this.#say('media', {
      streamId: this.streamId,
      media: { track: 'inbound', timestamp, chunk, payload },
      extra_headers: this.#options.extraHeaders ?? '',
    });
    const waiting = this.#socket?.bufferedAmount ?? 0;
    this.observed.mostWaiting = Math.max(this.observed.mostWaiting, waiting);
  }

  #say(event: string, more: object): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#socket.send(JSON.stringify({ event, sequenceNumber: ++this.#sequence, ...more }));
  }

  #take(text: string, isBinary: boolean): void {
    const frame = isBinary ? undefined : readFrame(text);
    if (frame === undefined) {
      this.observed.wrong.push(isBinary ? 'a binary message' : text.slice(0, 120));
      this.#say('playFailed', {
        streamId: this.streamId,
        reason: 'the message is not a frame of the protocol',
        reasonCode: 'malformed-frame',
      });
      return;
    }
    if (frame.streamId !== undefined && frame.streamId !== this.streamId) {
      this.observed.wrong.push(`streamId ${frame.streamId} is that of another stream`);
      return;
    }
    this.observed.frames.push(frame);
    this.#answer(frame);
    const met = this.#waiters.filter(({ kind }) => kind === frame.event);
    this.#waiters = this.#waiters.filter(({ kind }) => kind !== frame.event);
    for (const { resolve } of met) resolve();
  }

  #answer(frame: ApplicationFrame): void {
    const now = performance.now();
    switch (frame.event) {
      case 'playAudio': {
        const ms = lengthOf(frame, this.#options);
        this.observed.playedMs += ms;
        this.#playsUntil = Math.max(now, this.#playsUntil) + ms;
        return;
      }
      case 'checkpoint': {
        const timer = setTimeout(
          () => {
            this.#checkpoints.delete(timer);
            this.#say('playedStream', { streamId: this.streamId, name: frame.name });
          },
          Math.max(0, this.#playsUntil - now),
        );
        this.#checkpoints.set(timer, frame.name);
        return;
      }
      case 'clearAudio':
        this.#playsUntil = now;
        this.#dropCheckpoints();
        this.#say('clearedAudio', { streamId: this.streamId });
        return;
      case 'stop':
        this.#socket?.close(1000);
    }
  }

  #dropCheckpoints(): void {
    for (const timer of this.#checkpoints.keys()) clearTimeout(timer);
    this.#checkpoints.clear();
  }
}

function readFrame(text: string): ApplicationFrame | undefined {
  try {
    const frame: unknown = JSON.parse(text);
    return Check(applicationFrame, frame) ? frame : undefined;
  } catch {
    return undefined;
  }
}

function lengthOf(
  { media }: Extract<ApplicationFrame, { event: 'playAudio' }>,
  own: Pick<TestCallOptions, 'encoding' | 'sampleRate'>,
): number {
  const bytes = Buffer.from(media.payload, 'base64').length;
  const isMulaw = (media.contentType ?? own.encoding).includes('mulaw');
  const rate = Number(media.sampleRate ?? own.sampleRate);
  return ((isMulaw ? bytes : bytes / 2) / rate) * 1000;
}

function signed(url: string, authToken: string): Readonly<Record<string, string>> {
  const nonce = String(randomInt(2 ** 47)).padStart(20, '0');
  const signature = createHmac('sha256', authToken)
    .update(stringToSignV3('GET', url, nonce))
    .digest('base64');
  return { 'X-Service-Signature-V3': signature, 'X-Service-Signature-V3-Nonce': nonce };
}

function later<Value>(milliseconds: number, value: Value): Promise<Value> {
  return new Promise((resolve) => setTimeout(() => resolve(value), milliseconds).unref());
}
