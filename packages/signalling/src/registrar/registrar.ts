import type { Binding, Clock, Registrations } from '@jackfield/ports';
import {
  addressOfHost,
  DEFAULT_REGISTRATION_LIMITS,
  decideRegistration,
  type Flow,
  paramOf,
  parseCSeq,
  parseNameAddr,
  parseSipUri,
  type RegistrationDecision,
  type RegistrationLimits,
  type RegistrationRequest,
  type SipRequest,
} from '@jackfield/sip';
import type { Admission, Admitted } from '../admission/admission.ts';
import { refusedToken, tokenExpiry } from '../admission/token-admission.ts';
import { isOurs } from '../parties/domains.ts';
import type { Gruus } from './gruus.ts';

export interface RegistrarDeps {
  readonly admission: Admission;
  readonly registrations: Registrations;
  readonly clock: Clock;
  /** What a phone is called by that asks for it (RFC 5627); none gets anything when absent. */
  readonly gruus?: Gruus;
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
      const supported = new Set(headers.all('Supported').map((tag) => tag.toLowerCase()));
      const path = headers.all('Path');
      const isOutbound = supported.has('outbound');
      if (isOutbound && lacksOutbound(request, path)) return { status: 439, headers: [] };
      const { gruus } = deps;
      const wanted = {
        path,
        isOutbound,
        ...(gruus === undefined || admitted.user === '' || !supported.has('gruu')
          ? {}
          : {
              gruusOf: (instance: string, callId: string) =>
                gruus.parametersOf(registeredUser(request) ?? admitted.user, instance, callId),
            }),
        contacts: headers.all('Contact'),
        expiresHeader: headers.get('Expires'),
        callId: headers.get('Call-ID') ?? '',
        cseq: parseCSeq(headers.get('CSeq') ?? '')?.seq ?? 0,
        userAgent: headers.get('User-Agent') ?? '',
        flow: path.length === 0 ? flow.id : flowOfPath(path, flow),
      };
      const now = clock.now();
      const { endpoint, token } = admitted;
      const limits = limitsFor(token, clock.wallNow());
      const decision =
        token === undefined || token.mayReceive
          ? await registrations.update(endpoint, (current) => {
              const decided = decideRegistration(wanted, current, now, limits);
              const next = decided.status === 200 ? decided.bindings : current;
              return { bindings: permitted(next, current, token), result: decided };
            })
          : await registerUncalled(endpoint, wanted, now, limits);
      switch (decision.status) {
        case 200:
          return {
            status: 200,
            headers: [
              ...decision.contactHeaders.map((contact) => ['Contact', contact] as const),
              // RFC 3327 §5.3: what was stored is said.
              ...path.map((value) => ['Path', value] as const),
              ...(decision.bindsFlow ? flowHeaders(flow) : []),
              ...(token === undefined ? [] : [tokenExpiry(token.expiresAt)]),
              ['Date', new Date(clock.wallNow()).toUTCString()],
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

/** The user part that registers: for a client with a token not that of its endpoint, but the name that it answers to. */
function registeredUser({ headers }: SipRequest): string | undefined {
  return parseSipUri(parseNameAddr(headers.get('To') ?? '')?.uri ?? '')?.user;
}

/** What was bound by a token that does not allow to call says so; an array of which nothing is new stays what it is. */
function permitted(
  next: readonly Binding[],
  current: readonly Binding[],
  token: Admitted['token'],
): readonly Binding[] {
  if (next === current || token === undefined || token.mayCall) return next;
  return next.map((binding) => (current.includes(binding) ? binding : { ...binding, mayCall: false }));
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

/**
 * RFC 5626 §6: a flow through proxies is worth nothing unless the one that the phone is connected to can find it again, which it says by
 * `ob` in its Path.
 */
function lacksOutbound({ headers }: SipRequest, path: readonly string[]): boolean {
  const asksForFlow = headers.all('Contact').some((value) => {
    const params = parseNameAddr(value)?.params ?? [];
    return paramOf(params, 'reg-id') !== undefined && paramOf(params, '+sip.instance') !== undefined;
  });
  if (!asksForFlow || headers.all('Via').length < 2) return false;
  const uri = parseSipUri(parseNameAddr(path.at(-1) ?? '')?.uri ?? '');
  return uri === undefined || paramOf(uri.params, 'ob') === undefined;
}

/**
 * The flow of a binding with a Path (RFC 3327 §5.2): its first URI leads, whatever brought the REGISTER, and a connection that a proxy
 * closes takes nothing with it. Where the two are one over UDP, its flow is known to reach it.
 */
function flowOfPath(
  [first = '']: readonly string[],
  { id, reliable, remoteAddress, remotePort }: Flow,
): string {
  const uri = parseSipUri(parseNameAddr(first)?.uri ?? '');
  const isSource =
    uri !== undefined && addressOfHost(uri.host) === remoteAddress && (uri.port ?? 5060) === remotePort;
  return isSource && !reliable ? id : '';
}

/** RFC 5626 §6: the response to the registration of a flow; the time after which a phone had better be heard of (§4.4). */
function flowHeaders({ reliable }: Flow): readonly (readonly [string, string])[] {
  return [
    ['Require', 'outbound'],
    ['Flow-Timer', reliable ? '120' : '25'],
  ];
}
