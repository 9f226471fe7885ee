import type { Clock, Registrations } from '@jackfield/platform';
import {
  DEFAULT_REGISTRATION_LIMITS,
  decideRegistration,
  type Flow,
  parseCSeq,
  parseSipUri,
  type RegistrationDecision,
  type RegistrationLimits,
  type RegistrationRequest,
  type SipRequest,
} from '@jackfield/sip';
import type { Admission, Admitted } from './admission.ts';
import { isOurs } from './domains.ts';
import { refusedToken, tokenExpiry } from './token-admission.ts';

export interface RegistrarDeps {
  readonly admission: Admission;
  readonly registrations: Registrations;
  readonly clock: Clock;
  /** Lower case; an address literal names the machine itself and is always ours. */
  readonly domains: readonly string[];
}

export interface RegisterAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Answers REGISTER (RFC 3261 §10.3): who it is, what is asked for, and the bindings that hold from now on. */
export function createRegistrar(deps: RegistrarDeps): {
  register(request: SipRequest, flow: Flow): Promise<RegisterAnswer>;
} {
  const { admission, registrations, clock } = deps;

  /** Who may call and not be called is answered like everybody, and not bound; what it was bound to before goes. */
  async function registerUncalled(
    endpoint: string,
    wanted: RegistrationRequest,
    now: number,
    limits: RegistrationLimits,
  ): Promise<RegistrationDecision> {
    if (endpoint !== '') {
      await registrations.update(endpoint, (current) => {
        const others = current.filter(({ callId }) => callId !== wanted.callId);
        return { bindings: others.length === current.length ? current : others, result: undefined };
      });
    }
    return decideRegistration(wanted, [], now, limits);
  }

  return {
    async register(request, flow) {
      const host = parseSipUri(request.uri)?.host;
      if (host === undefined) return { status: 400, headers: [] };
      if (!isOurs(host, deps.domains)) return { status: 404, headers: [] };
      const admitted = await admission.admit(request, flow.remoteAddress, flow.id);
      if (!admitted.ok) return admitted;

      const { headers } = request;
      const wanted = {
        contacts: headers.all('Contact'),
        expiresHeader: headers.get('Expires'),
        callId: headers.get('Call-ID') ?? '',
        cseq: parseCSeq(headers.get('CSeq') ?? '')?.seq ?? 0,
        userAgent: headers.get('User-Agent') ?? '',
        flow: flow.id,
      };
      const now = clock.now();
      const { endpoint, token } = admitted;
      const limits = limitsFor(token, now);
      const decision =
        token === undefined || token.mayReceive
          ? await registrations.update(endpoint, (current) => {
              const decided = decideRegistration(wanted, current, now, limits);
              return { bindings: decided.status === 200 ? decided.bindings : current, result: decided };
            })
          : await registerUncalled(endpoint, wanted, now, limits);
      switch (decision.status) {
        case 200:
          return {
            status: 200,
            headers: [
              ...decision.contactHeaders.map((contact) => ['Contact', contact] as const),
              ...(token === undefined ? [] : [tokenExpiry(token.expiresAt)]),
              ['Date', new Date(now).toUTCString()],
            ],
          };
        case 403:
          return token === undefined ? { status: 403, headers: [] } : refusedToken('too-many-logins');
        case 423:
          return { status: 423, headers: [['Min-Expires', String(decision.minExpires)]] };
        default:
          return { status: decision.status, headers: [] };
      }
    },
  };
}

/** Nobody is registered for longer than its token lasts. */
function limitsFor(token: Admitted['token'], now: number): RegistrationLimits {
  if (token === undefined) return DEFAULT_REGISTRATION_LIMITS;
  const { minExpires, maxExpires } = DEFAULT_REGISTRATION_LIMITS;
  const left = Math.max(1, Math.floor((token.expiresAt - now) / 1000));
  return {
    ...DEFAULT_REGISTRATION_LIMITS,
    minExpires: Math.min(minExpires, left),
    maxExpires: Math.min(maxExpires, left),
  };
}
