import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  inSimulatedWorld,
  type SimulatedPhone,
  type SimulatedPlatform,
  type SimulatedWorld,
  toneFile,
} from '@jackfield/testkit';
import type { HttpApi } from '../support/http-api-page.ts';
import { cluster, legsOf, nodeAt } from '../support/simulated-nodes.ts';

interface Live {
  readonly world: SimulatedWorld;
  readonly home: SimulatedPlatform;
  readonly call: string;
  readonly member: string;
  /** Of a phone that rings. */
  readonly ringing: string;
}

interface Row {
  /** Begins at the home node what the request ends; resolves with the identifier of a stream. */
  readonly begin?: (live: Live) => Promise<string | undefined>;
  /** How much of it goes on at the home node. */
  readonly left: (live: Live) => number | Promise<number>;
}

const room = 'MultiPartyCall/name_support/';
const file = 'https://customer.example/sound.wav';
const service_url = 'wss://scribe.example/audio';

const playing = ({ home }: Live) => home.media.orders.plays.length;
const recording = ({ home }: Live) => home.media.orders.captures.size;
const streaming = ({ home }: Live) => home.streams.streams.size;
const legs = async ({ world }: Pick<Live, 'world'>): Promise<number> =>
  (await world.api('GET', 'Call/?status=live')).body.calls.length;
/** Beside two others, which stay. */
const oneOfThree = async (live: Live) => (await legs(live)) - 2;

/** Begins it by a request at the home node. */
const by =
  (path: (live: Live) => string, body: object = {}) =>
  async (live: Live): Promise<string | undefined> => {
    const answer = await live.home.call('POST', path(live), { body });
    assert.ok(answer.status < 300, `${path(live)}: ${JSON.stringify(answer.body)}`);
    await live.world.advance(500);
    return answer.body.stream_id;
  };

const sounds = { Play: { urls: [file], loop: true }, Speak: { text: 'hello '.repeat(50) } };
const ofCall = (rest: string) => (live: Live) => `Call/${live.call}/${rest}`;
const ofMember = (rest: string) => (live: Live) => `${room}Member/${live.member}/${rest}`;
const ofParticipant = (live: Live) => `${room}Participant/${live.member}/Record/`;

/** Every DELETE of something that lives at one node. */
const table: Readonly<Record<string, Row>> = {
  'Call/{call_uuid}/Play/': { begin: by(ofCall('Play/'), sounds.Play), left: playing },
  'Call/{call_uuid}/Speak/': { begin: by(ofCall('Speak/'), sounds.Speak), left: playing },
  'Call/{call_uuid}/Record/': { begin: by(ofCall('Record/')), left: recording },
  'Call/{call_uuid}/Stream/': { begin: by(ofCall('Stream/'), { service_url }), left: streaming },
  'Call/{call_uuid}/Stream/{stream_id}/': { begin: by(ofCall('Stream/'), { service_url }), left: streaming },
  'MultiPartyCall/{mpc}/Member/{member_id}/Play/': {
    begin: by(ofMember('Play/'), sounds.Play),
    left: playing,
  },
  'MultiPartyCall/{mpc}/Member/{member_id}/Speak/': {
    begin: by(ofMember('Speak/'), sounds.Speak),
    left: playing,
  },
  'MultiPartyCall/{mpc}/Participant/{member_id}/Record/': { begin: by(ofParticipant), left: recording },
  'MultiPartyCall/{mpc}/Record/': { begin: by(() => `${room}Record/`), left: recording },
  'MultiPartyCall/{mpc}/Stream/': { begin: by(() => `${room}Stream/`, { service_url }), left: streaming },
  'MultiPartyCall/{mpc}/Stream/{stream_id}/': {
    begin: by(() => `${room}Stream/`, { service_url }),
    left: streaming,
  },
  'Request/{request_uuid}/': { left: oneOfThree },
  'Call/{call_uuid}/': { left: oneOfThree },
  'MultiPartyCall/{mpc}/Participant/{member_id}/': { left: oneOfThree },
  'MultiPartyCall/{mpc}/': { left: oneOfThree },
  'Call/': { left: legs },
};

