/** Requests to carriers outside of any call. Each outcome is reported once, later, and never as an exception. */
export interface CarrierRequests {
  /** REGISTER with our Contact (RFC 3261 §10.2); 0 seconds remove the binding. The carrier's account answers a challenge. */
  register(order: RegisterOrder, done: (outcome: RegisterOutcome) => void): void;
  /** OPTIONS (RFC 3261 §11.1): the status of the response, or undefined without one. */
  probe(uri: string, done: (status: number | undefined) => void): void;
}

/** One REGISTER; the expiry is in seconds (RFC 3261 §10.2). */
export interface RegisterOrder {
  /** The carrier whose username and password answer challenges. */
  readonly carrier: string;
  /** SIP URI of the registrar. */
  readonly registrar: string;
  /** SIP URI of the address-of-record. */
  readonly aor: string;
  readonly expiresSeconds: number;
}

/** `minExpiresSeconds` comes with 423. */
export type RegisterOutcome =
  | { readonly type: 'registered'; readonly expiresSeconds: number }
  | { readonly type: 'refused'; readonly status: number; readonly minExpiresSeconds?: number }
  | { readonly type: 'unanswered' };
