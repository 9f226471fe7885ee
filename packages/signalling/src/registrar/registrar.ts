import type { Binding, Clock, Registrations } from '@jackfield/ports';
import {
  addressOfHost,
  DEFAULT_REGISTRATION_LIMITS,
  decideRegistration,
  type Flow,
  hostOfAddress,
  isReachedOver,
  paramOf,
  parseCSeq,
  parseNameAddr,
  parseSipUri,
  parseVia,
  type RegistrationDecision,
  type RegistrationLimits,
  type RegistrationRequest,
  type SipRequest,
} from '@jackfield/sip';
import type { Admission, Admitted } from '../admission/admission.ts';
import { refusedToken, tokenExpiry } from '../admission/token-admission.ts';
import { isOurs } from '../parties/domains.ts';
import { type EdgeProxies, noProxies } from '../proxies/edge-proxies.ts';
import type { Gruus } from './gruus.ts';
import { ownerOf, phoneNames } from './phone-names.ts';

export interface RegistrarDeps {
  readonly admission: Admission;
  readonly registrations: Registrations;
  readonly clock: Clock;
  /** Phone URIs for phones that ask for them (RFC 5627); none when absent. */
  readonly gruus?: Gruus;
  /** A phone with these names has registered over a flow; its registrations over the flows `replaced` ended. */
  readonly returned?: (phone: readonly string[], flow: string, replaced: readonly string[]) => void;
  /** Lower case; an address literal names this machine and is always ours. */
  readonly domains: readonly string[];
  readonly limits?: RegistrarLimits;
  /** Proxies of the operator; a binding names the phone behind them as its source. */
  readonly proxies?: EdgeProxies;
}

/** Limits of the operator; the default is `DEFAULT_REGISTRATION_LIMITS`. */
export type RegistrarLimits = Partial<Pick<RegistrationLimits, 'maxExpires' | 'slack'>>;

