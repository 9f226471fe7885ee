import type { SignallingDoors, Telephony } from '@jackfield/ports';
import { createSandboxFeatures } from './create-sandbox.ts';
import { type AccountResources, createAccounts, ofActiveAccounts } from './features/accounts/index.ts';
import {
  type AnsweringApplication,
  attachableApplications,
  createApplications,
} from './features/applications/index.ts';
import { createCallActions } from './features/call-actions/index.ts';
import {
  type CallInstructionsFeature,
  createCallInstructions,
  readSoundDocument,
} from './features/call-instructions/index.ts';
import { createCallbacks, createSigner, parseDeliverySettings } from './features/callbacks/index.ts';
import { createCalls, type LegOffer } from './features/calls/index.ts';
import { createCarriers } from './features/carriers/index.ts';
import { createClientTokens, withClientNames } from './features/client-tokens/index.ts';
import { createBanFeed, createLiveEvents, createLoginFeed } from './features/live-events/index.ts';
import { createMessageGateways } from './features/message-gateways/index.ts';
import { createMultipartyCalls } from './features/multiparty-calls/index.ts';
import { attachedNumbers, createNumbers } from './features/numbers/index.ts';
import { createRecordings } from './features/recordings/index.ts';
import { createRoomStreams, type RoomStreamsFeature } from './features/room-streams/index.ts';
import { createSipEndpoints } from './features/sip-endpoints/index.ts';
import { createSounds } from './features/sounds/index.ts';
import { createStreams } from './features/streams/index.ts';
import { createTrunks } from './features/trunks/index.ts';
import { createUsage, freeOfCharge } from './features/usage/index.ts';
import { createVerify } from './features/verify/index.ts';
import { createHttpApi, idempotencyTable } from './http/index.ts';
import { createSessionRunner } from './kernel/create-session-runner.ts';
import { createLastAlive, lastAliveMigrations } from './kernel/last-alive.ts';
import { createOutbox, outboxMigrations } from './kernel/outbox.ts';
import { createStartPhase } from './kernel/start-phases.ts';
import type { CreatedPlatform, Platform, PlatformDeps } from './platform.ts';
import { startRetention } from './record-retention.ts';

/** Receivers that answer slowly hold their places: one host at most `perHost` of them, a silent one a single one. */
const outboxLimits = { concurrency: 256 };

/**
 * The whole product over its ports, in two steps: signalling is created from what the first one gives, and the second starts the platform over it.
 * The same for the embedded server, a cluster node and the simulated world.
 */
export function createPlatform(deps: PlatformDeps): CreatedPlatform {
  const asked = createAsked(deps);
  return { signalling: asked.signalling, start: (telephony) => startPlatform(deps, asked, telephony) };
}

