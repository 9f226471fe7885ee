import {
  type Clock,
  type EndpointCredential,
  type Registrations,
  type Secrets,
  whenThere,
} from '@jackfield/ports';
import {
  type Authorization,
  createDigestServer,
  decodeUtf8,
  type Nonces,
  parseSipUri,
  type SipRequest,
} from '@jackfield/sip';
import type { Admission, Admitted, Refused } from './admission.ts';
import { createSipNonces } from './sip-nonces.ts';

export interface DigestAdmissionDeps {
  readonly registrations: Registrations;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly realm: string;
  /** Shared by all challenges of this process; a separate set when absent. */
  readonly nonces?: Nonces;
  /** The algorithms of a challenge, in this order. */
  readonly algorithms: readonly ('MD5' | 'SHA-256')[];
}

/** Admits endpoints that know their password. Unknown users and wrong passwords get the same answer at the same cost. */
export function createDigestAdmission(deps: DigestAdmissionDeps): Admission {
  const { registrations, secrets, clock } = deps;
  const server = createDigestServer({
    realm: deps.realm,
    algorithms: deps.algorithms,
    hash: (algorithm, text) => secrets.digest(algorithm === 'MD5' ? 'md5' : 'sha256', decodeUtf8(text)),
    equals: (left, right) => secrets.equals(left, right),
    nonces: deps.nonces ?? createSipNonces(secrets),
    decoySecret: secrets.randomUuid(),
  });

  function challenged(source: string, stale: boolean): Refused {
    const challenges = server.challenge(clock.now(), source, stale);
    return {
      ok: false,
      status: 401,
      headers: challenges.map((value) => ['WWW-Authenticate', value] as const),
    };
  }

  function judged(
    authorization: Authorization,
    credential: EndpointCredential | undefined,
    request: SipRequest,
    source: string,
  ): Admitted | Refused {
    switch (server.judge(authorization, credential?.ha1, request, clock.now(), source)) {
      case 'refused':
        return challenged(source, false);
      case 'stale':
        return challenged(source, true);
      case 'wrong-uri':
        return refused(400);
      case 'accepted':
    }
    // An endpoint speaks for itself alone: RFC 3261 §10.3 step 4 for REGISTER, and no other caller id for INVITE.
    const { headers } = request;
    const [from, to] = [headers.address('From')?.uri, headers.address('To')?.uri];
    if (credential === undefined || userOf(from) !== credential.username) return refused(403);
    if (request.method === 'REGISTER' && to !== from && userOf(to) !== credential.username)
      return refused(403);
    return {
      ok: true,
      account: credential.account,
      endpoint: credential.endpoint,
      user: credential.username,
    };
  }

  return {
    admit(request, source) {
      const claim = server.claim(request);
      if (claim.kind === 'none') return challenged(source, false);
      if (claim.kind === 'malformed') return refused(400);
      const { authorization } = claim;
      return whenThere(registrations.credentialOf(authorization.username), (credential) =>
        judged(authorization, credential, request, source),
      );
    },
  };
}

function refused(status: number): Refused {
  return { ok: false, status, headers: [] };
}

function userOf(uri: string | undefined): string | undefined {
  return uri === undefined ? undefined : parseSipUri(uri)?.user;
}
