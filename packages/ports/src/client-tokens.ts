import type { Instant } from './machine.ts';

/** What signalling needs of client tokens; implemented by the client-tokens feature. */
export interface ClientTokens {
  /**
   * The client that presents a token as this SIP user, or the code of the refusal; never throws for malformed input. A token
   * signed with a wrong key and one of an unknown account get the same refusal after the same work.
   */
  admit(token: string, sipUser: string): Promise<TokenClient | { readonly refusedWith: TokenRefusal }>;
}

/** A client that was admitted by its token. */
export interface TokenClient {
  readonly refusedWith?: undefined;
  readonly account: string;
  /** The endpoint of the client; empty for a token without a subject, which cannot receive calls. */
  readonly endpoint: string;
  /** The name under which callers reach it: the username of its endpoint, or the name that it gives. */
  readonly user: string;
  readonly expiresAt: Instant;
  readonly mayReceive: boolean;
  readonly mayCall: boolean;
  /** The application that answers its calls, if the token names one. */
  readonly application: string | undefined;
}

/** Codes on the wire (docs/interface/client-tokens.md#on-sip). */
export const tokenRefusals = {
  token: 10001,
  header: 10002,
  issuer: 10003,
  subject: 10004,
  'not-valid-yet': 10005,
  expired: 10006,
  signature: 10007,
  grants: 10008,
  'valid-too-long': 10009,
  'too-many-logins': 10010,
} as const;

/** Why a token was refused. */
export type TokenRefusal = keyof typeof tokenRefusals;
