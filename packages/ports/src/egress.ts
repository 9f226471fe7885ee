/** One request to a URL that a customer supplied. */
export interface EgressRequest {
  /** As written by the customer; a fragment is not sent. */
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Without Host, Content-Length and Connection, which the port sets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeouts: EgressTimeouts;
  /** A longer body ends the request with the problem `too-large`, as do chunk extensions and trailers of much more than that. */
  readonly maxBodyBytes: number;
  /** Called with the bytes of each piece of the body; false ends the request with the problem `no-memory`. */
  readonly reserve?: (bytes: number) => boolean;
  /** Called once with the status when the head of the answer has come; interim answers are no answer. */
  readonly onStatus?: (status: number) => void;
  /** Aborts the request; its outcome is then the problem `aborted`. */
  readonly signal?: StopSignal;
}

/** The shape of an AbortSignal, for code without the types of a platform. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { once: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Milliseconds: to resolve the name and connect (TLS included), between two pieces of the answer, and for the whole request. */
export interface EgressTimeouts {
  readonly connectMs: number;
  readonly readMs: number;
  readonly totalMs: number;
}

/** An answer of any status, redirects included; the body as received, never decompressed. */
export interface EgressAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/**
 * - `refused`: the guard forbids the target; a retry cannot succeed.
 * - `unreachable`: unknown name, closed port, or TLS failed; `connect-timeout`: the connection took too long.
 * - `read-timeout`, `total-timeout`, `broken`: connected, but the answer was late, missing or malformed.
 * - `too-large`: the body, or what comes with it, exceeded the cap; `no-memory`: `reserve` refused a piece of it. `aborted`: the caller gave up.
 */
export type EgressProblemKind =
  | 'refused'
  | 'unreachable'
  | 'connect-timeout'
  | 'read-timeout'
  | 'total-timeout'
  | 'broken'
  | 'too-large'
  | 'no-memory'
  | 'aborted';

/** Why there is no complete answer; `status` when at least its head had arrived. */
export interface EgressProblem {
  readonly kind: EgressProblemKind;
  readonly sentence: string;
  readonly status?: number;
}

/** The outcome of a request. */
export type EgressOutcome = EgressAnswer | { readonly problem: EgressProblem };

/** The only way to URLs that customers supply; no act of the other side makes the promise reject. */
export interface Egress {
  send(request: EgressRequest): Promise<EgressOutcome>;
}

/** Checked targets of a connection that the media worker opens: the addresses of the name, at the port of the URL or of its scheme. */
export interface CheckedAddresses {
  /** At least one; the guard has checked each. */
  readonly addresses: readonly string[];
  readonly port: number;
}

/** The guard without a request, for WebSockets. */
export interface EgressAddresses {
  /**
   * Resolves the name of a ws, wss, http or https URL with the cache of requests and checks it by the same rules. Sends nothing
   * to the target. Problems are `refused`, `unreachable` and `connect-timeout`; never rejects.
   */
  resolve(url: string, timeoutMs: number): Promise<CheckedAddresses | { readonly problem: EgressProblem }>;
}
