import type { Clock, Registrations } from '@jackfield/platform';
import { decideRegistration, type Flow, parseCSeq, parseSipUri, type SipRequest } from '@jackfield/sip';
import type { Admission } from './admission.ts';
import { isOurs } from './domains.ts';

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
      const decision = await registrations.update(admitted.endpoint, (current) => {
        const decided = decideRegistration(wanted, current, now);
        return { bindings: decided.status === 200 ? decided.bindings : current, result: decided };
      });
      switch (decision.status) {
        case 200:
          return {
            status: 200,
            headers: [
              ...decision.contactHeaders.map((contact) => ['Contact', contact] as const),
              ['Date', new Date(now).toUTCString()],
            ],
          };
        case 423:
          return { status: 423, headers: [['Min-Expires', String(decision.minExpires)]] };
        default:
          return { status: decision.status, headers: [] };
      }
    },
  };
}
