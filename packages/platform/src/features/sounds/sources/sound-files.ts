import type { EgressTimeouts, StopSignal } from '@jackfield/ports';
import { withoutSecrets } from '../../../kernel/shown-url.ts';
import { createByteBudget } from './byte-budget.ts';
import { createFairLine, type FairLineLimits, LineProblem } from './fair-line.ts';
import { createSourceFetch, type FetchLimits, type SourceFetchDeps } from './fetch-source.ts';
import { createKeptSources, type FoundSource, type SoundFile } from './kept-sources.ts';
import type { SourceRequest } from './request-source.ts';
import { createSharedWork } from './shared-work.ts';
import { SoundProblem } from './sound-problem.ts';

/** Customers' sound files and documents of prompts, fetched, decoded and kept as long as their servers allow. */
export interface SoundFiles {
  /** Rejects with a SoundProblem, or a LineProblem `withdrawn` when the signal aborts. */
  get(url: string, method: 'GET' | 'POST', signal: StopSignal): Promise<SoundFile>;
  /** The same, and accepts a document. */
  getSource(url: string, method: 'GET' | 'POST', signal: StopSignal): Promise<FoundSource>;
  census(): {
    readonly fetching: number;
    /** Of files that are fetched or decoded. */
    readonly fetchingBytes: number;
    readonly files: number;
    readonly bytes: number;
  };
}

export interface SoundFileLimits extends FetchLimits {
  /** Of files that are fetched or decoded at the same time. */
  readonly maxFetchingBytes: number;
  /** Of documents as received, and of decoded samples until the media engine has them. */
  readonly maxCacheBytes: number;
  /** Concurrent fetches, concurrent fetches of one host, and waiting fetches. */
  readonly line: FairLineLimits;
}

export interface SoundFilesDeps extends SourceFetchDeps {
  readonly timeoutsOf: (url: string) => EgressTimeouts;
  readonly limits: SoundFileLimits;
}

export function createSoundFiles(deps: SoundFilesDeps): SoundFiles {
  const { clock, metrics, timeoutsOf, limits } = deps;
  const kept = createKeptSources(limits.maxCacheBytes);
  const fetching = createSharedWork<FoundSource>(() => new LineProblem('withdrawn'));
  const line = createFairLine(limits.line);
  const memory = createByteBudget(limits.maxFetchingBytes);
  const { fetchSource, isUsable } = createSourceFetch(deps, kept, memory);

  async function inTurn(request: SourceRequest): Promise<FoundSource> {
    const { url, signal } = request;
    try {
      return await line.run(hostOf(url), () => fetchSource(request), signal);
    } catch (error) {
      if (error instanceof LineProblem && error.code === 'withdrawn') throw error;
      metrics.count('jackfield_sound_fetches_total', { outcome: 'failed' });
      const problem =
        error instanceof LineProblem
          ? new SoundProblem('busy', 'too many sound files are being fetched at this moment')
          : error;
      const code = problem instanceof SoundProblem ? problem.code : 'internal';
      throw new SoundProblem(
        code,
        `${withoutSecrets(url)} could not be played: ${(problem as Error).message}`,
      );
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
    // RFC 9110 §9.3.3: a POST may change something, so none is shared or kept.
    if (method === 'POST') return inTurn({ url, method, timeouts, signal });
    const known = kept.get(url);
    if (known !== undefined && isUsable(known) && clock.now() < known.freshUntil) {
      kept.keep(url, known);
      metrics.count('jackfield_sound_cache_hits_total');
      return known.found;
    }
    return fetching.join(url, signal, (whole) => inTurn({ url, method, timeouts, signal: whole }));
  }

  return {
    census: () => ({ fetching: fetching.size, fetchingBytes: memory.held, ...kept.census() }),
    getSource,
    async get(url, method, signal) {
      const found = await getSource(url, method, signal);
      if (!('document' in found)) return found;
      throw new SoundProblem(
        'not-a-sound',
        `${withoutSecrets(url)} could not be played: an XML document came where an MP3 or WAV file is expected`,
      );
    },
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
