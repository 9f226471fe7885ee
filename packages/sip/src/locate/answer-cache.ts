import { type DnsAnswer, type DnsQuery, queryKey } from './dns-records.ts';

/** Bounds of the cache; times in milliseconds. */
export interface AnswerCacheLimits {
  /** The most answers, 10,000; the oldest is removed first. */
  readonly maxAnswers: number;
  /** The longest life of a record, 3,600,000. */
  readonly maxTtlMs: number;
  /** The life of a negative answer or a failed query, 30,000. */
  readonly negativeTtlMs: number;
}

/** Default limits. */
const DEFAULT_ANSWER_CACHE_LIMITS: AnswerCacheLimits = {
  maxAnswers: 10_000,
  maxTtlMs: 3_600_000,
  negativeTtlMs: 30_000,
};

/** DNS answers until they expire (RFC 3263 §4: a client may cache as DNS allows). */
export interface AnswerCache {
  get(query: DnsQuery, now: number): DnsAnswer | undefined;
  put(query: DnsQuery, answer: DnsAnswer, now: number): void;
  readonly size: number;
}

/** An empty cache. */
export function createAnswerCache(limits: Partial<AnswerCacheLimits> = {}): AnswerCache {
  const { maxAnswers, maxTtlMs, negativeTtlMs } = { ...DEFAULT_ANSWER_CACHE_LIMITS, ...limits };
  const answers = new Map<string, { readonly answer: DnsAnswer; readonly until: number }>();
  return {
    get(query, now) {
      const key = queryKey(query);
      const known = answers.get(key);
      if (known === undefined) return undefined;
      if (known.until > now) return known.answer;
      answers.delete(key);
      return undefined;
    },
    put(query, answer, now) {
      const key = queryKey(query);
      answers.delete(key);
      const isNegative = answer.type === 'failed' || answer.records.length === 0;
      const ttlMs = isNegative ? negativeTtlMs : Math.min(answer.ttlMs, maxTtlMs);
      if (ttlMs <= 0 || maxAnswers < 1) return;
      if (answers.size >= maxAnswers) answers.delete(answers.keys().next().value!);
      answers.set(key, { answer, until: now + ttlMs });
    },
    get size() {
      return answers.size;
    },
  };
}
