import type { ClientTokens, Clock, Registrations, Secrets, TokenRefusal } from '@jackfield/ports';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { compactVerify } from 'jose/jws/compact/verify';
import type { Authenticator } from '../../../http/index.ts';
import { type Claims, misnamed, readClaims, untimely } from '../domain/claims.ts';

export interface AdmissionDeps {
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'randomUuid'>;
  readonly accounts: Authenticator & {
    /** Undefined for an unknown account. */
    authTokenOf(authId: string): Promise<string | undefined>;
    /** True when `account` is `owner` or a subaccount of it. */
    isWithin(account: string, owner: string): Promise<boolean>;
  };
  readonly registrations: Pick<Registrations, 'credentialOf'>;
}

/** Longer texts are refused: our tokens have about 400 characters. */
const longestToken = 4096;

export function createTokenAdmission(deps: AdmissionDeps): ClientTokens {
  const { clock, accounts, registrations } = deps;
  const text = new TextEncoder();
  // Signatures for unknown accounts are checked against this, so that they cost the same time.
  const keyOfUnknown = deps.secrets.randomUuid();

  /** The claims of a token that its account has signed. */
  async function verified(token: string): Promise<Claims | TokenRefusal> {
    if (token.length > longestToken) return 'token';
    const [, payload = ''] = token.split('.');
    if (!isOurHeader(token)) return /^[\w-]+\.[\w-]*\.[\w-]*$/.test(token) ? 'header' : 'token';
    const claims = readClaims(parsed(payload));
    if (typeof claims === 'string') return claims;
    const authToken = await accounts.authTokenOf(claims.iss);
    const isSigned = await compactVerify(token, text.encode(authToken ?? keyOfUnknown), {
      algorithms: ['HS256'],
    }).then(
      () => true,
      () => false,
    );
    if (!isSigned || authToken === undefined) return 'signature';
    // A disabled subaccount still has an auth_token.
    const { outcome } = await accounts.authenticate({ authId: claims.iss, authToken }, claims.iss);
    return outcome === 'accepted' ? claims : 'issuer';
  }

  return {
    async admit(token, sipUser) {
      const claims = await verified(token);
      if (typeof claims === 'string') return { refusedWith: claims };
      const wrong = untimely(claims, clock.wallNow()) ?? misnamed(claims, sipUser);
      if (wrong !== undefined) return { refusedWith: wrong };
      const { iss, sub, app, voice } = claims;
      if (voice === undefined) return { refusedWith: 'grants' };
      const client = {
        expiresAt: claims.exp * 1000,
        mayCall: voice.outgoing,
        application: app === '' ? undefined : app,
      };
      if (sub === '') return { ...client, account: iss, endpoint: '', user: sipUser, mayReceive: false };
      // A deleted endpoint, an endpoint of another account and an unknown name get the same answer.
      const endpoint = await registrations.credentialOf(sub);
      if (endpoint === undefined || !(await accounts.isWithin(endpoint.account, iss))) {
        return { refusedWith: 'subject' };
      }
      return {
        ...client,
        account: endpoint.account,
        endpoint: endpoint.endpoint,
        user: endpoint.username,
        mayReceive: voice.incoming,
      };
    },
  };
}

function isOurHeader(token: string): boolean {
  try {
    const { alg, typ, crit } = decodeProtectedHeader(token);
    return alg === 'HS256' && (typ === undefined || typ.toUpperCase() === 'JWT') && crit === undefined;
  } catch {
    return false;
  }
}

/** Undefined when it is no JSON. */
function parsed(payload: string): unknown {
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
