import type { SignallingPorts, Telephony } from '@jackfield/ports';
import { createSandbox } from './create-sandbox.ts';
import type { AccountResources, Feature } from './feature.ts';
import { type AccountsFeature, createAccounts, ofActiveAccounts } from './features/accounts/index.ts';
import { attachableApplications, createApplications } from './features/applications/index.ts';
import { createCallActions } from './features/call-actions/index.ts';
import { createCallBlackBox, traceDocuments } from './features/call-black-box/index.ts';
import {
  createAnsweringAccount,
  createApplicationOf,
  createCallInstructions,
  readSoundDocument,
} from './features/call-instructions/index.ts';
import { createCallQuality } from './features/call-quality/index.ts';
import { createCallStatistics } from './features/call-statistics/index.ts';
import { createCallbacks, createSigner, parseDeliverySettings } from './features/callbacks/index.ts';
import { createCalls } from './features/calls/index.ts';
import { createCarriers } from './features/carriers/index.ts';
import { createClientTokens, withClientNames } from './features/client-tokens/index.ts';
import { type ConsoleSessionsFeature, createConsoleSessions } from './features/console-sessions/index.ts';
import {
  createBanReports,
  createLiveEvents,
  createLoginReports,
  type LiveEventsFeature,
} from './features/live-events/index.ts';
import { createLiveSnapshot } from './features/live-snapshot/index.ts';
import { createMachineDetection } from './features/machine-detection/index.ts';
import { createMediaLinks } from './features/media-links/index.ts';
import { createMessageGateways } from './features/message-gateways/index.ts';
import { createMultipartyCalls } from './features/multiparty-calls/index.ts';
import { createNodes } from './features/nodes/index.ts';
import { attachedNumbers, createNumbers } from './features/numbers/index.ts';
import { createOperatorView } from './features/operator-view/index.ts';
import { createRecordings, type RecordingsFeature } from './features/recordings/index.ts';
import { createRoomStreams } from './features/room-streams/index.ts';
import type { CurrentFaults } from './features/sandbox-faults/index.ts';
import { createSearch } from './features/search/index.ts';
import { createMayDial, createSipEndpoints } from './features/sip-endpoints/index.ts';
import { createSounds, type Sounds } from './features/sounds/index.ts';
import { createStreams } from './features/streams/index.ts';
import { createTrunks } from './features/trunks/index.ts';
import { createUsage, freeOfCharge } from './features/usage/index.ts';
import { createVerify } from './features/verify/index.ts';
import type { Capacity } from './kernel/capacity.ts';
import type { ClusterNodes } from './kernel/cluster-nodes.ts';
import type { Incarnation } from './kernel/incarnation.ts';
import type { NodePhase } from './kernel/node-phase.ts';
import type { NodeReports } from './kernel/node-reports.ts';
import type { Outbox } from './kernel/outbox.ts';
import type { SessionRunner } from './kernel/session-runner.ts';
import { pruningRole, type SingletonRoles } from './kernel/singleton-roles.ts';
import type { PlatformDeps } from './platform.ts';

/** The ports, and the parts of the kernel that all features share. */
export interface FeaturesDeps extends PlatformDeps {
  readonly runner: SessionRunner;
  readonly outbox: Outbox;
  readonly roles: SingletonRoles;
  readonly incarnation: Incarnation;
  readonly phase: NodePhase;
  readonly capacity: Capacity;
  readonly reports: NodeReports;
  /** Left out where one process owns the database. */
  readonly nodes?: ClusterNodes;
  readonly newUuid: () => string;
  /** Of the sandbox; outside of it none is ever on. */
  readonly sandboxFaults: CurrentFaults;
  /** True while new work is refused. */
  readonly isDraining: () => boolean;
  /** True while this process has no capacity for a new call. */
  readonly isFull: () => boolean;
}

export interface Features {
  /** In the order in which their contributions are used, see `Feature`. */
  readonly list: readonly Feature[];
  readonly accounts: AccountsFeature;
  readonly recordings: RecordingsFeature;
  readonly sounds: Sounds;
  readonly liveEvents: LiveEventsFeature;
  readonly consoleSessions: ConsoleSessionsFeature;
  /** Of a live call. */
  accountOfCall(call: string): string | undefined;
}

/** The answers to signalling, and the features that give them; none needs a telephony. */
export type Asked = ReturnType<typeof createAsked>;

export function createAsked(deps: FeaturesDeps) {
  const owned = createOwned(deps);
  return { ...owned, ...createSignallingPorts(deps, owned) };
}

