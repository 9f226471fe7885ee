import {
  type CallRoutes,
  type Clock,
  type Logger,
  type MediaLegs,
  type PeerNodes,
  type Registrations,
  type RouteOwner,
  type Secrets,
  type Telephony,
  whenThere,
} from '@jackfield/ports';
import {
  createUserAgent,
  decodeUtf8,
  type Hash,
  type UserAgent,
  type UserAgentCensus,
  type UserAgentDeps,
} from '@jackfield/sip';
import { type AddressFor, hostOf } from './address-for.ts';
import type { Admission } from './admission/admission.ts';
import { type CarrierAccounts, type CarrierLogin, carrierAccounts } from './carriers/carrier-accounts.ts';
import { createCarrierRequests } from './carriers/carrier-requests.ts';
import {
  createEdgeTransports,
  type EdgeTransports,
  type EdgeTransportsDeps,
  transportOf,
} from './edge-transports.ts';
import type { DialTermsDeps } from './leg/dial-terms.ts';
import { createLeftDialogs } from './leg/left-dialogs.ts';
import type { SrtpPolicy } from './leg/leg-srtp.ts';
import type { BrowserCodec } from './leg/leg-webrtc.ts';
import { createLegs, type Legs } from './leg/legs.ts';
import { incarnationOfToken, nodeToken } from './nodes/node-tokens.ts';
import { returnedAtAllNodes } from './nodes/returned-phones.ts';
import { type EdgeProxies, noProxies } from './proxies/edge-proxies.ts';
import { createGruus, type Gruus } from './registrar/gruus.ts';
import { createRegistrar, type RegistrarLimits } from './registrar/registrar.ts';
import { createEdgeRequests } from './requests/edge-requests.ts';
import { unavailable } from './requests/fault-answer.ts';
import { createRoutedLegs, type RoutedLegs } from './routing/routed-legs.ts';

export interface SipEdgeDeps
  extends Pick<DialTermsDeps, 'trunkLogin' | 'mayReach' | 'audioMayReach'>,
    Pick<EdgeTransportsDeps, 'openTransports' | 'defence' | 'trace'> {
  /** Resolves URIs whose host is a name (RFC 3263); the transports use the name unchanged when absent. */
  readonly locate?: UserAgentDeps['locate'];
  /** The other nodes of a cluster; absent where there are none. */
  readonly nodes?: PeerNodes;
  readonly admission: Admission;
  /** Absent where no phone registers: this edge then refuses REGISTER. */
  readonly registrations?: Registrations;
  readonly registrarLimits?: RegistrarLimits;
  readonly mediaLegs: MediaLegs;
  /** True while new calls are refused with 503 and Retry-After; never when absent. */
  readonly isDraining?: () => boolean;
  /** True while there is no capacity for a new call: new calls get the same refusal, OPTIONS its usual answer; never when absent. */
  readonly isFull?: () => boolean;
  /** Routes for calls that try several targets one after another; when absent every call goes to its targets at once. */
  readonly routes?: readonly CallRoutes[];
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly log: Logger;
  /** Lower case; the first is the host of our From. */
  readonly domains: readonly [string, ...string[]];
  /** The address at which a peer reaches us: in Via, Contact and SDP. The peer is left out where its address is unknown. */
  readonly addressFor: AddressFor;
  /** The address in SDP where media has another address than signalling. */
  readonly mediaAddress?: string;
  /** The operator's policy for SRTP with phones on TLS; `offer` when absent. */
  readonly srtp?: SrtpPolicy;
  /** WebRTC for phones in browsers, where the media engine has it; `any` also over unencrypted WebSockets from other machines. */
  readonly webrtc?: 'secure' | 'any';
  /** The codecs of browsers, the first one first. */
  readonly browserCodecs?: readonly BrowserCodec[];
  readonly userAgentName: string;
  /** Proxies of the operator, which name the sender of each request that they pass on. */
  readonly proxies?: EdgeProxies;
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
  /** Ends every leg with a message to its phone. */
  hangUpAll(): void;
  close(): Promise<void>;
}

/** The parts of an edge that its other parts need. */
interface EdgeParts {
  readonly transports: EdgeTransports;
  readonly admission: Admission;
  readonly accounts: CarrierAccounts;
  readonly gruus: Gruus;
  readonly hash: Hash;
  readonly token: () => string;
  readonly isDraining: () => boolean;
  readonly takesCalls: () => boolean;
}

