import { type AnswerCacheLimits, createAnswerCache } from '../locate/answer-cache.ts';
import { type DnsAnswer, type DnsQuery, queryKey } from '../locate/dns-records.ts';
import {
  type LocatedTarget,
  type Location,
  type LocationEffect,
  type LocationOptions,
  startLocation,
  stepLocation,
} from '../locate/location.ts';
import { parseSipUri } from '../message/uri.ts';
import type { DnsResolver } from './dns-resolver.ts';

/** Options of a locator. */
export interface LocatorOptions extends LocationOptions {
  readonly resolver: DnsResolver;
  /** Milliseconds, for the cache. */
  readonly now: () => number;
  /** Numbers in [0, 1), for SRV weights. */
  readonly chance: () => number;
  readonly cacheLimits?: Partial<AnswerCacheLimits>;
  /** The most concurrent locations, 1,000; beyond it a URI gets no target. */
  readonly maxLocations?: number;
}

/** Locates the targets of requests (RFC 3263). */
export interface Locator {
  /**
   * Calls `found` once, with targets best first, or none if the URI has none; within the call if no DNS query is needed.
   */
  locate(uri: string, found: (targets: readonly LocatedTarget[]) => void): void;
  /** Locations that wait for DNS. */
  readonly pending: number;
}

/** A locator with an empty cache. Equal queries in progress share one answer, so that a burst of calls queries once. */
export function createLocator(options: LocatorOptions): Locator {
  const { resolver, now, chance, maxLocations = 1_000 } = options;
  const cache = createAnswerCache(options.cacheLimits);
  const underWay = new Map<string, ((answer: DnsAnswer) => void)[]>();
  let pending = 0;

  const ask = (query: DnsQuery, take: (answer: DnsAnswer) => void): void => {
    const key = queryKey(query);
    const waiting = underWay.get(key);
    if (waiting !== undefined) {
      waiting.push(take);
      return;
    }
    const takers = [take];
    underWay.set(key, takers);
    void resolver.resolve(query).then((answer) => {
      underWay.delete(key);
      cache.put(query, answer, now());
      for (const each of takers) each(answer);
    });
  };

  return {
    locate(text, found) {
      const uri = parseSipUri(text);
      if (uri === undefined) {
        found([]);
        return;
      }
      let state: Location;
      let isPending = false;
      const over = (targets: readonly LocatedTarget[]): void => {
        if (isPending) pending -= 1;
        found(targets);
      };
      const answered = (query: DnsQuery, answer: DnsAnswer): void => {
        const step = stepLocation(state, { type: 'answered', query, answer }, chance);
        state = step.state;
        perform(step.effects);
      };
      const perform = (effects: readonly LocationEffect[]): void => {
        for (const effect of effects) {
          if (effect.do === 'found') over(effect.targets);
          else if (effect.do === 'fail') over([]);
          else {
            const known = cache.get(effect.query, now());
            if (known !== undefined) answered(effect.query, known);
            else ask(effect.query, (answer) => answered(effect.query, answer));
          }
        }
      };
      const start = startLocation(uri, options);
      state = start.state;
      if (state.phase !== 'over') {
        if (pending >= maxLocations) {
          found([]);
          return;
        }
        pending += 1;
        isPending = true;
      }
      perform(start.effects);
    },
    get pending() {
      return pending;
    },
  };
}
