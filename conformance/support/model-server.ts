import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fromMulaw, levelDb, toMulaw, tone } from '@jackfield/stream-kit';
import { type WebSocket, WebSocketServer } from 'ws';

/** An event of the realtime protocol, in either direction. */
// biome-ignore lint/suspicious/noExplicitAny: events as they came
export type ModelEvent = any;

/** The tone of every answer. */
export const answerHz = 1200;
const answerMs = 4_000;
const speechDb = -40;
/** Bytes of a frame, and how samples are written. */
const formats = {
  'audio/pcmu': {
    frameBytes: 160,
    read: fromMulaw,
    answer: () => toMulaw(tone(answerHz, answerMs, 8000)),
  },
  'audio/pcm': {
    frameBytes: 960,
    read: (bytes: Buffer) =>
      Int16Array.from({ length: bytes.length / 2 }, (_, n) => bytes.readInt16LE(2 * n)),
    answer: () => Buffer.from(tone(answerHz, answerMs, 24_000).buffer),
  },
} as const;
/** Frames of 20 ms that begin and end an utterance. */
const firmFrames = 5;
const pauseFrames = 25;

/**
 * A model behind a WebSocket that speaks OpenAI's realtime protocol, with a script in place of the model: it hears µ-law, or samples of
 * 16 bits at 24 kHz, finds where speech begins and ends, and answers each utterance with a tone, faster than real time as models do.
 */
export class ModelServer {
  readonly #server: WebSocketServer;
  /** What programs have sent, but for the audio. */
  readonly received: ModelEvent[] = [];
  audioBytes = 0;
  #changed = Promise.withResolvers<void>();

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on('connection', (socket) => this.#serve(socket));
  }

  static async start(): Promise<ModelServer> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    return new ModelServer(server);
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  get connections(): number {
    return this.#server.clients.size;
  }

  /** Resolves with the first such event, once it has come. */
  async until(type: string): Promise<ModelEvent> {
    for (;;) {
      const found = this.received.find((event) => event.type === type);
      if (found !== undefined) return found;
      await this.#changed.promise;
    }
  }

  async stop(): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: WebSocket): void {
    const say = (type: string, more: object = {}): void =>
      socket.send(JSON.stringify({ type, event_id: `event_${++said}`, ...more }));
    let said = 0;
    let answers = 0;
    let waiting = Buffer.alloc(0);
    let loud = 0;
    let quiet = 0;
    let isSpeech = false;
    let format: (typeof formats)[keyof typeof formats] = formats['audio/pcmu'];
    const frame = (bytes: Buffer): void => {
      const isLoud = levelDb(format.read(bytes)) > speechDb;
      loud = isLoud ? loud + 1 : 0;
      quiet = isLoud ? 0 : quiet + 1;
      if (!isSpeech && loud === firmFrames) {
        isSpeech = true;
        say('input_audio_buffer.speech_started', { audio_start_ms: 0, item_id: `heard_${answers}` });
      }
      if (isSpeech && quiet === pauseFrames) {
        isSpeech = false;
        say('input_audio_buffer.speech_stopped', { audio_end_ms: 0, item_id: `heard_${answers}` });
        answer(++answers);
      }
    };
    const answer = (number: number): void => {
      const response = { id: `response_${number}`, object: 'realtime.response', output: [], usage: {} };
      const item = { id: `item_${number}`, type: 'message', role: 'assistant', content: [] };
      const part = { response_id: response.id, item_id: item.id, output_index: 0, content_index: 0 };
      say('response.created', { response: { ...response, status: 'in_progress' } });
      say('response.output_item.added', { response_id: response.id, output_index: 0, item });
      const audio = format.answer();
      const step = 10 * format.frameBytes;
      for (let at = 0; at < audio.length; at += step) {
        const delta = audio.subarray(at, at + step).toString('base64');
        say('response.output_audio.delta', { ...part, delta });
      }
      say('response.output_audio.done', part);
      say('response.done', { response: { ...response, status: 'completed' } });
    };
    say('session.created', { session: { id: 'session_1', type: 'realtime' } });
    socket.on('message', (data) => {
      const event: ModelEvent = JSON.parse(String(data));
      if (event.type === 'session.update') {
        const type: unknown = event.session.audio?.input?.format?.type;
        if (type === 'audio/pcm' || type === 'audio/pcmu') format = formats[type];
        say('session.updated', { session: event.session });
      }
      if (event.type !== 'input_audio_buffer.append') {
        this.received.push(event);
        this.#changed.resolve();
        this.#changed = Promise.withResolvers<void>();
        return;
      }
      const bytes = Buffer.from(event.audio, 'base64');
      this.audioBytes += bytes.length;
      waiting = Buffer.concat([waiting, bytes]);
      const { frameBytes } = format;
      for (; waiting.length >= frameBytes; waiting = waiting.subarray(frameBytes)) {
        frame(waiting.subarray(0, frameBytes));
      }
    });
  }
}