/** Signalling over SIP: the telephony port on one side, phones on the other. */
export function createSipEdge(deps: SipEdgeDeps): SipEdge {
  const { registrations, secrets, log, defence, isDraining = () => false, isFull = () => false } = deps;
  const transports = createEdgeTransports(deps);
  const hash: Hash = (algorithm, text) =>
    secrets.digest(algorithm === 'MD5' ? 'md5' : 'sha256', decodeUtf8(text));
  const parts: EdgeParts = {
    transports,
    hash,
    token: tokensOf(deps),
    admission: admissionOfFlows(deps, defence?.watch(deps.admission) ?? deps.admission, transports),
    accounts: carrierAccounts(deps.carriers ?? [], hash),
    gruus: createGruus(secrets, deps.domains, registrations),
    isDraining,
    takesCalls: () => !isDraining() && !isFull(),
  };
  const userAgent = createEdgeUserAgent(deps, parts);
  const legs = createEdgeLegs(deps, parts, userAgent.invite);
  const left = leftDialogs(deps, parts, userAgent);
  const routed = createRoutedLegs({
    clock: deps.clock,
    log,
    routes: deps.routes ?? [],
    dial: legs.dialFor,
    hangUp: legs.telephony.hangUp,
    nextAddress: legs.nextAddress,
  });

  function hangUpAll(): void {
    routed.hangUpAll();
    legs.hangUpAll();
  }

  return {
    telephony: {
      ...legs.telephony,
      ...routedTelephony(legs, routed),
      hangUpAll(limitMs) {
        hangUpAll();
        return transactionsOver(userAgent, deps.clock, limitMs);
      },
      async open() {
        userAgent.listen(legs.invited);
        await transports.open(userAgent);
        left.open();
      },
      endDialog: left.end,
      ...(deps.carriers === undefined ? {} : { carriers: edgeCarrierRequests(deps, parts, userAgent) }),
    },
    address: transports.address,
    census: () => ({
      ...userAgent.census(),
      legs: legs.count(),
      connections: transports.connections(),
    }),
    routedLegs: () => routed.census(),
    bannedSources: () => defence?.census().bannedSources ?? 0,
    counters: () => ({ ...userAgent.counters, ...transports.counters(), ...defence?.counters }),
    hangUpAll,
    async close() {
      routed.close();
      userAgent.close();
      await transports.close();
    },
  };
}

/** Looks ten times a second: the process ends afterwards. */
function transactionsOver(
  { census }: Pick<UserAgent, 'census'>,
  clock: Clock,
  limitMs: number,
): Promise<void> {
  const limit = clock.now() + limitMs;
  return new Promise((resolve) => {
    const look = () => {
      if (census().transactions === 0 || clock.now() >= limit) resolve();
      else clock.startTimer(Math.min(clock.now() + 100, limit), look);
    };
    look();
  });
}

/** Creates unpredictable tokens; in a cluster they name their node. */
function tokensOf({ secrets, nodes }: Pick<SipEdgeDeps, 'secrets' | 'nodes'>): () => string {
  const random = () => Buffer.from(secrets.randomBytes(12)).toString('hex');
  return nodes === undefined ? random : () => nodeToken(random(), nodes.own);
}

/** RFC 8866 §5.2: a globally unique number; 48 random bits are enough. In halves: V8 takes 0.5 µs to write a number of 48 bits. */
function sessionIdOf(token: string): string {
  return `${1 + Number.parseInt(token.slice(0, 6), 16)}${Number.parseInt(token.slice(6, 12), 16)}`;
}

/** The other node with dialogs of this tag, while it runs. */
function nodeOf(nodes: PeerNodes) {
  return (tag: string): string | undefined => {
    const node = incarnationOfToken(tag);
    return node !== undefined && nodes.isAlive(node) ? node : undefined;
  };
}

/** Creates the user agent. The legs need it, so they become the listener of its INVITEs later, when the edge opens. */
function createEdgeUserAgent(deps: SipEdgeDeps, parts: EdgeParts): UserAgent {
  const { registrations, defence, proxies, log } = deps;
  const { transports, admission, gruus } = parts;
  const isOpenFlow = (flow: string): boolean => transports.protocolOf(flow) !== undefined;
  const userAgent: UserAgent = createUserAgent({
    clock: deps.clock,
    send: transports.send,
    flow: transports.flowById,
    ...(deps.locate === undefined ? {} : { locate: deps.locate }),
    address: (protocol, peer) => ({ host: deps.addressFor(peer), port: transports.portOf(protocol) }),
    token: parts.token,
    hash: parts.hash,
    keyedHash: (text) => deps.secrets.keyedHash(text),
    userAgentName: deps.userAgentName,
    ...(defence === undefined ? {} : { guard: defence }),
    ...(proxies && { sourceOf: (request, flow) => proxies.senderOf(request, flow)?.remoteAddress }),
    methods: registrations === undefined ? ['OPTIONS'] : ['REGISTER', 'OPTIONS', 'MESSAGE'],
    ...(registrations === undefined ? {} : { supported: ['path', 'gruu', 'outbound'] }),
    on: {
      request: createEdgeRequests({
        ...deps,
        ...(registrations && {
          registrar: createRegistrar({
            ...deps,
            admission,
            gruus,
            registrations,
            ...(deps.registrarLimits && { limits: deps.registrarLimits }),
            returned: returnedAtAllNodes({
              nodes: deps.nodes,
              isOpen: isOpenFlow,
              returned: (...phone) => userAgent.phoneReturned(...phone),
            }),
          }),
        }),
        isOpenFlow,
        isDraining: parts.isDraining,
        isKnown: (flow) => defence?.knows(flow) ?? true,
      }),
      error: (error) => log.error({ err: error }, 'SIP user agent listener failed'),
    },
  });
  return userAgent;
}

