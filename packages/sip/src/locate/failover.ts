/** How a request to one target ended. */
export type Attempt =
  | { readonly type: 'response'; readonly status: number }
  | { readonly type: 'failed'; readonly failure: 'timeout' | 'transport-failed' };

/**
 * Whether the next target is tried (RFC 3263 §4.3): after 503, after a failure of the transport, and after a timeout without any
 * response. Any other response is final.
 */
export function triesNext(attempt: Attempt): boolean {
  return attempt.type === 'failed' || attempt.status === 503;
}

/** Whether a flow of a phone has failed, so that another one is tried (RFC 5626 §5.3): as `triesNext`, and after 430 (Flow Failed). */
export function failsFlow(attempt: Attempt): boolean {
  return triesNext(attempt) || (attempt.type === 'response' && attempt.status === 430);
}

/** The targets that remain after an attempt to reach a phone by INVITE. */
export interface TargetsLeft {
  /** Whether the attempt had a provisional response above 100: the phone was reached. */
  readonly isReached: boolean;
  readonly hasRoute: boolean;
  readonly hasFlow: boolean;
}

/** The next step after an attempt: the next route, else the next flow of the phone, else none. */
export function successorOf(attempt: Attempt, left: TargetsLeft): 'route' | 'flow' | 'none' {
  if (left.isReached) return 'none';
  if (left.hasRoute && triesNext(attempt)) return 'route';
  return left.hasFlow && failsFlow(attempt) ? 'flow' : 'none';
}
