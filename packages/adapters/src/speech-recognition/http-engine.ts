import { wavHeader } from '@jackfield/media';
import { engineSampleRate, type SpeechEngine, type SpeechRequestOptions } from '@jackfield/ports';
import { RecognitionError } from './recognition-error.ts';
import { createUtteranceEngine, type Transcribe, type UtteranceLimits } from './utterance-engine.ts';

export interface HttpSpeechOptions {
  /** The transcription endpoint of the operator, such as `https://host/v1/audio/transcriptions`. */
  readonly url: string;
  /** Sent as a bearer token. */
  readonly key?: string;
  /** The model for requests that name none; servers have different models. */
  readonly model?: string;
  readonly limits?: Partial<UtteranceLimits>;
}

const mostBytes = 1 << 20;
const unreachable = [502, 503, 504];

/** Transcription by an endpoint with the interface of OpenAI's: one request for each utterance. */
export function createHttpSpeechEngine({
  url,
  key,
  model = 'whisper-1',
  limits = {},
}: HttpSpeechOptions): SpeechEngine {
  const transcribe: Transcribe = async (samples, request, signal) => {
    // A body of bytes: a streamed form would still be read after a connection was refused.
    const form = new Response(formOf(samples, { ...request, model: request.model ?? model }));
    const headers = { 'content-type': form.headers.get('content-type')! };
    const response = await send(url, {
      method: 'POST',
      body: await form.arrayBuffer(),
      headers: key === undefined ? headers : { ...headers, authorization: `Bearer ${key}` },
      redirect: 'manual',
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      const code = unreachable.includes(response.status) ? 'engine-unreachable' : 'engine-failed';
      throw new RecognitionError(
        code,
        `the speech engine answered with status ${response.status} instead of 200`,
      );
    }
    return resultsOf(await read(response), (samples.length * 1000) / engineSampleRate);
  };
  return createUtteranceEngine(transcribe, limits);
}

async function send(url: string, request: RequestInit & { readonly signal: AbortSignal }): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch {
    request.signal.throwIfAborted();
    throw new RecognitionError('engine-unreachable', 'the speech engine cannot be reached');
  }
}

function formOf(
  samples: Int16Array,
  { language, hints, model }: SpeechRequestOptions & { readonly model: string },
): FormData {
  const form = new FormData();
  const header = wavHeader({ sampleRate: engineSampleRate, channels: 1 }, samples.byteLength);
  const parts = [Uint8Array.from(header), Int16Array.from(samples)];
  form.set('file', new Blob(parts, { type: 'audio/wav' }), 'speech.wav');
  form.set('model', model);
  // The endpoint knows languages without a region.
  form.set('language', language.split('-')[0]!.toLowerCase());
  if (hints.length > 0) form.set('prompt', hints.join(', '));
  form.set('response_format', 'verbose_json');
  return form;
}

/** The body as a text, of at most `mostBytes`. */
async function read(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > mostBytes) {
      throw new RecognitionError(
        'engine-failed',
        `the speech engine answered with more than ${mostBytes} bytes`,
      );
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

interface Segment {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly avg_logprob?: number;
}

function resultsOf(body: string, durationMs: number) {
  const answer = parsed(body);
  const segments = Array.isArray(answer['segments']) ? answer['segments'].filter(isSegment) : [];
  if (segments.length > 0) {
    return segments.map(({ text, start, end, avg_logprob: logarithm }) => ({
      text: text.trim(),
      confidence: logarithm === undefined ? null : Math.min(1, Math.exp(logarithm)),
      fromMs: Math.round(start * 1000),
      toMs: Math.round(end * 1000),
    }));
  }
  const { text } = answer;
  if (typeof text !== 'string') {
    throw new RecognitionError('engine-failed', 'the speech engine answered without a member text');
  }
  const all = { text: text.trim(), confidence: null, fromMs: 0, toMs: durationMs };
  return all.text === '' ? [] : [all];
}

function parsed(body: string): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null) return value as { readonly [name: string]: unknown };
  } catch {
    // Falls through: no JSON at all.
  }
  throw new RecognitionError('engine-failed', 'the speech engine answered without a JSON object');
}

function isSegment(value: unknown): value is Segment {
  if (typeof value !== 'object' || value === null) return false;
  const { text, start, end, avg_logprob: logarithm } = value as Partial<Segment>;
  const isNumber = (number: unknown) => typeof number === 'number' && Number.isFinite(number);
  return (
    typeof text === 'string' &&
    isNumber(start) &&
    isNumber(end) &&
    (logarithm === undefined || isNumber(logarithm))
  );
}
