import type { SoundClip, Speech, SpeechRequest } from '@jackfield/ports';
import { WebSocket } from 'ws';
import { piecesOf, wholeOf } from './pieces-of.ts';
import { VoiceError } from './voice-error.ts';
import { assertText, timed, type VoiceLimits, voiceLimits } from './voice-limits.ts';

export interface WebSocketVoiceOptions {
  /** Frames of docs/guides/speech-engines.md#streaming-over-a-websocket. */
  readonly url: string;
  /** Sent as a bearer token. */
  readonly key?: string;
  readonly model?: string;
  /** Names of the engine for the two voices. */
  readonly voices?: { readonly woman: string; readonly man: string };
  readonly limits?: Partial<VoiceLimits>;
}

const frameBytes = 1 << 20;
/** Audio that waits for its reader: some seconds. Beyond it the socket is not read. */
const waitingBytes = 1 << 20;

/** Speech by an engine behind a WebSocket: one connection for each text. */
export function createWebSocketVoice(options: WebSocketVoiceOptions): Speech {
  const limits = { ...voiceLimits, ...options.limits };
  const stream = (request: SpeechRequest, signal: AbortSignal): AsyncIterable<SoundClip> =>
    timed((over) => spoken(options, request, limits, over), limits, signal);
  return { speak: (request) => wholeOf(stream(request, new AbortController().signal)), stream };
}

async function* spoken(
  options: WebSocketVoiceOptions,
  { text, markup, language, voice = 'woman' }: SpeechRequest,
  limits: VoiceLimits,
  signal: AbortSignal,
): AsyncGenerator<SoundClip> {
  assertText(text, limits);
  const { url, key, model = null, voices = { woman: 'woman', man: 'man' } } = options;
  const socket = new WebSocket(url, {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    perMessageDeflate: false,
    followRedirects: false,
    handshakeTimeout: limits.firstMs,
    maxPayload: frameBytes,
  });
  const frames = framesOf(socket);
  signal.addEventListener('abort', () => socket.terminate(), { once: true });
  socket.on('open', () => {
    const ssml = markup === undefined ? null : `<speak>${markup}</speak>`;
    socket.send(JSON.stringify({ type: 'speak', text, ssml, language, voice: voices[voice], model }));
  });
  try {
    const begin = await frames.next();
    const { sampleRate } = begin.value?.json ?? {};
    if (begin.value?.json?.['type'] !== 'begin' || typeof sampleRate !== 'number') throw undocumented();
    yield* piecesOf(audioOf(frames), sampleRate, limits);
  } finally {
    socket.terminate();
  }
}

/** Until the frame `end`. */
async function* audioOf(frames: AsyncGenerator<Frame>): AsyncGenerator<Uint8Array> {
  for await (const { bytes, json } of frames) {
    if (json?.['type'] === 'end') return;
    if (bytes === undefined) throw undocumented();
    yield bytes;
  }
  throw new VoiceError('engine-failed', 'the speech engine closed its connection without an end');
}

interface Frame {
  readonly length: number;
  readonly bytes?: Buffer;
  readonly json?: { readonly [name: string]: unknown };
}

/** The frames of a socket until it closes; an `error` of the engine, and one of the socket, is thrown. */
async function* framesOf(socket: WebSocket): AsyncGenerator<Frame> {
  const waiting: Frame[] = [];
  let bytes = 0;
  let failure: VoiceError | undefined;
  let isOver = false;
  let wake = () => {};
  const change = () => wake();
  socket.on('message', (data: Buffer, isBinary) => {
    const { length } = data;
    const frame: Frame = isBinary
      ? { length, bytes: data }
      : { length, json: readJson(data.toString('utf8')) };
    if (frame.json?.['type'] === 'error') failure ??= errorOf(frame.json['code']);
    else waiting.push(frame);
    bytes += length;
    if (bytes > waitingBytes) socket.pause();
    change();
  });
  socket.on('error', () => {
    failure ??= new VoiceError('engine-failed', 'the speech engine cannot be reached');
    change();
  });
  socket.on('close', () => {
    isOver = true;
    change();
  });
  for (;;) {
    const frame = waiting.shift();
    if (frame !== undefined) {
      bytes -= frame.length;
      if (bytes <= waitingBytes) socket.resume();
      yield frame;
    } else if (failure !== undefined) throw failure;
    else if (isOver) return;
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
}

function readJson(text: string): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as { readonly [name: string]: unknown };
  } catch {
    // Falls through: no JSON at all.
  }
  return {};
}

function errorOf(code: unknown): VoiceError {
  return code === 'unknown-language'
    ? new VoiceError('unknown-language', 'the speech engine does not know the language')
    : new VoiceError('engine-failed', 'the speech engine reported an error');
}

function undocumented(): VoiceError {
  return new VoiceError('engine-failed', 'the speech engine sent a frame that is not as documented');
}