async function callOf({ call, telephony }: SimulatedPlatform, isAnswered: boolean): Promise<string> {
  const body = { from: '+12025550000', to: '+12025550100', answer_url: 'https://customer.example/wait' };
  const answer = await call('POST', 'Call/', { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  if (isAnswered) telephony?.pickUp(answer.body.request_uuid);
  return answer.body.request_uuid;
}

/** A call, a member of a multiparty call and a ringing call at the home node. */
async function openLive(world: SimulatedWorld, home: SimulatedPlatform): Promise<Live> {
  world.customer.serve('https://customer.example/wait', '<Response><Wait length="600"/></Response>');
  world.customer.serve(file, { status: 200, body: toneFile(500, 60_000) });
  const call = await callOf(home, true);
  const body = {
    role: 'agent',
    from: '+12025550000',
    to: '+12025550100',
    stay_alone: true,
    enter_sound: 'none',
  };
  const added = await home.call('POST', `${room}Participant/`, { body });
  home.telephony?.pickUp(added.body.calls[0].call_uuid);
  await world.advance(500);
  const { objects } = (await world.api('GET', `${room}Participant/`)).body;
  return { world, home, call, member: objects[0].member_id, ringing: await callOf(home, false) };
}

it('Every DELETE through a node where its thing does not live ends that thing, and nothing else', async () => {
  await inSimulatedWorld({ seed: 31, nodes: 3, phones: 'none' }, async (world) => {
    const [home, wrong] = world.cluster?.nodes ?? [];
    assert.ok(home && wrong);
    const { paths } = (await world.call('GET', '/openapi.json')).body as HttpApi;
    const deletes = Object.entries(paths).flatMap(([path, operations]) => {
      const below = path.replace('/v1/Account/{auth_id}/', '');
      return 'delete' in operations && /^(Call|MultiPartyCall|Request)\//.test(below) ? below : [];
    });
    assert.deepEqual(Object.keys(table).sort(), deletes.sort());

    let live: Live | undefined;
    for (const [path, { begin, left }] of Object.entries(table)) {
      if (live === undefined || begin === undefined) {
        await home.call('DELETE', 'Call/');
        await world.advance(500);
        live = await openLive(world, home);
      }
      // A member who is alone hears music.
      const usual = begin === undefined ? 0 : await left(live);
      const stream = await begin?.(live);
      assert.ok((await left(live)) > usual, `${path} has nothing to end`);
      const before = await legs(live);
      const target = path
        .replace('{call_uuid}', live.call)
        .replace('{mpc}', 'name_support')
        .replace('{member_id}', live.member)
        .replace('{request_uuid}', live.ringing)
        .replace('{stream_id}', stream ?? '');
      const { status, body } = await wrong.call('DELETE', target);
      assert.ok(status < 300, `${path}: ${status} ${JSON.stringify(body)}`);
      await world.advance(500);
      assert.equal(await left(live), usual, path);
      if (begin !== undefined) assert.equal(await legs(live), before, path);
    }
  });
});

it('A request whose phone waits for its delay_dial is cancelled through a node where it does not live', async () => {
  await inSimulatedWorld({ seed: 33, nodes: 3, phones: 'none' }, async (world) => {
    const [home, wrong] = world.cluster?.nodes ?? [];
    assert.ok(home && wrong);
    const { member } = await openLive(world, home);
    const body = { role: 'agent', from: '+12025550000', to: '+12025550101', delay_dial: 20 };
    const added = await home.call('POST', `${room}Participant/`, { body });
    const path = `Request/${added.body.request_uuid}/`;
    assert.equal((await wrong.call('DELETE', path)).status, 204);
    assert.equal((await wrong.call('DELETE', path)).status, 404);
    await world.advance(25_000);
    const { objects } = (await world.api('GET', `${room}Participant/`)).body;
    assert.deepEqual(
      objects.map(({ member_id }: { member_id: string }) => member_id),
      [member],
    );
  });
});

for (const [what, isParted] of [
  ['at once', false],
  ['within ten seconds where the bus does not reach their node', true],
] as const)
  it(`A subaccount that is deleted with its resources has its calls of every node hung up, ${what}`, async () => {
    await inSimulatedWorld({ seed: 32, nodes: 3 }, async (world) => {
      const { body } = await world.api('POST', 'Subaccount/', { name: 'Branch' });
      const subaccount = body.auth_id as string;
      world.customer.serve('https://customer.example/wait', '<Response><Wait length="600"/></Response>');
      const phones: SimulatedPhone[] = [];
      for (const [number, account] of [subaccount, subaccount, undefined].entries()) {
        const phone = await world.phone(`phone${number}`, {
          node: number,
          ...(account === undefined ? {} : { subaccount: account }),
        });
        const order = {
          from: '+12025550000',
          to: phone.username,
          answer_url: 'https://customer.example/wait',
        };
        const path = account === undefined ? 'Call/' : `/v1/Account/${account}/Call/`;
        assert.equal((await nodeAt(world, number).call('POST', path, { body: order })).status, 201);
        await world.until('the call', () => phone.call?.isUp === true, 40_000);
        phones.push(phone);
      }
      if (isParted) cluster(world).part(nodeAt(world, 0), nodeAt(world, 1));
      const deleted = await nodeAt(world, 0).call('DELETE', `Subaccount/${subaccount}/?cascade=true`);
      assert.equal(deleted.status, 204);
      await world.until(
        'the calls of the subaccount end',
        () => phones.slice(0, 2).every(({ call }) => call?.end !== undefined),
        isParted ? 11_000 : 1_000,
      );
      cluster(world).bus.mend();
      await world.advance(1_000);
      assert.deepEqual(cluster(world).nodes.map(legsOf), [0, 0, 1]);
      phones[2]?.hangUp();
      await world.until('the last call ends', () => phones[2]?.call?.end !== undefined);
      await world.advance(500);
    });
  });