/** Creates and lists the features. A feature that no other needs is created in the list. */
export function createFeatures(deps: FeaturesDeps, owned: Asked, telephony: Telephony): Features {
  const { sandbox } = owned;
  const live = createLive(deps, owned, telephony);
  const linked = deps.sms === 'sandbox-inbox' ? [] : (deps.sms ?? []);
  const gateways = createMessageGateways({ ...deps, gateways: linked });
  const liveEvents = createLiveEvents(deps);
  owned.blackBox.follow(live.calls);
  owned.operatorView.follow(sandbox.gateways ?? gateways.states);
  const quality = createCallQuality({ ...deps, ...live });
  const { identity, ...others } = deps;
  const operator = owned.carriers.incoming.account;
  const consoleSessions = createConsoleSessions({
    ...others,
    accounts: owned.accounts,
    ...(identity === undefined ? {} : { identity: { ...identity, log: deps.log, operator } }),
  });
  const accountOfCall = (call: string) => live.calls.peek(call)?.account;
  const list: readonly Feature[] = [
    owned.accounts,
    owned.applications,
    owned.endpoints,
    owned.trunks,
    owned.numbers,
    owned.clientTokens,
    owned.usage,
    // A restart ends old sessions in this order: recordings of a multiparty call are reported before its end.
    live.recordings,
    live.multipartyCalls,
    live.calls,
    live.links,
    live.machines,
    live.callInstructions,
    createCallActions({ ...deps, ...live }),
    live.streams,
    live.roomStreams,
    live.sounds,
    owned.carriers,
    gateways,
    createVerify({
      ...deps,
      ...live,
      isDisabled: owned.accounts.isDisabled,
      sms: sandbox.sms ?? gateways.sms,
    }),
    ...sandbox.features,
    liveEvents,
    owned.blackBox,
    quality,
    createCallStatistics({ ...deps, ...live }),
    createLiveSnapshot({ ...deps, ...live, qualityOf: quality.latestOf }),
    consoleSessions,
    owned.operatorView,
    createNodes({ ...deps, operator: owned.carriers.incoming.account }),
    createSearch({ features: () => list }),
    // Last: it delivers the events of other features before its release.
    owned.callbacks,
  ];
  owned.resources.push(...list.flatMap(({ resources = [] }) => resources));
  return {
    list,
    accounts: owned.accounts,
    recordings: live.recordings,
    sounds: live.sounds,
    liveEvents,
    consoleSessions,
    accountOfCall,
  };
}

type Owned = ReturnType<typeof createOwned>;

/** Features of accounts, which need no calls. */
function createOwned(deps: FeaturesDeps) {
  const { database, secrets } = deps;
  const usage = createUsage(deps.rates ?? freeOfCharge);
  const carriers = createCarriers({ ...deps, carriers: deps.carriers ?? [], usage });
  const trunks = createTrunks({ ...deps, detachNumbers: attachedNumbers.detachTrunks });
  const attachable = attachableApplications(database);
  const endpoints = createSipEndpoints({ ...deps, applications: attachable });
  // createFeatures fills it with the resources of all features before the first request.
  const resources: AccountResources[] = [];
  const accounts = createAccounts({ ...deps, resources });
  const { isWithin, authTokenOf, ifActive } = accounts;
  const registrations = ofActiveAccounts(endpoints.registrations, ifActive);
  const applications = createApplications({
    ...deps,
    endpoints: endpoints.attached,
    detachNumbers: attachedNumbers.detachApplications,
    isWithin,
  });
  const numbers = createNumbers({
    ...deps,
    applications: attachable,
    inboundTrunks: trunks.inbound,
    ifActive,
    operator: carriers.incoming.account,
    isWithin,
  });
  const clientTokens = createClientTokens({
    ...deps,
    accounts,
    registrations,
    isApplication: async ({ main }, id) => (await applications.answering.answerOf(id, main)) !== undefined,
  });
  const prefixes = deps.signaturePrefixes === undefined ? {} : { prefixes: deps.signaturePrefixes };
  const signing = { secrets, authTokenOf, ...prefixes };
  const kept = deps.keepCallbacksMs === undefined ? {} : { keepMs: deps.keepCallbacksMs };
  const callbacks = createCallbacks({
    ...deps,
    ...signing,
    limits: kept,
    mayPrune: () => deps.roles.holds(pruningRole),
  });
  const blackBox = createCallBlackBox({ ...deps, usernameOf: endpoints.usernameOf });
  const operatorView = createOperatorView({
    ...deps,
    operator: carriers.incoming.account,
    carriers: carriers.states,
    rates: usage,
  });
  return {
    ...{ usage, carriers, trunks, endpoints, accounts, registrations, applications, numbers, clientTokens },
    ...{ callbacks, sign: createSigner(signing), resources, blackBox, operatorView },
  };
}

