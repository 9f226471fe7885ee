import type {
  Clock,
  DecodeProblem,
  Egress,
  EgressAnswer,
  EgressTimeouts,
  Metrics,
  SoundClip,
  SoundDecoder,
  StopSignal,
} from '@jackfield/ports';
import { withoutSecrets } from '../../../kernel/shown-url.ts';
import { freshnessOf, headerText } from '../domain/freshness.ts';
import type { SoundDocument } from '../domain/play-order.ts';
import type { ReadSoundDocument } from '../public-api.ts';
import { createFairLine, type FairLineLimits, LineProblem } from './fair-line.ts';
import { createSharedWork } from './shared-work.ts';
import { SoundProblem } from './sound-problem.ts';

/** Customers' sound files, and documents of them, fetched, read and kept as long as their servers allow. */
export interface SoundFiles {
  /** Rejects with a SoundProblem, or a LineProblem `withdrawn` when the signal ended it. */
  get(url: string, method: 'GET' | 'POST', signal: StopSignal): Promise<SoundFile>;
  /** The same, where a document is welcome too. */
  getSource(url: string, method: 'GET' | 'POST', signal: StopSignal): Promise<FoundSource>;
  census(): { readonly fetching: number; readonly files: number; readonly bytes: number };
}

/** The same key means the same sound. */
export interface SoundFile {
  readonly key: string;
  readonly clip: SoundClip;
}

export type FoundSource = SoundFile | { readonly document: SoundDocument };

export interface SoundFileLimits {
  readonly maxFileBytes: number;
  readonly maxSeconds: number;
  /** Of decoded samples, and of documents as they came. */
  readonly maxCacheBytes: number;
  readonly unsaidFreshMs: number;
  readonly mostFreshMs: number;
  /** Fetches at the same time, of one host, and those that wait. */
  readonly line: FairLineLimits;
}

export interface SoundFilesDeps {
  readonly egress: Egress;
  readonly decoder: SoundDecoder;
  readonly clock: Pick<Clock, 'now'>;
  readonly metrics: Pick<Metrics, 'count'>;
  readonly timeoutsOf: (url: string) => EgressTimeouts;
  readonly readSoundDocument: ReadSoundDocument;
  readonly limits: SoundFileLimits;
}

interface KeptSource {
  readonly found: FoundSource;
  readonly bytes: number;
  readonly validators: Readonly<Record<string, string>>;
  freshUntil: number;
}

