/** One request to a URL that a customer supplied. */
export interface EgressRequest {
  /** As the customer wrote it; a fragment is not sent. */
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Host, length and connection are the port's own. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeouts: EgressTimeouts;
  /** What arrives beyond this many bytes of an answer's body cuts it off. */
  readonly maxBodyBytes: number;
  /** Gives the request up; its outcome is then the problem `aborted`. */
  readonly signal?: StopSignal;
}

/** What an AbortSignal is, for code that knows no platform's types. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { once: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Milliseconds: to resolve the name and connect (TLS included), between two pieces of the answer, and for everything together. */
export interface EgressTimeouts {
  readonly connectMs: number;
  readonly readMs: number;
  readonly totalMs: number;
}

/** An answer of any status, redirects among them; the body as it came, never decompressed. */
export interface EgressAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/**
 * - `refused`: the guard does not let the request go there; trying again is of no use.
 * - `unreachable`: no such name, nobody listens, or TLS failed; `connect-timeout`: none of it in time.
 * - `read-timeout`, `total-timeout`, `broken`: the connection stood, the answer did not come or was none.
 * - `too-large`: the body exceeded the cap. `aborted`: the caller gave up.
 */
export type EgressProblemKind =
  | 'refused'
  | 'unreachable'
  | 'connect-timeout'
  | 'read-timeout'
  | 'total-timeout'
  | 'broken'
  | 'too-large'
  | 'aborted';

/** Why there is no whole answer; `status` when at least its head had come. */
export interface EgressProblem {
  readonly kind: EgressProblemKind;
  readonly sentence: string;
  readonly status?: number;
}

/** The answer, or why there is none. */
export type EgressOutcome = EgressAnswer | { readonly problem: EgressProblem };

/** The only way to URLs that customers supply; never rejects for what the other side does. */
export interface Egress {
  send(request: EgressRequest): Promise<EgressOutcome>;
}

/** Where a connection that others make for us may go: the addresses of the name, one after another, at the port of the URL or of its scheme. */
export interface CheckedAddresses {
  /** One at least, each of them checked. */
  readonly addresses: readonly string[];
  readonly port: number;
}

/** The guard without a request, for connections that stay open: WebSockets. */
export interface EgressAddresses {
  /**
   * Resolves the name of a ws, wss, http or https URL by the same cache and checks it by the same rules as a request; nothing is
   * sent. Problems are `refused`, `unreachable` and `connect-timeout`; never rejects.
   */
  resolve(url: string, timeoutMs: number): Promise<CheckedAddresses | { readonly problem: EgressProblem }>;
}
