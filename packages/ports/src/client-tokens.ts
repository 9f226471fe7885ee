import type { Instant } from './machine.ts';

/** What signalling needs of client tokens; implemented by the client-tokens feature. */
export interface ClientTokens {
  /**
   * Who presents a token as this SIP user, or the code of the refusal; never throws for odd input. A token that was signed
   * with another key and one of an account that does not exist cost and answer the same.
   */
  admit(token: string, sipUser: string): Promise<TokenClient | { readonly refusedWith: TokenRefusal }>;
}

/** A client that was admitted by its token. */
export interface TokenClient {
  readonly refusedWith?: undefined;
  readonly account: string;
  /** The endpoint that it is; empty for one without a subject, which cannot be called. */
  readonly endpoint: string;
  /** Under which others reach it: the username of its endpoint, or what it calls itself. */
  readonly user: string;
  readonly expiresAt: Instant;
  readonly mayReceive: boolean;
  readonly mayCall: boolean;
  /** The application that takes its calls, where the token names one. */
  readonly application: string | undefined;
}

/** Codes that clients know (docs/interface/client-tokens.md#on-sip). */
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