/** What signalling asks, and what it stands on: nothing here needs a telephony. */
function createAsked(deps: PlatformDeps) {
  const { database, clock, secrets, log } = deps;
  const newUuid = () => secrets.randomUuid();

  const kept = deps.keepCallbacksMs === undefined ? {} : { keepMs: deps.keepCallbacksMs };
  const outbox = createOutbox({
    database,
    clock,
    log,
    newEventId: newUuid,
    limits: { ...outboxLimits, ...kept },
    // An embedded database is opened by one process at a time.
    isAlone: database.dialect === 'sqlite',
  });
  const trunks = createTrunks({ ...deps, outbox, detachNumbers: attachedNumbers.detachTrunks });
  const attachable = attachableApplications(database);
  const endpoints = createSipEndpoints({
    ...deps,
    outbox,
    applications: attachable,
  });
  // Whatever stores something for accounts says what becomes of it when a subaccount goes.
  const resources: AccountResources[] = [endpoints.resources];
  const accounts = createAccounts({ ...deps, resources, outbox });
  const registrations = ofActiveAccounts(endpoints.registrations, accounts.ifActive);
  const applications = createApplications({
    ...deps,
    endpoints: {
      ...endpoints.attached,
      async reattach(write, applicationIds, to) {
        await endpoints.attached.reattach(write, applicationIds, to);
        await attachedNumbers.detachApplications(write, applicationIds);
      },
    },
    isWithin: accounts.isWithin,
  });
  const signing = {
    secrets,
    authTokenOf: accounts.authTokenOf,
    ...(deps.signaturePrefixes === undefined ? {} : { prefixes: deps.signaturePrefixes }),
  };
  const callbacks = createCallbacks({ ...deps, ...signing, outbox, limits: kept });
  const alive = createLastAlive(deps);
  const runner = createSessionRunner({
    database,
    clock,
    log,
    alive,
    appendEvents: outbox.appendEvents,
    eventsCommitted: outbox.wake,
  });

  const sounds = createSounds({ ...deps, runner, timeoutsOf: parseDeliverySettings, readSoundDocument });
  const recordings = createRecordings({
    ...deps,
    runner,
    ...(deps.keepRecordingsMs === undefined ? {} : { keepMs: deps.keepRecordingsMs }),
  });
  const clientTokens = createClientTokens({
    ...deps,
    accounts,
    registrations,
    isApplication: async ({ main }, id) => (await applications.answering.answerOf(id, main)) !== undefined,
  });
  const usage = createUsage(deps.rates ?? freeOfCharge);
  const carriers = createCarriers({ ...deps, carriers: deps.carriers ?? [], usage, outbox });
  const numbers = createNumbers({
    ...deps,
    applications: attachable,
    inboundTrunks: trunks.inbound,
    trunkOf: async (id, number) => accounts.ifActive(await trunks.inbound.trunkOf(id, number)),
    isWithin: accounts.isWithin,
  });
  const holderOf = async (number: string) => (await numbers.destinations.heldOf(number))?.account;
  const accountOfNumber = async (number: string) => (await holderOf(number)) ?? carriers.incoming.account();
  const sandbox = createSandboxFeatures({
    ...deps,
    registrations: endpoints.registrations,
    answering: applications.answering,
    accountOfNumber,
    isWithin: accounts.isWithin,
  });
  const signalling: SignallingDoors = {
    registrations: withClientNames(endpoints.registrations, accounts.isWithin),
    routes: [carriers.callRoutes, trunks.callRoutes],
    accounts,
    trunks: trunks.trunks,
    clientTokens: clientTokens.tokens,
    carrierCalls: { account: accountOfNumber },
    sandboxCall: sandbox.expectedCall,
    publicApplications: { account: applications.answering.accountOfPublic },
    bans: createBanFeed({ ...deps, outbox, account: () => carriers.incoming.account() }),
    failedLogins: createLoginFeed({
      ...deps,
      outbox,
      account: () => carriers.incoming.account(),
      realm: deps.domains[0],
      usernamesLike: endpoints.usernamesLike,
    }),
  };
  return {
    signalling,
    accounts,
    alive,
    applications,
    callbacks,
    carriers,
    clientTokens,
    endpoints,
    newUuid,
    numbers,
    outbox,
    recordings,
    registrations,
    resources,
    runner,
    sandbox,
    signing,
    sounds,
    trunks,
    usage,
  };
}

type Asked = ReturnType<typeof createAsked>;

