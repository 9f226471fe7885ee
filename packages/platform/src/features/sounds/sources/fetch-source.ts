import type { Clock, Egress, EgressAnswer, Metrics, SoundDecoder } from '@jackfield/ports';
import { freshnessOf } from '../domain/freshness.ts';
import type { ReadSoundDocument } from '../public-api.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { FoundSource, KeptSource, KeptSources, SoundFile } from './kept-sources.ts';
import { decodeSound, looksLikeXml, readDocument } from './read-sound.ts';
import { requestSource, type SourceAnswer, type SourceRequest, validatorsOf } from './request-source.ts';
import { SoundProblem } from './sound-problem.ts';

export interface FetchLimits {
  readonly maxFileBytes: number;
  readonly maxSeconds: number;
  readonly unsaidFreshMs: number;
  readonly mostFreshMs: number;
}

export interface SourceFetchDeps {
  readonly egress: Egress;
  readonly decoder: SoundDecoder;
  readonly clock: Pick<Clock, 'now'>;
  readonly metrics: Pick<Metrics, 'count'>;
  readonly readSoundDocument: ReadSoundDocument;
  /** Whether the media engine has the samples of the file with this key. */
  readonly isLoaded: (key: string) => boolean;
  readonly limits: FetchLimits;
}

export interface SourceFetch {
  /** Rejects with a SoundProblem, or a LineProblem when the signal aborts or `memory` is used up. */
  fetchSource(request: SourceRequest): Promise<FoundSource>;
  /** False for a file whose samples the media engine has dropped. */
  isUsable(source: KeptSource): boolean;
}

/** Requests a source, reads the answer and keeps what its headers allow. */
export function createSourceFetch(deps: SourceFetchDeps, kept: KeptSources, memory: ByteBudget): SourceFetch {
  const { clock, metrics, limits } = deps;
  const freshness = { unsaidMs: limits.unsaidFreshMs, mostMs: limits.mostFreshMs };
  let keys = 0;

  const isUsable = ({ found }: KeptSource): boolean =>
    'document' in found || found.clip !== undefined || deps.isLoaded(found.key);

  async function fetchSource(request: SourceRequest): Promise<FoundSource> {
    const { url, method } = request;
    const before = method === 'GET' ? kept.get(url) : undefined;
    const known = before !== undefined && isUsable(before) ? before : undefined;
    const share = memory.open();
    try {
      const { egress } = deps;
      const { maxFileBytes } = limits;
      const answer = await requestSource({ egress, clock, maxFileBytes }, request, known?.validators, share);
      if (answer.status === 304 && known !== undefined) {
        if (isUsable(known)) return unchanged(url, known, answer);
        // The engine dropped the samples meanwhile: without validators the server sends the file again.
        kept.forget(url);
        return await fetchSource(request);
      }
      if (answer.status !== 200) {
        throw new SoundProblem(
          'unexpected-status',
          `the answer had the status ${answer.status}, only 200 brings a sound`,
        );
      }
      return await read(request, answer);
    } finally {
      share.free();
    }
  }

  function unchanged(url: string, known: KeptSource, answer: EgressAnswer): FoundSource {
    const { freshUntil } = freshnessOf(answer.headers, clock.now(), freshness);
    kept.keep(url, { ...known, freshUntil });
    metrics.count(fetches, { outcome: 'unchanged' });
    return known.found;
  }

  async function read({ url, method }: SourceRequest, answer: SourceAnswer): Promise<FoundSource> {
    const { isKept, freshUntil: latest } = freshnessOf(answer.headers, clock.now(), freshness);
    // Its headers are about the target of a redirection, which may lead elsewhere the next time.
    const freshUntil = answer.isRedirected ? Math.min(latest, clock.now() + limits.unsaidFreshMs) : latest;
    const found = looksLikeXml(answer.body)
      ? { document: readDocument(answer, deps.readSoundDocument) }
      : soundFile(url, await decodeSound(answer, deps.decoder, limits.maxSeconds));
    metrics.count(fetches, { outcome: 'fetched' });
    if (method === 'POST') return found;
    const validators = answer.isRedirected ? {} : validatorsOf(answer);
    if (isKept) kept.keep(url, { found, bodyBytes: answer.body.length, validators, freshUntil });
    else kept.forget(url);
    return found;
  }

  function soundFile(url: string, clip: SoundFile['clip']): SoundFile {
    const file = {
      key: `file ${++keys}`,
      clip,
      handOver() {
        file.clip = undefined;
        kept.recount(url);
      },
    };
    return file;
  }

  return { fetchSource, isUsable };
}

const fetches = 'jackfield_sound_fetches_total';
