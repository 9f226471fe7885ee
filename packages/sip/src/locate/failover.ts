/** How a request to one target ended. */
export type Attempt =
  | { readonly type: 'response'; readonly status: number }
  | { readonly type: 'failed'; readonly failure: 'timeout' | 'transport-failed' };

/**
 * Whether the next target is tried (RFC 3263 §4.3): after 503, after a failure of the transport, and after a timeout without any
 * response. Everything else was said by whoever is meant, and holds.
 */
export function triesNext(attempt: Attempt): boolean {
  return attempt.type === 'failed' || attempt.status === 503;
}
