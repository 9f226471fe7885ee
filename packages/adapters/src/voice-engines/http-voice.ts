import { isWav, readWavHeader, wavTag } from '@jackfield/media';
import type { SoundClip, Speech, SpeechRequest } from '@jackfield/ports';
import { piecesOf, wholeOf } from './pieces-of.ts';
import { VoiceError } from './voice-error.ts';
import { assertText, timed, type VoiceLimits, voiceLimits } from './voice-limits.ts';

export interface HttpVoiceOptions {
  /** An endpoint with the interface of OpenAI's speech, such as `https://host/v1/audio/speech`. */
  readonly url: string;
  /** Sent as a bearer token. */
  readonly key?: string;
  readonly model?: string;
  /** Names of the engine for the two voices. */
  readonly voices?: { readonly woman: string; readonly man: string };
  /** The rate of audio whose content type names none, in Hz. */
  readonly sampleRate?: number;
  readonly limits?: Partial<VoiceLimits>;
}

/** Speech by an endpoint that answers with audio while it makes it. */
export function createHttpVoice(options: HttpVoiceOptions): Speech {
  const limits = { ...voiceLimits, ...options.limits };
  const stream = (request: SpeechRequest, signal: AbortSignal): AsyncIterable<SoundClip> =>
    timed((over) => spoken(options, request, limits, over), limits, signal);
  return { speak: (request) => wholeOf(stream(request, new AbortController().signal)), stream };
}

async function* spoken(
  options: HttpVoiceOptions,
  { text, language, voice = 'woman' }: SpeechRequest,
  limits: VoiceLimits,
  signal: AbortSignal,
): AsyncGenerator<SoundClip> {
  assertText(text, limits);
  const { url, key, model = 'tts-1', voices = { woman: 'nova', man: 'onyx' }, sampleRate = 24_000 } = options;
  const stop = new AbortController();
  const abort = () => stop.abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, input: text, voice: voices[voice], language, response_format: 'pcm' }),
      redirect: 'manual',
      signal: stop.signal,
    }).catch(() => {
      throw new VoiceError('engine-failed', 'the speech engine cannot be reached');
    });
    if (response.status !== 200 || response.body === null) {
      throw new VoiceError(
        'engine-failed',
        `the speech engine answered with status ${response.status} instead of 200`,
      );
    }
    const type = response.headers.get('content-type') ?? '';
    if (noSamples.test(type)) {
      throw new VoiceError('engine-failed', 'the speech engine sent neither samples nor a WAV file');
    }
    const rate = /;\s*rate=([0-9]{4,6})/i.exec(type)?.[1];
    yield* soundOf(broken(response.body), rate === undefined ? sampleRate : Number(rate), limits);
  } finally {
    signal.removeEventListener('abort', abort);
    stop.abort();
  }
}

/** Content types that would sound like noise. A local server may use any other name for samples, or none. */
const noSamples =
  /^\s*(?:(?:text|image|video|multipart)\/|application\/(?!octet-stream)|audio\/(?:mpeg|mp3|mp4|ogg|opus|aac|flac|webm|amr))/i;

async function* broken(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    throw new VoiceError('engine-failed', 'the speech engine cut its answer off');
  }
}

const headBytes = 4_096;

/** Plain samples, or a WAV file of 16 bits and one channel. */
async function* soundOf(
  bytes: AsyncGenerator<Uint8Array>,
  sampleRate: number,
  limits: VoiceLimits,
): AsyncGenerator<SoundClip> {
  let head = Buffer.alloc(0);
  let header: ReturnType<typeof readWavHeader> = { fault: 'no-wav' };
  let isOver = false;
  while (!isOver && head.length < headBytes) {
    const next = await bytes.next();
    isOver = next.done === true;
    if (next.value !== undefined) head = Buffer.concat([head, next.value]);
    if (head.length < 12) continue;
    if (!isWav(head)) break;
    header = readWavHeader(head);
    if (header.fault === undefined) break;
  }
  if (isWav(head)) {
    if (
      header.fault !== undefined ||
      header.tag !== wavTag.pcm ||
      header.bits !== 16 ||
      header.channels !== 1
    ) {
      throw new VoiceError(
        'engine-failed',
        'the speech engine sent a WAV file that is not PCM of 16 bits and one channel',
      );
    }
    yield* piecesOf(withHead(head.subarray(header.start), bytes), header.sampleRate, limits);
    return;
  }
  yield* piecesOf(withHead(head, bytes), sampleRate, limits);
}

async function* withHead(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  yield* rest;
}
