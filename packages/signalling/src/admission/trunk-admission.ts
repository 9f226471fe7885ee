import type { Clock, Secrets, TrunkAccess, TrunkRefusal, Trunks } from '@jackfield/ports';
import { createDigestServer, decodeUtf8, type Nonces, type SipRequest } from '@jackfield/sip';
import { trunkOf } from '../parties/domains.ts';
import { partyOfUri } from '../parties/parties.ts';
import type { Admission, Admitted, Refused } from './admission.ts';
import { createSipNonces } from './sip-nonces.ts';

export interface TrunkAdmissionDeps {
  readonly trunks: Trunks;
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** SIP domains of this server, lower case; each trunk has its own subdomain, and the first domain is the realm. */
  readonly domains: readonly [string, ...string[]];
  /** Shared by all challenges of this process; a separate set when absent. */
  readonly nonces?: Nonces;
  /** The algorithms of a challenge, in this order. */
  readonly algorithms: readonly ('MD5' | 'SHA-256')[];
  /** Decides about every request that is not a call through a trunk. */
  readonly otherwise: Admission;
}

/** The names that the transports give to TLS flows. */
const encryptedFlow = /^tls-/;

/**
 * Admits telephone systems that call through a trunk: by an address that the trunk lists, else by its credential. An unknown trunk costs
 * the same as a wrong password and gets the same answer.
 */
export function createTrunkAdmission(deps: TrunkAdmissionDeps): Admission {
  const { trunks, secrets, clock, domains } = deps;
  const equals = (left: string, right: string) => secrets.equals(left, right);
  const server = createDigestServer({
    realm: domains[0],
    algorithms: deps.algorithms,
    hash: (algorithm, text) => secrets.digest(algorithm === 'MD5' ? 'md5' : 'sha256', decodeUtf8(text)),
    equals,
    nonces: deps.nonces ?? createSipNonces(secrets),
    decoySecret: secrets.randomUuid(),
  });

  function challenged(source: string, stale = false): Refused {
    const headers = server
      .challenge(clock.now(), source, stale)
      .map((value) => ['WWW-Authenticate', value] as const);
    return { ok: false, status: 401, headers };
  }

  async function admitThrough(
    trunkId: string,
    request: SipRequest,
    source: string,
    flow: string,
  ): Promise<Admitted | Refused> {
    const access = await trunks.accessOf(trunkId, source);
    const claim = server.claim(request);
    const username = claim.kind === 'claim' ? claim.authorization.username : '';

    function reported(reason: TrunkRefusal, answer: Refused): Refused {
      if (access === undefined) return answer;
      trunks.refused({
        access,
        reason,
        sourceAddress: source,
        username: decodeUtf8(username),
        from: partyOfUri(request.headers.address('From')?.uri ?? '') ?? '',
        to: partyOfUri(request.uri) ?? '',
      });
      return answer;
    }

    const closed = access && closedBecause(access, flow);
    if (closed !== undefined) return reported(closed, refused(403));
    if (access?.isListed) return admitted(access);
    if (claim.kind === 'none') return challenged(source);
    if (claim.kind === 'malformed') return refused(400);

    const { authorization } = claim;
    const known = access?.credentials.filter((each) => each.username === username) ?? [];
    const judge = (at: number) => server.judge(authorization, known[at]?.ha1, request, clock.now(), source);
    // Checks both passwords always, so that the time does not reveal whether a second password is valid.
    const [current, previous] = [judge(0), judge(1)];
    switch (current === 'refused' ? previous : current) {
      case 'accepted':
        return admitted(access!);
      case 'stale':
        return challenged(source, true);
      case 'wrong-uri':
        return refused(400);
      case 'refused':
        return reported(known.length === 0 ? 'wrong-username' : 'wrong-password', challenged(source));
    }
  }

  return {
    admit(request, source, flow) {
      const trunkId = request.method === 'INVITE' ? trunkOf(request.uri, domains) : undefined;
      return trunkId === undefined
        ? deps.otherwise.admit(request, source, flow)
        : admitThrough(trunkId, request, source, flow);
    },
  };
}

/** Refusals that no password would change. */
function closedBecause(access: TrunkAccess, flow: string): TrunkRefusal | undefined {
  if (access.closedBecause !== undefined) return access.closedBecause;
  if (access.isSecure && !encryptedFlow.test(flow)) return 'not-over-tls';
  if (access.isListed || access.credentials.length > 0) return undefined;
  return access.hasLostCredential ? 'credential-deleted' : 'address-not-listed';
}

/** A telephone system calls for its extensions: its From names the caller. */
function admitted({ account, trunk }: TrunkAccess): Admitted {
  return { ok: true, account, endpoint: '', user: '', trunk };
}

function refused(status: number): Refused {
  return { ok: false, status, headers: [] };
}
