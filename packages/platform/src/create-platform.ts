import type { Logger, Telephony } from '@jackfield/ports';
import { type Asked, createAsked, createFeatures, type FeaturesDeps } from './create-features.ts';
import type { Feature } from './feature.ts';
import { createCurrentFaults, withReceiverDown } from './features/sandbox-faults/index.ts';
import { createHttpApi, idempotencyTable, withinCapacity, withPlacement } from './http/index.ts';
import { createCapacity } from './kernel/capacity.ts';
import { createClusterNodes } from './kernel/cluster-nodes.ts';
import { createSessionRunner } from './kernel/create-session-runner.ts';
import { shareEventWakes } from './kernel/event-wakes.ts';
import { createIncarnation, type EndedIncarnation, incarnationMigrations } from './kernel/incarnation.ts';
import { NodePhase } from './kernel/node-phase.ts';
import { createNodeReports } from './kernel/node-reports.ts';
import { createOutbox, type Outbox, outboxMigrations } from './kernel/outbox.ts';
import { createPlacement } from './kernel/placement.ts';
import { createRetention } from './kernel/retention.ts';
import {
  createSingletonRoles,
  pruningRole,
  type SingletonRoles,
  singletonRoleMigrations,
} from './kernel/singleton-roles.ts';
import { createStartPhase, type StartPhase } from './kernel/start-phases.ts';
import type { CreatedPlatform, Platform, PlatformDeps } from './platform.ts';

/** A BYE is repeated after 0.5, 1.5 and 3.5 s (RFC 3261 §17.1.2.2). */
const leavesWithinMs = 4_000;

/**
 * Creates the whole product over its ports. The caller creates signalling from the result, then starts the platform over it.
 * The embedded server, a cluster node and the simulated world use the same function.
 */
export function createPlatform(deps: PlatformDeps): CreatedPlatform {
  let leave = async () => {};
  const core = createCore(deps, () => {
    const end = () => deps.onIncarnationEnded?.();
    leave().then(end, end);
  });
  const asked = createAsked(core);
  const { token: incarnation } = core.incarnation;
  return {
    signalling: { ...asked.signalling, ...(core.nodes && { nodes: core.nodes.peers }) },
    incarnation,
    async start(telephony) {
      leave = () => leaveCalls(core, telephony);
      try {
        return await startPlatform(core, asked, telephony);
      } catch (error) {
        await core.nodes?.close();
        throw error;
      }
    },
  };
}

function createCore(deps: PlatformDeps, onEnded: () => void): FeaturesDeps {
  const incarnation = createIncarnation({ ...deps, onEnded });
  const roles = createSingletonRoles({ ...deps, incarnation: incarnation.number });
  roles.take(pruningRole);
  const mayPrune = () => roles.holds(pruningRole);
  const outbox = outboxOf(deps, incarnation.number, mayPrune);
  const phase = phaseOver(roles, deps.log);
  const { appendEvents, wake: eventsCommitted } = outbox;
  const sandboxFaults = createCurrentFaults(deps.clock);
  const { joinBus } = deps;
  const runner = createSessionRunner({
    ...deps,
    incarnation: incarnation.number,
    alive: incarnation,
    appendEvents,
    eventsCommitted,
  });
  const nodes = joinBus && createClusterNodes({ ...deps, incarnation, joinBus });
  const capacity = createCapacity({ ...deps, phase, runner });
  return {
    ...deps,
    ...(deps.sandboxNetwork && { egress: withReceiverDown(deps.egress, sandboxFaults) }),
    sandboxFaults,
    outbox,
    incarnation,
    roles,
    phase,
    ...(nodes && { nodes }),
    runner,
    capacity,
    reports: createNodeReports({ ...deps, phase, runner, capacity, ...(nodes && { nodes }) }),
    newUuid: () => deps.secrets.randomUuid(),
    isDraining: () => phase.isDraining,
    isFull: () => capacity.full() !== undefined,
  };
}

/**
 * Another process has ended this incarnation, and hangs up the legs whose answers are recorded. This one hangs up the others: phones that still
 * ring, and those that were answered since its last write.
 */
async function leaveCalls(
  { phase, runner, incarnation }: Pick<FeaturesDeps, 'phase' | 'runner' | 'incarnation'>,
  telephony: Telephony,
): Promise<void> {
  phase.end();
  runner.close().catch(() => {});
  incarnation.close().catch(() => {});
  await telephony.hangUpAll?.(leavesWithinMs);
}