function createEdgeLegs(deps: SipEdgeDeps, parts: EdgeParts, invite: UserAgent['invite']): Legs {
  const { secrets, defence, proxies, trunkLogin, mayReach, audioMayReach, mediaAddress } = deps;
  const { admission, accounts, gruus, token, transports, takesCalls } = parts;
  return createLegs({
    mediaLegs: deps.mediaLegs,
    log: deps.log,
    admission,
    accounts,
    gruus,
    ...(defence && { slots: defence.slots }),
    ...(deps.trace && { trace: deps.trace }),
    newUuid: () => secrets.randomUuid(),
    newSessionId: () => sessionIdOf(token()),
    domains: deps.domains,
    addressFor: mediaAddress === undefined ? deps.addressFor : () => mediaAddress,
    remoteAddressOf: transports.remoteAddressOf,
    srtp: {
      policy: deps.srtp ?? 'offer',
      randomBytes: (count) => secrets.randomBytes(count),
      protocolOf: transports.protocolOf,
    },
    ...(deps.webrtc && {
      webrtc: {
        overPlain: deps.webrtc === 'any',
        remoteAddressOf: transports.remoteAddressOf,
        ...(deps.browserCodecs && { codecs: deps.browserCodecs }),
      },
    }),
    invite,
    leavesDialogs: deps.nodes !== undefined,
    ...(deps.nodes && { nodeOf: nodeOf(deps.nodes) }),
    ...(trunkLogin && { trunkLogin }),
    ...(mayReach && { mayReach }),
    ...(audioMayReach && { audioMayReach }),
    ...(proxies && { isProxy: proxies.isProxy }),
    closedBecause: () => (takesCalls() ? undefined : unavailable),
  });
}

/** Hangs up legs of nodes that have died. Those of this node's last process are named before the transports open, so they wait. */
function leftDialogs(deps: SipEdgeDeps, { accounts }: EdgeParts, { endDialog }: UserAgent) {
  const { log, trunkLogin, mayReach, proxies } = deps;
  const hangUp = createLeftDialogs({
    log,
    accounts,
    endDialog,
    ...(trunkLogin && { trunkLogin }),
    ...(mayReach && { mayReach }),
    ...(proxies && { isProxy: proxies.isProxy }),
  });
  const waiting: string[] = [];
  let end = (dialog: string): void => void waiting.push(dialog);
  return {
    end: (dialog: string) => end(dialog),
    open() {
      end = hangUp;
      for (const dialog of waiting.splice(0)) hangUp(dialog);
    },
  };
}

function edgeCarrierRequests(deps: SipEdgeDeps, { transports, accounts }: EdgeParts, userAgent: UserAgent) {
  return createCarrierRequests({
    request: userAgent.request,
    accounts,
    addressFor: (uri) => ({
      host: deps.addressFor(hostOf(uri)),
      port: transports.portOf(transportOf(uri)),
    }),
    domain: deps.domains[0],
    secrets: deps.secrets,
  });
}

/** Orders about a leg with a route go to the route, all others to the leg itself. */
function routedTelephony(
  { telephony }: Legs,
  routed: RoutedLegs,
): Pick<Telephony, 'listen' | 'dial' | 'hangUp'> {
  return {
    listen(listener) {
      routed.listen(listener);
      telephony.listen(listener);
    },
    dial(request) {
      if (!routed.dial(request)) telephony.dial(request);
    },
    hangUp(leg, status, completedElsewhere) {
      if (!routed.hangUp(leg, completedElsewhere)) telephony.hangUp(leg, status, completedElsewhere);
    },
  };
}

/** Admits the sender behind a proxy by its own address and flow. A connection with an authenticated sender may stay open. */
function admissionOfFlows(
  { proxies = noProxies }: Pick<SipEdgeDeps, 'proxies'>,
  watched: Admission,
  transports: Pick<EdgeTransports, 'keep' | 'flowById'>,
): Admission {
  return {
    admit(request, address, flow) {
      const open = transports.flowById(flow);
      const sender = open === undefined ? undefined : proxies.senderOf(request, open);
      return whenThere(watched.admit(request, address, sender?.id ?? flow), (decided) => {
        if (decided.ok) transports.keep(flow);
        return decided;
      });
    },
  };
}
