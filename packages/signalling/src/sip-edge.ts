import {
  type CallRoutes,
  type Clock,
  type LegListener,
  type Logger,
  type MediaLegs,
  type Registrations,
  type RouteOwner,
  type Secrets,
  sourceOf,
  type Telephony,
} from '@jackfield/ports';
import {
  createUserAgent,
  decodeUtf8,
  type Hash,
  type IncomingRequest,
  type Protocol,
  paramOf,
  parseSipUri,
  type UserAgent,
  type UserAgentCensus,
  type UserAgentDeps,
} from '@jackfield/sip';
import type { TransportListener, Transports } from '@jackfield/sip/transport';
import type { Admission } from './admission/admission.ts';
import { type CarrierLogin, carrierAccounts } from './carriers/carrier-accounts.ts';
import { createCarrierRequests } from './carriers/carrier-requests.ts';
import type { Defence } from './defence/defence.ts';
import type { DialTermsDeps } from './leg/dial-terms.ts';
import type { SrtpPolicy } from './leg/leg-srtp.ts';
import { createLegs } from './leg/legs.ts';
import { createGruus } from './registrar/gruus.ts';
import { createRegistrar } from './registrar/registrar.ts';
import { answerMessage } from './requests/message-answer.ts';
import { createOptionsAnswerer } from './requests/options-answer.ts';
import { createRoutedLegs } from './routing/routed-legs.ts';

export interface SipEdgeDeps extends Pick<DialTermsDeps, 'trunkLogin' | 'mayReach' | 'audioMayReach'> {
  /** Opens the sockets; a simulated network can stand in for the real one. */
  readonly openTransports: (listener: TransportListener) => Promise<Transports>;
  /** Resolves URIs whose host is a name (RFC 3263); the transports use the name unchanged when absent. */
  readonly locate?: UserAgentDeps['locate'];
  readonly admission: Admission;
  /** Limits unauthenticated sources; absent where only the platform's own phones connect. */
  readonly defence?: Defence;
  /** Absent where no phone registers: this edge then supports no REGISTER. */
  readonly registrations?: Registrations;
  readonly mediaLegs: MediaLegs;
  /** Routes for calls with several targets in turn; when absent every call is sent to its targets at once. */
  readonly routes?: readonly CallRoutes[];
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly log: Logger;
  /** Lower case; the first is the host of our From. */
  readonly domains: readonly [string, ...string[]];
  /** The address at which phones reach us: in Via, Contact and SDP. */
  readonly publicAddress: string;
  /** The address in SDP where media has another address than signalling. */
  readonly mediaAddress?: string;
  /** The operator's policy for SRTP with phones on TLS; `offer` when absent. */
  readonly srtp?: SrtpPolicy;
  readonly userAgentName: string;
  /** Credentials for the carriers that we register with and send OPTIONS to. */
  readonly carriers?: readonly CarrierLogin[];
}

export interface SipEdge {
  readonly telephony: Telephony;
  /** The listening address; known once `telephony.open` has resolved. */
  address(): { readonly host: string; readonly port: number };
  census(): UserAgentCensus & { readonly legs: number; readonly connections: number };
  /** Legs with a route that have not ended, those that still search for a target included. */
  routedLegs(): Readonly<Record<RouteOwner, number>>;
  /** Sources that are banned now. */
  bannedSources(): number;
  /** Counters of the user agent and the transports since the start, by name. */
  counters(): Readonly<Record<string, number>>;
  /** From now on new calls are refused with 503 and Retry-After. */
  drain(): void;
  /** Ends every leg with a message to its phone. */
  hangUpAll(): void;
  close(): Promise<void>;
}

/** The prefixes of connection flows in the transports. */
const connectionFlows = ['tcp-', 'tls-', 'ws-'];

/** Seconds after which a refused phone may retry: about the length of a restart. */
const retryAfterSeconds = '10';

