import type { Telephony } from '@jackfield/ports';
import { type Asked, createAsked, createFeatures, type FeaturesDeps } from './create-features.ts';
import type { Feature } from './feature.ts';
import { createCurrentFaults, withReceiverDown } from './features/sandbox-faults/index.ts';
import { createHttpApi, idempotencyTable } from './http/index.ts';
import { createSessionRunner } from './kernel/create-session-runner.ts';
import { shareEventWakes } from './kernel/event-wakes.ts';
import {
  createIncarnation,
  type EndedIncarnation,
  type Incarnation,
  incarnationMigrations,
} from './kernel/incarnation.ts';
import { createNodeMessages, type NodeMessages } from './kernel/node-messages.ts';
import { createOutbox, type Outbox, outboxMigrations } from './kernel/outbox.ts';
import { createRetention } from './kernel/retention.ts';
import { createStartPhase, type StartPhase } from './kernel/start-phases.ts';
import type { CreatedPlatform, Platform, PlatformDeps } from './platform.ts';

/** The parts of the kernel that all features share. */
interface Core extends FeaturesDeps {
  readonly incarnation: Incarnation;
  readonly state: { isReady: boolean; isDraining: boolean };
}

/**
 * Creates the whole product over its ports. The caller creates signalling from the result, then starts the platform over it.
 * The embedded server, a cluster node and the simulated world use the same function.
 */
export function createPlatform(deps: PlatformDeps): CreatedPlatform {
  const core = createCore(deps);
  const asked = createAsked(core);
  const { token: incarnation } = core.incarnation;
  return {
    signalling: asked.signalling,
    incarnation,
    start: (telephony) => startPlatform(core, asked, telephony),
  };
}

function createCore(deps: PlatformDeps): Core {
  const incarnation = createIncarnation({
    ...deps,
    ...(deps.onIncarnationEnded === undefined ? {} : { onEnded: deps.onIncarnationEnded }),
  });
  const outbox = outboxOf(deps, incarnation.number);
  const state = { isReady: false, isDraining: false };
  const { appendEvents, wake: eventsCommitted } = outbox;
  const sandboxFaults = createCurrentFaults(deps.clock);
  return {
    ...deps,
    ...(deps.sandboxNetwork && { egress: withReceiverDown(deps.egress, sandboxFaults) }),
    sandboxFaults,
    outbox,
    incarnation,
    state,
    runner: createSessionRunner({
      ...deps,
      incarnation: incarnation.number,
      alive: incarnation,
      appendEvents,
      eventsCommitted,
    }),
    newUuid: () => deps.secrets.randomUuid(),
    isDraining: () => state.isDraining,
  };
}

async function startPlatform(core: Core, asked: Asked, telephony: Telephony): Promise<Platform> {
  const { incarnation, runner, state } = core;
  const { list, accounts, recordings, liveEvents, consoleSessions } = createFeatures(core, asked, telephony);
  const phase = createStartPhase(core);
  await phase('migrations', () => core.database.migrate(migrationsOf(list), true));
  // Before the first event of this process, which would count as an event of the last process.
  const ended = await incarnation.begin();
  const account = await accounts.ensureFirstAccount(core.firstAccount);
  for (const each of ended) {
    await endIncarnation(list, each, phase);
    await core.outbox.takeOver(each.number);
    await incarnation.settled(each);
  }
  await restore(list, phase);
  await phase('signalling', () => telephony.open());
  for (const feature of list) feature.open?.(account.authId, telephony.carriers);
  const retention = createRetention(
    core,
    list.flatMap(({ retained = [] }) => retained),
  );
  retention.start();
  const messages = joinNodes(core);
  const stopWakes = messages && shareEventWakes({ ...core, messages });
  const { http, operator } = createHttpApi({
    ...core,
    features: list.flatMap(({ routes = [] }) => routes),
    homes: list.flatMap(({ homes = [] }) => homes),
    ...(messages === undefined ? {} : { clusterNode: { incarnation: incarnation.number, messages } }),
    accounts,
    console: consoleSessions.access,
    ready: () => state.isReady,
    ...(core.httpLimits === undefined ? {} : { limits: core.httpLimits }),
  });
  state.isReady = true;

  function drain(): void {
    state.isReady = false;
    state.isDraining = true;
    for (const feature of list) feature.drain?.();
  }

  return {
    account,
    runner,
    http,
    ...(operator === undefined ? {} : { operatorHttp: operator }),
    recordings,
    census: () => Object.fromEntries(list.map((feature) => [feature.name, feature.census?.() ?? {}])),
    followEvents: (listener) => liveEvents.follow({ authId: account.authId, isSubaccount: false }, listener),
    createConsoleLink: () => consoleSessions.createFirstLink(account.authId),
    drain,
    async close() {
      drain();
      await http.close();
      stopWakes?.();
      await messages?.close();
      await operator?.close();
      for (const feature of list) await feature.close?.();
      await retention.close();
      await runner.idle();
      await runner.close();
      await incarnation.close();
      for (const feature of list) await feature.release?.();
    },
  };
}

function outboxOf(deps: PlatformDeps, incarnation: number): Outbox {
  const { database, clock, log, secrets, keepCallbacksMs } = deps;
  return createOutbox({
    database,
    clock,
    log,
    newEventId: () => secrets.randomUuid(),
    // Slow receivers keep their slots: at most `perHost` for one host, and one for a host that does not answer.
    limits: { concurrency: 256, ...(keepCallbacksMs === undefined ? {} : { keepMs: keepCallbacksMs }) },
    ...(database.isShared ? { incarnation } : {}),
  });
}

function joinNodes({ joinBus, incarnation, clock, log }: Core): NodeMessages | undefined {
  return joinBus === undefined
    ? undefined
    : createNodeMessages({ bus: joinBus(incarnation.token), clock, log });
}

/** Migrations of the kernel, then those of the features. */
function migrationsOf(features: readonly Feature[]) {
  const own = features.flatMap(({ migrations = [] }) => migrations);
  return [idempotencyTable, ...outboxMigrations, ...incarnationMigrations, ...own];
}

/** Ends or takes over what lived in an incarnation that has ended: at a restart, and after the end of another node. */
async function endIncarnation(
  features: readonly Feature[],
  ended: EndedIncarnation,
  phase: StartPhase,
): Promise<void> {
  for (const feature of features) {
    if (feature.endIncarnation === undefined) continue;
    await phase(`${feature.name.replaceAll('-', ' ')} of an ended run`, async () =>
      feature.endIncarnation?.(ended),
    );
  }
}

async function restore(features: readonly Feature[], phase: StartPhase): Promise<void> {
  for (const feature of features) {
    if (feature.restore === undefined) continue;
    await phase(feature.name.replaceAll('-', ' '), async () => feature.restore?.());
  }
}