/** The answers to signalling, and the sandbox, which simulates the public network. */
function createSignallingPorts(deps: FeaturesDeps, owned: Owned) {
  const { accounts, applications, carriers, clientTokens, endpoints, numbers, trunks } = owned;
  const { isWithin } = accounts;
  const operator = carriers.incoming.account;
  const sandbox = createSandbox({
    ...deps,
    registrations: endpoints.registrations,
    answering: applications.answering,
    accountOfNumber: numbers.destinations.accountOf,
    isWithin,
  });
  const signalling: SignallingPorts = {
    registrations: withClientNames(endpoints.registrations, isWithin),
    routes: [carriers.callRoutes, trunks.callRoutes],
    accounts,
    trunks: trunks.trunks,
    clientTokens: clientTokens.tokens,
    carrierCalls: { account: numbers.destinations.accountOf },
    sandboxCall: sandbox.expectedCall,
    isDraining: deps.isDraining,
    isFull: deps.isFull,
    publicApplications: { account: applications.answering.accountOfPublic },
    trace: owned.blackBox.trace,
    bans: createBanReports({ ...deps, account: operator, also: owned.operatorView.bans }),
    failedLogins: createLoginReports({
      ...deps,
      account: operator,
      realm: deps.domains[0],
      usernamesLike: endpoints.usernamesLike,
    }),
  };
  return { sandbox, signalling };
}

/** Features of live calls. */
function createLive(deps: FeaturesDeps, owned: Owned, telephony: Telephony) {
  const { accounts, applications, carriers, endpoints, numbers, registrations, usage } = owned;
  const { isWithin, isDisabled, mainAccountOf, authTokenOf } = accounts;
  const sounds = createSounds({ ...deps, timeoutsOf: parseDeliverySettings, readSoundDocument });
  const recordings = createRecordings(deps);
  const applicationOf = createApplicationOf({
    answering: applications.answering,
    attachedTo: endpoints.applicationOf,
    numbers: numbers.destinations,
  });
  const named = withClientNames(endpoints.registrations, isWithin);
  const calls = createCalls({
    ...deps,
    telephony,
    registrations: withClientNames(registrations, isWithin),
    domains: [...deps.domains, ...(deps.addresses ?? [])],
    usage,
    numbers: carriers.numbers(deps.numbers),
    ownNumbers: numbers.destinations,
    isWithin,
    mainAccountOf,
    answeringAccount: createAnsweringAccount({ applicationOf, isActive: accounts.isActive }),
    mayDial: createMayDial(registrations, endpoints.applicationOf),
    accountOfUser: async (user) => (await named.credentialOf(user))?.account,
  });
  const machines = createMachineDetection({ ...deps, calls });
  const shared = { ...deps, calls, sounds, recordings, usage };
  const streams = createStreams({ ...shared, authTokenOf });
  const links = createMediaLinks({ ...deps, calls });
  // Legs of other nodes are participants too.
  const { calls: callsOfNodes, elsewhere } = links;
  const multipartyCalls = createMultipartyCalls({
    ...shared,
    calls: callsOfNodes,
    streams,
    isDisabled,
    ...(elsewhere && { elsewhere }),
  });
  const roomStreams = createRoomStreams({ ...shared, streams, rooms: multipartyCalls.rooms });
  const callInstructions = createCallInstructions({
    ...shared,
    // A transfer may replace a leg that was dialled by one of another node.
    calls: { ...calls, hangUp: callsOfNodes.hangUp },
    multiparty: multipartyCalls,
    exitDocuments: multipartyCalls.exitDocuments,
    streams,
    machines,
    sign: owned.sign,
    fetched: traceDocuments(owned.blackBox.fetched, deps.tracing),
    settingsOf: parseDeliverySettings,
    applicationOf,
  });
  // After call instructions, which claim calls with an application, and before the default for unclaimed calls.
  carriers.incoming.refuseUnserved(calls, numbers.destinations.leadsToTrunk);
  return {
    ...{ sounds, recordings, calls, machines, streams, links },
    ...{ multipartyCalls, roomStreams, callInstructions },
  };
}