/** Signalling over SIP: the telephony port on one side, phones on the other. */
export function createSipEdge(deps: SipEdgeDeps): SipEdge {
  const { registrations, secrets, log } = deps;
  const token = (): string => Buffer.from(secrets.randomBytes(12)).toString('hex');
  const hash: Hash = (algorithm, text) =>
    secrets.digest(algorithm === 'MD5' ? 'md5' : 'sha256', decodeUtf8(text));
  const accounts = carrierAccounts(deps.carriers ?? [], hash);
  let isDraining = false;
  const { defence } = deps;
  const admission = keepingConnections(defence?.watch(deps.admission) ?? deps.admission);

  let opened: Transports | undefined;

  function transports(): Transports {
    if (opened === undefined) throw new Error('The SIP edge is not open');
    return opened;
  }

  function address(): { readonly host: string; readonly port: number } {
    const [local] = transports().addresses;
    if (local === undefined) throw new Error('The SIP transports have no address');
    return { host: local.address, port: local.port };
  }

  /** Known ports do not change; a lookup would cost as much as one header of every message. */
  const ports = new Map<Protocol, number>();

  /** Behind a proxy that ends TLS a phone writes WSS where we receive WS. */
  function portOf(protocol: Protocol): number {
    const known = ports.get(protocol);
    if (known !== undefined) return known;
    const { addresses } = transports();
    const family = protocol === 'wss' ? 'ws' : protocol;
    const own =
      addresses.find((each) => each.protocol === protocol) ??
      addresses.find((each) => each.protocol.startsWith(family));
    // A WebSocket has no port before the HTTP interface listens.
    if (own === undefined) return address().port;
    ports.set(protocol, own.port);
    return own.port;
  }

  async function open(): Promise<void> {
    // Connections do not outlive their process; their phones have to register again.
    for (const prefix of connectionFlows) await registrations?.dropFlowsFrom(prefix);
    opened = await deps.openTransports({
      onMessage(text, flow) {
        if (defence === undefined || defence.hears(flow)) userAgent.receive(text, flow);
        else opened?.cut(flow.id);
      },
      ...(defence === undefined ? {} : { accepts: defence.accepts, sourceOf }),
      // Without a defence all phones are ours.
      answersStun: ({ id }) => defence === undefined || defence.knows(id),
      onSendFailed(failure) {
        log.debug({ target: failure.target, reason: failure.sentence }, 'SIP message could not be sent');
        userAgent.transportFailed(failure.text, failure.target);
      },
      onFlowClosed(flow) {
        userAgent.flowClosed(flow.id);
        defence?.flowClosed(flow.id);
        registrations?.dropFlow(flow.id).catch((error: unknown) => {
          log.error({ flow: flow.id, err: error }, 'bindings of a lost connection could not be removed');
        });
      },
      onFault: (error) => log.warn({ err: error }, 'SIP socket fault'),
    });
  }

  const userAgent: UserAgent = createUserAgent({
    clock: deps.clock,
    send: (target, text) => transports().send(target, text),
    flow: (id) => transports().flowById(id),
    ...(deps.locate === undefined ? {} : { locate: deps.locate }),
    address: (protocol) => ({ host: deps.publicAddress, port: portOf(protocol) }),
    token,
    hash,
    userAgentName: deps.userAgentName,
    ...(defence === undefined ? {} : { guard: defence }),
    methods: registrations === undefined ? ['OPTIONS'] : ['REGISTER', 'OPTIONS', 'MESSAGE'],
    ...(registrations === undefined ? {} : { supported: ['path', 'gruu', 'outbound'] }),
    on: {
      request(incoming) {
        if (incoming.request.method === 'REGISTER') void answerRegister(incoming);
        else if (incoming.request.method === 'MESSAGE') answerMessage(incoming, deps.domains);
        else void optionsAnswerer.answer(incoming);
      },
      invite: (incoming) => legs.invited(incoming),
      error: (error) => log.error({ err: error }, 'SIP user agent listener failed'),
    },
  });

  const gruus = createGruus(secrets, deps.domains, registrations);
  const legs = createLegs({
    mediaLegs: deps.mediaLegs,
    admission,
    gruus,
    ...(defence === undefined ? {} : { places: defence.places }),
    log,
    newUuid: () => secrets.randomUuid(),
    // RFC 8866 §5.2: a globally unique number; 48 random bits are enough.
    newSessionId: () => String(Number.parseInt(token().slice(0, 12), 16)),
    domains: deps.domains,
    mediaAddress: deps.mediaAddress ?? deps.publicAddress,
    srtp: {
      policy: deps.srtp ?? 'offer',
      randomBytes: (count) => secrets.randomBytes(count),
      protocolOf: (flow) => opened?.flowById(flow)?.protocol,
    },
    invite: (order, listener) => userAgent.invite(order, listener),
    accounts,
    ...(deps.trunkLogin === undefined ? {} : { trunkLogin: deps.trunkLogin }),
    ...(deps.mayReach === undefined ? {} : { mayReach: deps.mayReach }),
    ...(deps.audioMayReach === undefined ? {} : { audioMayReach: deps.audioMayReach }),
    closedBecause: () =>
      isDraining ? { status: 503, fields: { headers: [['Retry-After', retryAfterSeconds]] } } : undefined,
  });

  let notify: LegListener = () => {};
  const routed = createRoutedLegs({
    clock: deps.clock,
    log,
    routes: deps.routes ?? [],
    dial: legs.dialFor,
    hangUp: legs.telephony.hangUp,
    notify: (notice) => notify(notice),
  });

  const carriers = createCarrierRequests({
    request: (options, settled) => userAgent.request(options, settled),
    accounts,
    addressFor: (uri) => ({ host: deps.publicAddress, port: portOf(transportOf(uri)) }),
    domain: deps.domains[0],
    secrets,
  });

  const registrar = registrations && createRegistrar({ ...deps, admission, gruus, registrations });

  const optionsAnswerer = createOptionsAnswerer({
    ...deps,
    isDraining: () => isDraining,
    isKnown: (flow) => defence?.knows(flow) ?? true,
  });

  /** A connection with an authenticated sender may stay open. */
  function keepingConnections(watched: Admission): Admission {
    return {
      async admit(request, address, flow) {
        const decided = await watched.admit(request, address, flow);
        if (decided.ok) opened?.keep(flow);
        return decided;
      },
    };
  }

  async function answerRegister(incoming: IncomingRequest): Promise<void> {
    const { request, flow, reply } = incoming;
    try {
      const answer = await registrar?.register(request, flow);
      // A connection that was lost during the write removed only the bindings written before.
      if (flow.reliable && opened?.flowById(flow.id) === undefined) await registrations?.dropFlow(flow.id);
      if (answer?.status === 200) incoming.trust();
      reply(answer?.status ?? 405, { headers: answer?.headers ?? [] });
    } catch (error) {
      log.error({ err: error }, 'REGISTER failed');
      reply(500, { headers: [['Retry-After', retryAfterSeconds]] });
    }
  }

  return {
    telephony: {
      ...legs.telephony,
      open,
      listen(listener) {
        notify = listener;
        legs.telephony.listen(listener);
      },
      dial(request) {
        if (!routed.dial(request)) legs.telephony.dial(request);
      },
      hangUp(leg, status) {
        if (!routed.hangUp(leg)) legs.telephony.hangUp(leg, status);
      },
      ...(deps.carriers === undefined ? {} : { carriers }),
    },
    address,
    census: () => ({
      ...userAgent.census(),
      legs: legs.count(),
      connections: opened?.connections ?? 0,
    }),
    routedLegs: () => routed.census(),
    bannedSources: () => defence?.census().bannedSources ?? 0,
    counters: () => ({ ...userAgent.counters, ...opened?.counters, ...defence?.counters }),
    drain() {
      isDraining = true;
    },
    hangUpAll() {
      routed.hangUpAll();
      legs.hangUpAll();
    },
    async close() {
      routed.close();
      userAgent.close();
      await opened?.close();
    },
  };
}

function transportOf(uri: string): Protocol {
  const named = paramOf(parseSipUri(uri)?.params ?? [], 'transport');
  return named === 'tcp' || named === 'tls' ? named : 'udp';
}