export interface RegisterAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Answers REGISTER (RFC 3261 §10.3): authenticates the sender, checks the request and returns the bindings in force. */
export function createRegistrar(deps: RegistrarDeps): {
  register(request: SipRequest, flow: Flow): Promise<RegisterAnswer>;
} {
  const { registrations, clock, proxies = noProxies } = deps;
  const ofPhones = { ...DEFAULT_REGISTRATION_LIMITS, ...deps.limits };
  const dateOf = createDates();
  const hostOf = createHosts();

  return {
    async register(request, flow) {
      const host = hostOf(request.uri);
      if (host === undefined) return { status: 400, headers: [] };
      if (!isOurs(host, deps.domains)) return { status: 404, headers: [] };
      const sender = proxies.senderOf(request, flow) ?? flow;
      const admission = deps.admission.admit(request, sender.remoteAddress, flow.id);
      const admitted = admission instanceof Promise ? await admission : admission;
      if (!admitted.ok) return admitted;

      const { headers } = request;
      const supported = headers.all('Supported').map((tag) => tag.toLowerCase());
      const path = headers.all('Path');
      const isOutbound = supported.includes('outbound');
      if (isOutbound && lacksOutbound(request, path)) return { status: 439, headers: [] };
      const { gruus } = deps;
      const requested = {
        path,
        isOutbound,
        ...(gruus === undefined || admitted.user === '' || !supported.includes('gruu')
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
        flow: path.length === 0 ? flowTo(request, flow, isOutbound) : flowOfPath(path, flow),
        transport: sender.protocol,
        source: `${hostOfAddress(sender.remoteAddress)}:${sender.remotePort}`,
      };
      const now = clock.now();
      const { endpoint, token } = admitted;
      let before: readonly Binding[] = [];
      const limits = token === undefined ? ofPhones : limitsFor(token, ofPhones, clock.wallNow());
      const mostlySame = (limits.slack ?? 1) !== 1;
      const decision =
        token === undefined || token.mayReceive
          ? await registrations.update(
              endpoint,
              (current) => {
                const decided = decideRegistration(requested, current, now, limits);
                const next = decided.status === 200 ? decided.bindings : current;
                before = current;
                return { bindings: permitted(next, current, token), result: decided };
              },
              { mostlySame },
            )
          : await registerUncalled(registrations, endpoint, requested, now, limits);
      switch (decision.status) {
        case 200:
          // Behind a proxy the requests of a dialog follow its route set, and without a flow its Contact.
          if (path.length === 0 && requested.flow !== '')
            reportReturn(deps, admitted, requested, decision.bindings, before);
          return {
            status: 200,
            headers: [
              ...headersOf(decision, path, flow),
              ...(token === undefined ? [] : [tokenExpiry(token.expiresAt)]),
              ['Date', dateOf(clock.wallNow())],
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

/** A client that may call but not receive calls gets the usual answer without a binding; its earlier bindings are removed. */
async function registerUncalled(
  registrations: Registrations,
  endpoint: string,
  requested: RegistrationRequest,
  now: number,
  limits: RegistrationLimits,
): Promise<RegistrationDecision> {
  if (endpoint !== '') {
    await registrations.update(endpoint, (current) => {
      const others = current.filter(({ callId }) => callId !== requested.callId);
      return { bindings: others.length === current.length ? current : others, result: undefined };
    });
  }
  return decideRegistration(requested, [], now, limits);
}

function headersOf(
  { contactHeaders, bindsFlow }: Extract<RegistrationDecision, { readonly status: 200 }>,
  path: readonly string[],
  flow: Flow,
): RegisterAnswer['headers'] {
  return [
    ...contactHeaders.map((contact) => ['Contact', contact] as const),
    // RFC 3327 §5.3: the response repeats the stored Path.
    ...path.map((value) => ['Path', value] as const),
    ...(bindsFlow ? flowHeaders(flow) : []),
  ];
}

/** The host of a Request-URI. The last one is kept, because all phones of a domain register with the same text. */
function createHosts(): (uri: string) => string | undefined {
  let last: { readonly uri: string; readonly host: string | undefined } | undefined;
  return (uri) => {
    if (last?.uri !== uri) last = { uri, host: parseSipUri(uri)?.host };
    return last.host;
  };
}

/** The Date of RFC 3261 §20.17, printed once a second: printing costs as much as the decision about the bindings. */
function createDates(): (instant: number) => string {
  let [second, text] = [Number.NaN, ''];
  return (instant) => {
    const now = Math.floor(instant / 1000);
    if (now !== second) [second, text] = [now, new Date(instant).toUTCString()];
    return text;
  };
}

/** The dialogs of a phone follow it to the flow of its registration. */
function reportReturn(
  { returned }: RegistrarDeps,
  admitted: Admitted,
  { callId, cseq, flow }: RegistrationRequest,
  bindings: readonly Binding[],
  before: readonly Binding[],
): void {
  const owner = ownerOf(admitted);
  if (owner === undefined) return;
  const replaced = before.filter((each) => !bindings.includes(each)).map((each) => each.flow);
  for (const binding of bindings) {
    if (binding.callId !== callId || binding.cseq !== cseq || binding.flow !== flow) continue;
    returned?.(phoneNames(owner, binding.contact, binding.instance), flow, replaced);
  }
}

/** The user part in REGISTER: a client with a token uses the name that it is called by, not that of its endpoint. */
function registeredUser({ headers }: SipRequest): string | undefined {
  return parseSipUri(headers.address('To')?.uri ?? '')?.user;
}

/** Marks bindings of a token without the right to call; returns the same array when nothing changed. */
function permitted(
  next: readonly Binding[],
  current: readonly Binding[],
  token: Admitted['token'],
): readonly Binding[] {
  if (next === current || token === undefined || token.mayCall) return next;
  return next.map((binding) => (current.includes(binding) ? binding : { ...binding, mayCall: false }));
}

/** No registration outlasts its token. */
function limitsFor(
  { expiresAt }: NonNullable<Admitted['token']>,
  { slack: _, ...limits }: RegistrationLimits,
  now: number,
): RegistrationLimits {
  const { minExpires, maxExpires } = limits;
  const left = Math.max(1, Math.floor((expiresAt - now) / 1000));
  return { ...limits, minExpires: Math.min(minExpires, left), maxExpires: Math.min(maxExpires, left) };
}

/** RFC 5626 §6: a flow through proxies is useful only when the phone's first proxy can find it again, which `ob` in its Path states. */
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
 * The flow of a phone without proxies; empty where the phone listens at another port than it sends from: its Contact is the route.
 * Only a phone that supports `outbound` requests its flow (RFC 5626 §6).
 */
function flowTo(request: SipRequest, flow: Flow, isOutbound: boolean): string {
  const via = parseVia(request.headers.get('Via') ?? '');
  return isOutbound || via === undefined || isReachedOver(flow, via) ? flow.id : '';
}

/**
 * The flow of a binding with a Path (RFC 3327 §5.2): the first URI of the Path determines the route, whatever delivered the REGISTER, and a
 * closed proxy connection removes no binding. Where both are the same over UDP, the flow is known to reach the proxy.
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

/** RFC 5626 §6: the response to the registration of a flow, with the time within which a phone should send again (§4.4). */
function flowHeaders({ reliable }: Flow): readonly (readonly [string, string])[] {
  return [
    ['Require', 'outbound'],
    ['Flow-Timer', reliable ? '120' : '25'],
  ];
}