async function startPlatform(core: FeaturesDeps, asked: Asked, telephony: Telephony): Promise<Platform> {
  const { incarnation, runner, nodes } = core;
  const features = createFeatures(core, asked, telephony);
  const { list, accounts, recordings, sounds, liveEvents, consoleSessions, accountOfCall } = features;
  const startPhase = createStartPhase(core);
  await startPhase('migrations', () => core.database.migrate(migrationsOf(list), true));
  await startPhase('event stream', () => core.outbox.open());
  // Before the first event of this process, which would count as an event of the last process.
  const ended = await incarnation.begin();
  const account = await accounts.ensureFirstAccount(core.firstAccount);
  for (const each of ended) {
    await takeOver(core, list, each, startPhase);
    await incarnation.settled(each);
  }
  await restore(list, startPhase);
  const messages = nodes?.join((each) => takeOver(core, list, each));
  await startPhase('signalling', () => telephony.open());
  for (const feature of list) feature.open?.(account.authId, telephony.carriers);
  const retention = createRetention(
    core,
    list.flatMap(({ retained = [] }) => retained),
    { mayRemove: () => core.roles.holds(pruningRole) },
  );
  retention.start();
  const stopWakes = messages && shareEventWakes({ ...core, messages });
  const homes = list.flatMap((feature) => feature.homes ?? []);
  const { http, operator } = createHttpApi({
    ...core,
    features: withinCapacity(
      list.flatMap(({ routes = [] }) => routes),
      homes,
      core.capacity,
    ),
    homes: withPlacement(homes, createPlacement(core)),
    ...(messages === undefined ? {} : { clusterNode: { incarnation: incarnation.number, messages } }),
    accounts,
    console: consoleSessions.access,
    clockSkew: incarnation.clockSkew,
    ready: () => core.phase.isServing,
    ...(core.httpLimits === undefined ? {} : { limits: core.httpLimits }),
  });
  core.phase.serve();

  function drain(): void {
    core.phase.end();
    for (const feature of list) feature.drain?.();
  }

  return {
    account,
    runner,
    http,
    ...(operator === undefined ? {} : { operatorHttp: operator }),
    recordings,
    sounds,
    accountOfCall,
    census: () => Object.fromEntries(list.map((feature) => [feature.name, feature.census?.() ?? {}])),
    followEvents: (listener) => liveEvents.follow({ authId: account.authId, isSubaccount: false }, listener),
    createConsoleLink: () => consoleSessions.createFirstLink(account.authId),
    drain,
    async close() {
      drain();
      await http.close();
      stopWakes?.();
      await nodes?.close();
      await operator?.close();
      await core.roles.giveUp();
      for (const feature of list) await feature.close?.();
      await retention.close();
      await runner.idle();
      await runner.close();
      await incarnation.close();
      for (const feature of list) await feature.release?.();
      await incarnation.end();
    },
  };
}

/** A node that drains, or gets the signal to stop, gives its roles to the others: its calls may last for hours. */
function phaseOver(roles: SingletonRoles, log: Logger): NodePhase {
  const phase = new NodePhase();
  phase.follow((name) => {
    if (name === 'serving') roles.open();
    else if (phase.isDraining)
      roles.giveUp().catch((err: unknown) => log.warn({ err }, 'roles not given up by a node that drains'));
  });
  return phase;
}

function outboxOf(deps: PlatformDeps, incarnation: number, mayPrune: () => boolean): Outbox {
  const { database, clock, log, secrets, keepCallbacksMs, keepEvents } = deps;
  return createOutbox({
    database,
    clock,
    log,
    newEventId: () => secrets.randomUuid(),
    // Slow receivers keep their slots: at most `perAccount` for one account, `perHost` for one host, and one for a host that does not answer.
    limits: {
      concurrency: 256,
      ...(keepCallbacksMs === undefined ? {} : { keepMs: keepCallbacksMs }),
      ...(keepEvents === undefined ? {} : { keepNumber: keepEvents }),
    },
    ...(database.isShared ? { incarnation } : {}),
    mayPrune,
  });
}

/** Migrations of the kernel, then those of the features. */
function migrationsOf(features: readonly Feature[]) {
  const own = features.flatMap(({ migrations = [] }) => migrations);
  return [
    idempotencyTable,
    ...outboxMigrations,
    ...incarnationMigrations,
    ...singletonRoleMigrations,
    ...own,
  ];
}

/** Ends or takes over what lived in an incarnation that has ended: at a start, and while this process runs. */
async function takeOver(
  { outbox }: FeaturesDeps,
  features: readonly Feature[],
  ended: EndedIncarnation,
  phase: StartPhase = async (_, part) => part(),
): Promise<void> {
  for (const feature of features) {
    if (feature.endIncarnation === undefined) continue;
    await phase(`${feature.name.replaceAll('-', ' ')} of an ended run`, async () =>
      feature.endIncarnation?.(ended),
    );
  }
  await outbox.takeOver(ended.number);
}

async function restore(features: readonly Feature[], phase: StartPhase): Promise<void> {
  for (const feature of features) {
    if (feature.restore === undefined) continue;
    await phase(feature.name.replaceAll('-', ' '), async () => feature.restore?.());
  }
}
