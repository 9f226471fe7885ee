import type { Instant, TokenRefusal } from '@jackfield/ports';

/** The payload of a well-formed token; not to be trusted before its signature was checked. */
export interface Claims {
  readonly iss: string;
  /** Empty when there is no subject. */
  readonly sub: string;
  readonly app: string;
  /** Seconds since the Unix epoch. */
  readonly nbf: number;
  readonly exp: number;
  /** Undefined for permissions of an unknown form. */
  readonly voice: { readonly incoming: boolean; readonly outgoing: boolean } | undefined;
}

/** Reads the payload of a token: what the interface issues (`per`), or what a client library has made (`grants`). */
export function readClaims(payload: unknown): Claims | TokenRefusal {
  if (!isObject(payload)) return 'token';
  const { iss, sub = '', app = '', nbf, exp } = payload;
  if (typeof iss !== 'string' || !/^(?:MA|SA)[A-Z0-9]{18}$/.test(iss)) return 'issuer';
  if (typeof sub !== 'string' || sub.length > 100) return 'subject';
  if (typeof app !== 'string' || !isSeconds(nbf) || !isSeconds(exp)) return 'token';
  return { iss, sub, app, nbf, exp, voice: voiceOf(payload.per ?? payload.grants ?? {}) };
}

const maxSeconds = 86_400;
/** The issuer's clock may be a little ahead of the server's. */
const aheadSeconds = 10;

/** Why a token is not valid now; undefined when it is. */
export function untimely({ nbf, exp }: Claims, now: Instant): TokenRefusal | undefined {
  const seconds = now / 1000;
  if (seconds < nbf - aheadSeconds) return 'not-valid-yet';
  if (seconds >= exp) return 'expired';
  return exp - nbf > maxSeconds ? 'valid-too-long' : undefined;
}

/**
 * Whether a SIP user fits the token: `<sub>_<iss>`, the bare subject, or without a subject a name that the client invents,
 * `puser<milliseconds>jt_<iss>` (docs/interface/client-tokens.md#on-sip).
 */
export function misnamed({ iss, sub }: Claims, sipUser: string): TokenRefusal | undefined {
  const suffix = /_((?:MA|SA)[A-Z0-9]{18})$/.exec(sipUser)?.[1];
  if (suffix !== undefined && suffix !== iss) return 'issuer';
  const isRight =
    sub === ''
      ? suffix === iss && /^puser\d{1,20}jt_/.test(sipUser)
      : sipUser === sub || sipUser === `${sub}_${iss}`;
  return isRight ? undefined : 'subject';
}

/** The endpoint's username in a client's SIP user, and the account that follows it. */
export function splitSipUser(
  sipUser: string,
): { readonly username: string; readonly account: string } | undefined {
  const found = /^(.+)_((?:MA|SA)[A-Z0-9]{18})$/.exec(sipUser);
  return found === null ? undefined : { username: found[1]!, account: found[2]! };
}

function voiceOf(permissions: unknown): Claims['voice'] {
  if (!isObject(permissions)) return undefined;
  const { voice = {} } = permissions;
  if (!isObject(voice)) return undefined;
  const { incoming_allow: incoming = false, outgoing_allow: outgoing = false } = voice;
  if (typeof incoming !== 'boolean' || typeof outgoing !== 'boolean') return undefined;
  return { incoming, outgoing };
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
