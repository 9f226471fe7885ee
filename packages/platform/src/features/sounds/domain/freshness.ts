import type { Instant } from '@jackfield/ports';

/** How long an answer may be used again, by its headers (RFC 9111) and within our limits. */
export interface Freshness {
  /** False: the answer serves this request only. */
  readonly isKept: boolean;
  /** Until then without a request; afterwards a conditional request checks it. */
  readonly freshUntil: Instant;
}

export interface FreshnessLimits {
  /** Heuristic freshness (RFC 9111 §4.2.2): people change prompts by hand, calls come by the second. */
  readonly unsaidMs: number;
  readonly mostMs: number;
}

export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export function freshnessOf(headers: ResponseHeaders, now: Instant, limits: FreshnessLimits): Freshness {
  const said = directivesOf(headerText(headers, 'cache-control'));
  if (said.has('no-store')) return { isKept: false, freshUntil: now };
  if (said.has('no-cache')) return { isKept: true, freshUntil: now };
  // RFC 9111 §5.2.2.10: s-maxage overrides max-age in a shared cache.
  const lifetime = secondsOf(said.get('s-maxage')) ?? secondsOf(said.get('max-age'));
  if (lifetime === undefined) return { isKept: true, freshUntil: now + limits.unsaidMs };
  const age = secondsOf(headerText(headers, 'age')) ?? 0;
  const ms = Math.min(Math.max(0, lifetime - age) * 1_000, limits.mostMs);
  return { isKept: true, freshUntil: now + ms };
}

/** The header as one text; undefined when the answer lacks it. */
export function headerText(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  return value === undefined || typeof value === 'string' ? value : value.join(', ');
}

function directivesOf(text: string | undefined): ReadonlyMap<string, string> {
  const directives = new Map<string, string>();
  for (const part of text?.split(',') ?? []) {
    const equals = part.indexOf('=');
    const name = (equals === -1 ? part : part.slice(0, equals)).trim().toLowerCase();
    const value = equals === -1 ? '' : part.slice(equals + 1).trim();
    if (!directives.has(name)) directives.set(name, value.replace(/^"([^"]*)"$/, '$1'));
  }
  return directives;
}

/** RFC 9111 §1.2.2: a number that is too large counts as 2^31; a text without a number is ignored. */
function secondsOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Math.min(Number(text), 2 ** 31) : undefined;
}