export function createSoundFiles(deps: SoundFilesDeps): SoundFiles {
  const { egress, decoder, clock, metrics, timeoutsOf, readSoundDocument, limits } = deps;
  const kept = new Map<string, KeptSource>();
  const fetching = createSharedWork<FoundSource>(() => new LineProblem('withdrawn'));
  const line = createFairLine(limits.line);
  const freshness = { unsaidMs: limits.unsaidFreshMs, mostMs: limits.mostFreshMs };
  let bytes = 0;
  let keys = 0;

  function forget(url: string): void {
    bytes -= kept.get(url)?.bytes ?? 0;
    kept.delete(url);
  }

  function keep(url: string, source: KeptSource): void {
    forget(url);
    kept.set(url, source);
    bytes += source.bytes;
    for (const oldest of kept.keys()) {
      if (bytes <= limits.maxCacheBytes) return;
      forget(oldest);
    }
  }

  async function fetchSource(
    url: string,
    method: 'GET' | 'POST',
    timeouts: EgressTimeouts,
    signal: StopSignal,
  ): Promise<FoundSource> {
    const known = method === 'GET' ? kept.get(url) : undefined;
    const outcome = await egress.send({
      url,
      method,
      headers: { ...requestHeaders, ...known?.validators },
      timeouts,
      maxBodyBytes: limits.maxFileBytes,
      signal,
    });
    if (signal.aborted) throw new LineProblem('withdrawn');
    if ('problem' in outcome) {
      const { kind, sentence } = outcome.problem;
      throw new SoundProblem(kind === 'too-large' ? tooLarge(limits.maxFileBytes) : sentence);
    }
    const { isKept, freshUntil } = freshnessOf(outcome.headers, clock.now(), freshness);
    if (outcome.status === 304 && known !== undefined) {
      known.freshUntil = freshUntil;
      keep(url, known);
      metrics.count(fetches, { outcome: 'unchanged' });
      return known.found;
    }
    if (outcome.status !== 200) {
      throw new SoundProblem(`the answer had the status ${outcome.status}, only 200 brings a sound`);
    }
    const found = looksLikeXml(outcome.body) ? documentIn(outcome) : await fileIn(outcome);
    metrics.count(fetches, { outcome: 'fetched' });
    if (method === 'GET') {
      const size = 'document' in found ? outcome.body.length : found.clip.samples.byteLength;
      if (isKept) keep(url, { found, bytes: size, validators: validatorsOf(outcome), freshUntil });
      else forget(url);
    }
    return found;
  }

  async function fileIn(answer: EgressAnswer): Promise<SoundFile> {
    return { clip: await decode(answer), key: `file ${++keys}` };
  }

  function documentIn(answer: EgressAnswer): FoundSource {
    const read = readSoundDocument(answer.body);
    if (!('sentence' in read)) return { document: read };
    throw new SoundProblem(
      `neither an MP3 nor a WAV file ${whatCame(answer)}, nor a document of sounds: ${read.sentence}`,
    );
  }

  async function decode(answer: EgressAnswer): Promise<SoundClip> {
    try {
      return await decoder.decode(answer.body, { seconds: limits.maxSeconds });
    } catch (error) {
      // The rest are no faults of the file.
      if (!fileFaults.has((error as { code?: unknown }).code)) {
        throw new SoundProblem('it could not be decoded at this moment');
      }
      const reason = error instanceof Error ? error.message : String(error);
      throw new SoundProblem(`${reason} ${whatCame(answer)}`);
    }
  }

  async function inTurn(
    url: string,
    method: 'GET' | 'POST',
    timeouts: EgressTimeouts,
    signal: StopSignal,
  ): Promise<FoundSource> {
    try {
      return await line.run(hostOf(url), () => fetchSource(url, method, timeouts, signal), signal);
    } catch (error) {
      if (error instanceof LineProblem && error.code === 'withdrawn') throw error;
      metrics.count(fetches, { outcome: 'failed' });
      const full = 'too many sound files are being fetched at this moment';
      const reason = error instanceof LineProblem ? full : (error as Error).message;
      throw new SoundProblem(`${withoutSecrets(url)} could not be played: ${reason}`);
    }
  }

  async function getSource(
    written: string,
    method: 'GET' | 'POST',
    signal: StopSignal,
  ): Promise<FoundSource> {
    const timeouts = timeoutsOf(written);
    const mark = written.indexOf('#');
    const url = mark === -1 ? written : written.slice(0, mark);
    // RFC 9110 §9.3.3: a POST may change something, so each one is made.
    if (method === 'POST') return inTurn(url, method, timeouts, signal);
    const known = kept.get(url);
    if (known !== undefined && clock.now() < known.freshUntil) {
      kept.delete(url);
      kept.set(url, known);
      metrics.count('jackfield_sound_cache_hits_total');
      return known.found;
    }
    return fetching.join(url, signal, (whole) => inTurn(url, method, timeouts, whole));
  }

  return {
    census: () => ({ fetching: fetching.size, files: kept.size, bytes }),
    getSource,
    async get(url, method, signal) {
      const found = await getSource(url, method, signal);
      if (!('document' in found)) return found;
      throw new SoundProblem(
        `${withoutSecrets(url)} could not be played: an XML document came where an MP3 or WAV file is expected`,
      );
    },
  };
}

const fetches = 'jackfield_sound_fetches_total';

const fileFaults = new Set<unknown>(['unknown-format', 'broken-file', 'too-long'] satisfies DecodeProblem[]);

const requestHeaders: Readonly<Record<string, string>> = {
  'User-Agent': 'Jackfield',
  Accept: 'audio/mpeg, audio/wav, audio/x-wav, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5',
  // The body is taken as it comes.
  'Accept-Encoding': 'identity',
};

function validatorsOf({ headers }: EgressAnswer): Readonly<Record<string, string>> {
  const etag = headerText(headers, 'etag');
  const lastModified = headerText(headers, 'last-modified');
  return {
    ...(etag === undefined ? {} : { 'If-None-Match': etag }),
    ...(lastModified === undefined ? {} : { 'If-Modified-Since': lastModified }),
  };
}

/** No MP3 or WAV file begins so, whatever type its server gives it. */
function looksLikeXml(body: Uint8Array): boolean {
  let at = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
  while (at < body.length && isWhiteSpace(body[at] as number)) at++;
  return body[at] === 0x3c;
}

function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function whatCame(answer: EgressAnswer): string {
  return `(${answer.body.length} bytes${contentTypeOf(answer)} came; MP3 and WAV files are played)`;
}

function contentTypeOf({ headers }: EgressAnswer): string {
  const type = headerText(headers, 'content-type')?.split(';')[0]?.trim() ?? '';
  return /^[\w.+-]{1,40}\/[\w.+-]{1,40}$/.test(type) ? ` of ${type}` : '';
}

function tooLarge(bytes: number): string {
  return `the file is larger than ${Math.floor(bytes / (1 << 20))} MB`;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