async function startPlatform(deps: PlatformDeps, asked: Asked, telephony: Telephony): Promise<Platform> {
  const { database } = deps;
  const { accounts, applications, callbacks, carriers, endpoints, newUuid, numbers, outbox } = asked;
  const { alive, recordings, registrations, resources, runner, sandbox, sounds, trunks, usage } = asked;
  let isReady = false;
  let isDraining = false;

  const calls = createCalls({
    ...deps,
    runner,
    telephony,
    registrations: withClientNames(registrations, accounts.isWithin),
    domains: [...deps.domains, ...(deps.addresses ?? [])],
    usage,
    numbers: carriers.numbers(deps.numbers),
    ownNumbers: numbers.destinations,
    newUuid,
    isWithin: accounts.isWithin,
    mainAccountOf: accounts.mainAccountOf,
    mayDial,
    appendEvents: outbox.appendEvents,
  });
  const shared = { ...deps, runner, calls, sounds, recordings, newUuid, isDraining: () => isDraining };
  const streams = createStreams({ ...shared, usage, authTokenOf: accounts.authTokenOf });
  const multipartyCalls = createMultipartyCalls({
    ...shared,
    usage,
    streams,
    // Each has a door for the other's legs.
    runDocument: (order) => callInstructions.run(order),
    roomChanged: (room) => roomStreams.changed(room),
  });
  const roomStreams: RoomStreamsFeature = createRoomStreams({
    ...shared,
    streams,
    rooms: multipartyCalls.rooms,
    usage,
  });
  const callInstructions: CallInstructionsFeature = createCallInstructions({
    ...shared,
    multiparty: multipartyCalls,
    streams,
    sign: createSigner(asked.signing),
    settingsOf: parseDeliverySettings,
    applicationOf,
  });
  // After whoever may have an application for it, before what becomes of calls that nobody takes.
  carriers.incoming.refuseUnserved(
    calls,
    async (number) => (await numbers.destinations.heldOf(number))?.trunk != null,
  );
  const callActions = createCallActions(shared);
  const linked = deps.sms === 'sandbox-inbox' ? [] : (deps.sms ?? []);
  const gateways = createMessageGateways({ ...deps, gateways: linked });
  const verify = createVerify({ ...shared, outbox, sms: sandbox.sms ?? gateways.sms });
  const liveEvents = createLiveEvents({ ...deps, outbox });

  /** Where an application takes the calls of an endpoint, it decides which numbers are called. */
  async function mayDial(user: string): Promise<boolean> {
    const credential = await registrations.credentialOf(user);
    return credential !== undefined && (await endpoints.applicationOf(credential.endpoint)) === null;
  }

  /**
   * An application that was dialled goes before that of the caller's token, that before the one of its endpoint, and that before the
   * one of the number that was dialled.
   */
  async function applicationOf(offer: LegOffer): Promise<AnsweringApplication | undefined> {
    const { answering } = applications;
    if (answering.isDialled(offer.to)) return answering.answerOf(offer.to, offer.mainAccount);
    const attached = offer.application ?? (await endpoints.applicationOf(offer.endpoint));
    if (attached !== null) return answering.answerOf(attached, offer.mainAccount);
    const dialled = await numbers.destinations.heldOf(offer.to);
    if (dialled?.application) return answering.answerOf(dialled.application, dialled.mainAccount);
    const isUnattached = offer.carrier !== undefined && !dialled?.trunk;
    return isUnattached ? answering.answerOfNumbers(offer.account) : undefined;
  }

  resources.push(
    applications.resources,
    calls.resources,
    multipartyCalls.resources,
    recordings.resources,
    streams.resources,
    callbacks.resources,
    trunks.resources,
    numbers.resources,
    verify.resources,
    ...sandbox.resources,
  );

  const phase = createStartPhase(deps);
  const migrations = [
    idempotencyTable,
    ...outboxMigrations,
    ...lastAliveMigrations,
    ...accounts.migrations,
    ...endpoints.migrations,
    ...applications.migrations,
    ...calls.migrations,
    ...multipartyCalls.migrations,
    ...callbacks.migrations,
    ...recordings.migrations,
    ...streams.migrations,
    ...trunks.migrations,
    ...numbers.migrations,
    ...carriers.migrations,
    ...verify.migrations,
    ...gateways.migrations,
    ...sandbox.migrations,
  ];
  await phase('migrations', () => database.migrate(migrations, true));
  // Before anything writes an event: that would be taken for the last process's.
  const diedAt = await alive.diedAt();
  const account = await accounts.ensureFirstAccount(deps.firstAccount);
  // What the last process left behind has ended with it; recordings before their multiparty calls, whose end is reported after theirs.
  await phase('recordings', () => recordings.restore());
  await phase('multiparty calls', () => multipartyCalls.restore(diedAt));
  await phase('calls', () => calls.restore(diedAt));
  await phase('streams', () => streams.restore(diedAt));
  await phase('carriers', () => carriers.restore());
  await phase('verification sessions', () => verify.restore());
  await sandbox.restore();
  outbox.start(callbacks.deliver);
  callbacks.start();
  const retention = startRetention(deps, { calls, multipartyCalls, verify });
  await phase('signalling', () => telephony.open());
  carriers.open(account.authId, telephony.carriers);
  const http = createHttpApi({
    ...deps,
    features: [
      accounts.routes,
      applications.routes,
      endpoints.routes,
      calls.routes,
      callInstructions.routes,
      callActions.routes,
      multipartyCalls.routes,
      recordings.routes,
      streams.routes,
      roomStreams.routes,
      callbacks.routes,
      liveEvents.routes,
      { ...trunks.routes, routes: [...trunks.routes.routes, ...calls.trunkCallRoutes] },
      numbers.routes,
      asked.clientTokens.routes,
      verify.routes,
      gateways.routes,
      ...sandbox.routes,
    ],
    accounts,
    ready: () => isReady,
    ...(deps.httpLimits === undefined ? {} : { limits: deps.httpLimits }),
  });
  isReady = true;

  return {
    account,
    runner,
    http,
    recordings,
    followEvents: (tell) => liveEvents.follow({ authId: account.authId, isSubaccount: false }, tell),
    drain() {
      isReady = false;
      isDraining = true;
      liveEvents.close();
    },
    async close() {
      isReady = false;
      // A stream of events has no end of its own: the server would wait for it.
      liveEvents.close();
      await carriers.close();
      await http.close();
      await sandbox.close();
      await recordings.close();
      verify.close();
      await retention.close();
      await runner.idle();
      await runner.close();
      await alive.close();
      sounds.close();
      await endpoints.close();
      await callbacks.close(outbox.close());
    },
  };
}
