import { setTimeout as wait } from 'node:timers/promises';
import type { StartedPlatform } from './benches/api.ts';
import { create, createEndpoints, password } from './benches/endpoints.ts';
import type { Load } from './measure.ts';
import type { Part } from './part.ts';
import type { AddedRun, CallOutcome, CallRun, PhonesStart } from './parts/phones.ts';
import type { PreparedPhones, RegisterOutcome, RegisterRun } from './parts/register-load.ts';

/** A running platform and the parts that load it. */
export interface WorkloadWorld {
  readonly platform: Part;
  readonly started: StartedPlatform;
  /** Starts a part beside the platform, which is stopped with the world. */
  start(part: string): Promise<Part>;
}

/** One kind of work of the platform, as a load that can be repeated. */
export interface Workload {
  readonly name: string;
  readonly what: string;
  /** Creates what the load needs. The returned function runs the load once, with this share of its operations. */
  prepare(world: WorkloadWorld): Promise<(share?: number) => Promise<Load>>;
}

/** The addresses of the loads, for `egressAllow` of the platform. */
export const loadAddresses = ['127.0.0.0/8'];

const phones = 64;
const calls = { count: 2000, atOnce: 32 } satisfies CallRun;
const number = '+14155550123';

export const direct: Workload = {
  name: 'direct',
  what: 'direct calls: INVITE with digest, two legs, bridged, BYE',
  async prepare(world) {
    const { load } = await startPhones(world, 'phone');
    return (share) => untilOver(world.platform, () => load.ask<CallOutcome>('direct', part(calls, share)));
  },
};

export const trunk: Workload = {
  name: 'trunk',
  what: 'calls to a number of an inbound trunk: INVITE with digest, two legs, bridged, BYE',
  async prepare(world) {
    const { started } = world;
    const { load, port } = await startPhones(world, 'trunkphone');
    const { uri_uuid } = await create(started, 'SipTrunk/URI/', { uri: `sip:desk@127.0.0.1:${port}` });
    const inbound = { trunk_direction: 'inbound', primary_uri_uuid: uri_uuid };
    const { trunk_id } = await create(started, 'SipTrunk/Trunk/', inbound);
    await create(started, 'Number/', { number, trunk_id });
    const order = { ...calls, callee: number } satisfies CallRun;
    return (share) => untilOver(world.platform, () => load.ask<CallOutcome>('direct', part(order, share)));
  },
};

export const document: Workload = {
  name: 'document',
  what: 'calls that a document answers: INVITE with digest, HTTP request, one leg, BYE',
  async prepare(world) {
    const server = await world.start('document-server');
    const answer_url = `http://127.0.0.1:${await server.ask<number>('start')}/answer`;
    const application = { app_name: 'bench', answer_url };
    const { app_id } = await create(world.started, 'Application/', application);
    const { load } = await startPhones(world, 'documentphone', app_id);
    const order = { ...calls, callee: 'menu' } satisfies CallRun;
    return (share) => untilOver(world.platform, () => load.ask<CallOutcome>('direct', part(order, share)));
  },
};

export const added: Workload = {
  name: 'added',
  what: 'participants added over HTTP, answered, gone',
  async prepare(world) {
    const { http, authId, authorization } = world.started;
    const { load } = await startPhones(world, 'addedphone');
    const path = `/v1/Account/${authId}/`;
    const order = { ...calls, httpPort: http.port, path, authorization } satisfies AddedRun;
    return (share) => untilOver(world.platform, () => load.ask<CallOutcome>('added', part(order, share)));
  },
};

export const register: Workload = {
  name: 'register',
  what: 'REGISTER with digest over UDP, durable',
  async prepare(world) {
    const { started } = world;
    const load = await world.start('register-load');
    const usernames = (await createEndpoints(started, 400, 'busy')).map(({ username }) => username);
    const on = {
      protocol: 'udp',
      port: started.sip.port,
      usernames,
      password,
      realm: 'sip.localhost',
    } as const;
    await load.ask('open', on satisfies PreparedPhones);
    const order = { count: 20_000, window: 100 } satisfies RegisterRun;
    return async (share) => {
      await load.ask('challenge');
      return load.ask<RegisterOutcome>('run', part(order, share));
    };
  },
};

function part<Order extends { readonly count: number }>(order: Order, share = 1): Order {
  return { ...order, count: Math.round(order.count * share) };
}

/** Registered phones, which load the platform. */
export async function startPhones(
  { started, start }: Omit<WorkloadWorld, 'platform'>,
  prefix: string,
  appId?: string,
) {
  const load = await start('phones');
  const created = await createEndpoints(started, phones, prefix, appId);
  const accounts = created.map(({ username }) => ({ username, password }));
  const port = await load.ask<number>('start', { sipPort: started.sip.port, accounts } satisfies PhonesStart);
  return { load, port, usernames: created.map(({ username }) => username) };
}

/** The last records are written after the phones have hung up; their cost belongs to the calls. */
async function untilOver(platform: Part, load: () => Promise<CallOutcome>): Promise<CallOutcome> {
  const outcome = await load();
  await untilNoLegs(platform);
  return outcome;
}

/** Resolves when the last leg of the platform has ended. */
export async function untilNoLegs(platform: Part): Promise<void> {
  for (;;) {
    const { sip } = await platform.ask<{ readonly sip: { readonly legs: number } }>('census');
    if (sip.legs === 0) return;
    await wait(20);
  }
}
