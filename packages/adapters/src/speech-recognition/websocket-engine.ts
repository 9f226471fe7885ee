import type { RecognitionProblem, SpeechEngine, SpeechResult } from '@jackfield/ports';
import { engineSampleRate } from '@jackfield/ports';
import { WebSocket } from 'ws';
import { createSessionEngine, type EngineSession, type EngineSessionDeps } from './session-engine.ts';

export interface WebSocketSpeechOptions {
  /** ws or wss. */
  readonly url: string;
  /** Sent as a bearer token. */
  readonly key?: string;
  readonly limits?: Partial<WebSocketSpeechLimits>;
}

export interface WebSocketSpeechLimits {
  /** For TCP, TLS and the upgrade. */
  readonly connectMs: number;
  /** From the last audio to the end of the results. */
  readonly answerMs: number;
  /** Audio that waits for the connection, or for a slow reader. */
  readonly waitingBytes: number;
  /** One frame of the engine. */
  readonly frameBytes: number;
  /** Frames of one session, and their bytes together. */
  readonly frames: number;
  readonly answerBytes: number;
}

const webSocketSpeechLimits: WebSocketSpeechLimits = {
  connectMs: 5_000,
  answerMs: 10_000,
  // 30 s of audio.
  waitingBytes: 960_000,
  frameBytes: 1 << 20,
  // A partial result every 20 ms of the longest recognition is 15,000 frames.
  frames: 20_000,
  answerBytes: 8 << 20,
};

/** An engine that streams: one connection for each session, with the frames of docs/guides/speech-recognition.md#streaming-over-a-websocket. */
export function createWebSocketSpeechEngine({ url, key, limits = {} }: WebSocketSpeechOptions): SpeechEngine {
  const all = { ...webSocketSpeechLimits, ...limits };
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return createSessionEngine((deps) => new WebSocketSession({ ...deps, url, headers, limits: all }));
}

interface WebSocketSessionDeps extends EngineSessionDeps {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: WebSocketSpeechLimits;
}

class WebSocketSession implements EngineSession {
  readonly #deps: WebSocketSessionDeps;
  readonly #socket: WebSocket;
  /** Frames for an engine that is not connected yet. */
  #waiting: (string | Buffer)[] = [];
  #waitingBytes = 0;
  #receivedFrames = 0;
  #receivedBytes = 0;
  #deadline: NodeJS.Timeout | undefined;
  #isOpen = false;
  #isFinished = false;
  #isOver = false;

  constructor(deps: WebSocketSessionDeps) {
    const { url, headers, request, limits } = deps;
    this.#deps = deps;
    const socket = new WebSocket(url, {
      headers,
      perMessageDeflate: false,
      followRedirects: false,
      handshakeTimeout: limits.connectMs,
      maxPayload: limits.frameBytes,
    });
    this.#socket = socket;
    const { language, hints, model, profanityFilter, interim } = request;
    const start = { language, hints, model, profanityFilter, interim, sampleRate: engineSampleRate };
    this.#send(JSON.stringify({ type: 'start', ...start }));
    socket.on('open', () => this.#opened());
    socket.on('message', (data: Buffer, isBinary) => this.#received(data, isBinary));
    socket.on('error', () => this.end(this.#lost()));
    socket.on('close', () => this.end(this.#lost()));
  }

  write(samples: Int16Array): void {
    if (!this.#isFinished) this.#send(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength));
  }

  finish(): void {
    if (this.#isFinished || this.#isOver) return;
    this.#isFinished = true;
    this.#send(JSON.stringify({ type: 'finish' }));
    const { answerMs } = this.#deps.limits;
    this.#deadline = setTimeout(
      () =>
        this.end({
          code: 'engine-slow',
          sentence: `the speech engine did not end within ${answerMs} ms after the last audio`,
        }),
      answerMs,
    );
  }

  cancel(): void {
    this.#isOver = true;
    this.#waiting = [];
    clearTimeout(this.#deadline);
    this.#deps.leave(this);
    // Later events change nothing; a socket that is still connecting reports an error then.
    this.#socket.terminate();
  }

  end(problem: RecognitionProblem | null): void {
    if (this.#isOver) return;
    this.cancel();
    this.#deps.report.over(problem);
  }

  #opened(): void {
    this.#isOpen = true;
    for (const frame of this.#waiting) this.#socket.send(frame);
    this.#waiting = [];
  }

  #send(frame: string | Buffer): void {
    if (this.#isOver) return;
    const { waitingBytes } = this.#deps.limits;
    if (this.#isOpen) this.#socket.send(frame);
    else {
      this.#waiting.push(frame);
      this.#waitingBytes += frame.length;
    }
    if ((this.#isOpen ? this.#socket.bufferedAmount : this.#waitingBytes) <= waitingBytes) return;
    const sentence = `the speech engine is too slow: ${waitingBytes} bytes of audio wait for it`;
    this.end({ code: 'engine-slow', sentence });
  }

  #lost(): RecognitionProblem {
    return this.#isOpen
      ? { code: 'engine-failed', sentence: 'the speech engine closed its connection without an end' }
      : { code: 'engine-unreachable', sentence: 'the speech engine cannot be reached' };
  }

  #received(data: Buffer, isBinary: boolean): void {
    if (this.#isOver) return;
    const { frames, answerBytes } = this.#deps.limits;
    this.#receivedFrames++;
    this.#receivedBytes += data.length;
    if (this.#receivedFrames > frames || this.#receivedBytes > answerBytes) {
      const sentence = `the speech engine sent more than ${frames} frames or ${answerBytes} bytes`;
      this.end({ code: 'engine-failed', sentence });
      return;
    }
    const frame = isBinary ? undefined : readFrame(data.toString('utf8'));
    switch (frame?.type) {
      case 'result':
        this.#deps.report.result(frame.result);
        return;
      case 'end':
        this.end(null);
        return;
      case 'error':
        this.end(frame.problem);
        return;
      case undefined:
        this.end({
          code: 'engine-failed',
          sentence: 'the speech engine sent a frame that is not as documented',
        });
    }
  }
}

type EngineFrame =
  | { readonly type: 'result'; readonly result: SpeechResult }
  | { readonly type: 'end' }
  | { readonly type: 'error'; readonly problem: RecognitionProblem };

/** Undefined for a frame that is not as documented. */
function readFrame(text: string): EngineFrame | undefined {
  let frame: { readonly [name: string]: unknown };
  try {
    frame = JSON.parse(text);
  } catch {
    return undefined;
  }
  switch (frame?.['type']) {
    case 'result':
      return readResult(frame);
    case 'end':
      return { type: 'end' };
    case 'error':
      return { type: 'error', problem: problemOfCode(frame['code']) };
  }
  return undefined;
}

function readResult(frame: { readonly [name: string]: unknown }): EngineFrame | undefined {
  const { final, text, confidence = null, fromMs, toMs } = frame;
  if (typeof final !== 'boolean' || typeof text !== 'string') return undefined;
  if (!isTime(fromMs) || !isTime(toMs) || toMs < fromMs) return undefined;
  if (confidence !== null && !(typeof confidence === 'number' && confidence >= 0 && confidence <= 1))
    return undefined;
  return { type: 'result', result: { isFinal: final, text, confidence, fromMs, toMs } };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function problemOfCode(code: unknown): RecognitionProblem {
  return code === 'unknown-language'
    ? { code, sentence: 'the speech engine does not know the language' }
    : { code: 'engine-failed', sentence: 'the speech engine reported an error' };
}
