import type { ConnectionLimits } from './connection-limits.ts';
import type { ServerLimits } from './create-server.ts';
import type { WindowLimits } from './sliding-window.ts';

export interface HttpLimits extends ConnectionLimits, ServerLimits {
  /** Requests of one account (each subaccount has its own count) in any window. */
  readonly requests: number;
  readonly requestsWindowMs: number;
  /** Failed authentications from one address in any window, before the address is refused. */
  readonly failedAuthentications: number;
  readonly failedAuthenticationsWindowMs: number;
  /** Requests of one source without an account, refusals included, in any window. */
  readonly strangerRequests: number;
  readonly strangerRequestsWindowMs: number;
  /** Accounts and addresses whose counts are kept. */
  readonly countedKeys: number;
  readonly bodyBytes: number;
}

export const defaultHttpLimits: HttpLimits = {
  // docs/interface/requests.md#request-rate: 300 requests in 5 seconds for each account.
  requests: 300,
  requestsWindowMs: 5000,
  failedAuthentications: 20,
  failedAuthenticationsWindowMs: 60_000,
  // 40 a second: health checks, a monitor and readers of the documentation behind one address need a tenth of it.
  strangerRequests: 200,
  strangerRequestsWindowMs: 5000,
  countedKeys: 10_000,
  bodyBytes: 256 * 1024,
  requestMs: 30_000,
  headersMs: 10_000,
  stalledMs: 60_000,
  idleMs: 72_000,
  lookMs: 2_000,
  pipelinedRequests: 16,
  // More than the limits of SIP over WebSocket, whose sockets are counted here as well.
  connections: 25_000,
  connectionsPerSource: 6_000,
};

/** A limit of requests or failures, for the accounts and addresses whose counts are kept. */
export function windowOf({ countedKeys }: HttpLimits, limit: number, windowMs: number): WindowLimits {
  return { limit, windowMs, maxKeys: countedKeys };
}
