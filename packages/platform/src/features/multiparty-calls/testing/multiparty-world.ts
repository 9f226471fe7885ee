import type { Database } from '@jackfield/ports';
import {
  assertDocumentedEvents,
  createFailingCommits,
  createVirtualClock,
  type OpenDatabase,
  type VirtualClock,
} from '@jackfield/testkit';
import { type ApiAnswer, type ApiWorld, type Caller, openApi } from '../../../http/testing/api-world.ts';
import { createSessionRunner } from '../../../kernel/create-session-runner.ts';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import type { SessionRunner } from '../../../kernel/session-runner.ts';
import type { RunOrder } from '../../call-instructions/index.ts';
import { createUsage, freeOfCharge, type RateTable } from '../../usage/index.ts';
import { type MultipartyCallsDeps, multipartyCallMigrations } from '../create-multiparty-calls.ts';
import { createMultipartyCalls, type MultipartyCallsFeature } from '../index.ts';
import { createRecordingMedia, type RecordingMedia } from './recording-media.ts';
import { createScriptedCalls, type ScriptedCalls } from './scripted-calls.ts';
import { createScriptedRecordings, type ScriptedRecordings } from './scripted-recordings.ts';
import { createScriptedSounds, type ScriptedSounds } from './scripted-sounds.ts';

export const agent = { role: 'agent', from: '+12025550199', to: '+12025550100' };
export const customer = { ...agent, role: 'customer', to: '+12025550101' };
export const supervisor = { ...agent, role: 'supervisor', to: 'boss261121120000' };

export interface MultipartyWorld {
  readonly api: ApiWorld;
  readonly calls: ScriptedCalls;
  readonly media: RecordingMedia;
  readonly sounds: ScriptedSounds;
  readonly recordings: ScriptedRecordings;
  /** Legs that were given to documents, in order. */
  readonly exits: readonly RunOrder[];
  /** The next leg that leaves finds no document, or its run fails. */
  refuseNextExit(how: 'without-leg' | 'broken'): void;
  readonly runner: SessionRunner;
  readonly feature: MultipartyCallsFeature;
  readonly database: Database;
  readonly events: readonly OutboxEvent[];
  readonly clock: VirtualClock;
  /** Adds over HTTP; gives the call UUID. */
  add(name: string, fields?: object, as?: Caller): Promise<string>;
  /** Adds, and the phone answers. */
  join(name: string, fields?: object, as?: Caller): Promise<string>;
  get(path: string, as?: Caller): Promise<ApiAnswer>;
  post(path: string, body?: object, as?: Caller): Promise<ApiAnswer>;
  remove(path: string, as?: Caller): Promise<ApiAnswer>;
  /** member_id of a call UUID in a live call. */
  memberOf(name: string, callUuid: string): Promise<string>;
  /** The next so many commits of sessions fail, as with a full disk. */
  failCommits(count: number): void;
  /** Another process on the same data at the same time. */
  beside(): Promise<MultipartyWorld>;
  /** Another process on the same data, after the old process died. */
  crash(): Promise<MultipartyWorld>;
}

/** Multiparty calls behind the real HTTP interface, on a real database, with phones and media that a test can look into. */
export async function openMultipartyWorld(
  open: OpenDatabase,
  options: WorldOptions = {},
): Promise<MultipartyWorld> {
  return worldOn(await open(multipartyCallMigrations), open, options);
}

interface WorldOptions {
  readonly isDraining?: () => boolean;
  readonly startAt?: number;
  readonly rates?: RateTable;
}

/** Outside systems and other features, in the hands of the test. */
function createParts() {
  const refusal: { next: 'without-leg' | 'broken' | undefined } = { next: undefined };
  return {
    calls: createScriptedCalls(),
    media: createRecordingMedia(),
    sounds: createScriptedSounds(),
    recordings: createScriptedRecordings(),
    exits: [] as RunOrder[],
    events: [] as OutboxEvent[],
    refusal,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  };
}

type Parts = ReturnType<typeof createParts>;

function createFeature(
  { calls, media, sounds, recordings, exits, refusal, log }: Parts,
  deps: Pick<MultipartyCallsDeps, 'runner' | 'database' | 'clock' | 'isDraining' | 'usage'>,
): MultipartyCallsFeature {
  let lastUuid = 0;
  const run = Math.random().toString(16).slice(2, 10).padEnd(8, '0');
  const feature = createMultipartyCalls({
    ...deps,
    calls,
    media,
    sounds,
    recordings,
    log,
    // Programs take part in `live-agents.test.ts`.
    streams: {
      ownedBy() {},
      start: () => Promise.reject(new Error('streams are tested in live-agents.test.ts')),
      stop() {},
      retrack() {},
    },
    newUuid: () => `${run}-0000-4000-8000-${String(++lastUuid).padStart(12, '0')}`,
  });
  feature.exitDocuments.runBy(async (order) => {
    const refused = refusal.next;
    refusal.next = undefined;
    if (refused === 'broken') throw new Error('the disk is full');
    if (refused === 'without-leg') return false;
    exits.push(order);
    return calls.take(order.leg, { kind: 'document', id: order.leg });
  });
  return feature;
}

async function worldOn(
  database: Database,
  open: OpenDatabase,
  { startAt, isDraining = () => false, rates = freeOfCharge }: WorldOptions,
): Promise<MultipartyWorld> {
  const parts = createParts();
  const clock = createVirtualClock();
  const failing = createFailingCommits(database);
  const runner = createSessionRunner({
    database: failing.database,
    clock,
    log: parts.log,
    appendEvents: async (_write, appended) => {
      assertDocumentedEvents(appended);
      parts.events.push(...appended);
    },
  });
  const feature = createFeature(parts, { runner, database, clock, isDraining, usage: createUsage(rates) });
  const opened: OpenDatabase = Object.assign(async () => database, open);
  const api: ApiWorld = await openApi(opened, { routes: feature.routes, clock });
  if (startAt !== undefined) await api.clock.advance(startAt - api.clock.now());

  return {
    ...parts,
    ...requestsOf(parts, api, runner),
    api,
    refuseNextExit(how) {
      parts.refusal.next = how;
    },
    runner,
    feature,
    database,
    clock: api.clock,
    failCommits: failing.fail,
    beside: () => worldOn(database, open, {}),
    async crash() {
      const now = api.clock.now();
      await api.app.close();
      return worldOn(await open.again(database), open, { startAt: now });
    },
  };
}

type Requests = Pick<MultipartyWorld, 'add' | 'join' | 'get' | 'post' | 'remove' | 'memberOf'>;

function requestsOf({ calls }: Parts, api: ApiWorld, runner: SessionRunner): Requests {
  const requests: Requests = {
    async add(name, fields = {}, as = api.main) {
      const path = `MultiPartyCall/name_${encodeURIComponent(name)}/Participant/`;
      const { status, body } = await requests.post(path, { ...agent, ...fields }, as);
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      await runner.idle();
      return body.calls[0].call_uuid;
    },
    async join(name, fields, as) {
      const leg = await requests.add(name, fields, as);
      calls.answer(leg);
      await runner.idle();
      return leg;
    },
    get: (path, as = api.main) => api.call('GET', path, { as }),
    post: (path, body = {}, as = api.main) => api.call('POST', path, { body, as }),
    remove: (path, as = api.main) => api.call('DELETE', path, { as }),
    async memberOf(name, callUuid) {
      const path = `MultiPartyCall/name_${encodeURIComponent(name)}/Participant/?call_uuid=${callUuid}`;
      return (await requests.get(path)).body.objects[0].member_id;
    },
  };
  return requests;
}
