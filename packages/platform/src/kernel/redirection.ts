import type { EgressOutcome } from '@jackfield/ports';

/** Redirections that are followed for one document or sound, each through the egress guard like the first request. */
export const maxRedirections = 3;

const statuses: readonly number[] = [301, 302, 303, 307, 308];

export interface Redirection {
  /** Without fragment. */
  readonly url: string;
  readonly method: 'GET' | 'POST';
}

/** Where the answer sends a request; undefined when it is no redirection to an HTTP URL. */
export function redirectionOf(outcome: EgressOutcome, from: Redirection): Redirection | undefined {
  if (!('status' in outcome) || !statuses.includes(outcome.status)) return undefined;
  const { location } = outcome.headers;
  if (typeof location !== 'string' || !URL.canParse(location, from.url)) return undefined;
  const target = new URL(location, from.url);
  target.hash = '';
  if (target.protocol !== 'http:' && target.protocol !== 'https:') return undefined;
  // RFC 9110 §15.4: 307 and 308 keep the method; with any other redirection a POST becomes a GET.
  const keepsMethod = outcome.status === 307 || outcome.status === 308;
  return { url: target.href, method: keepsMethod ? from.method : 'GET' };
}
