import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inSimulatedWorld, type SimulatedPhone, type SimulatedWorld } from '@jackfield/testkit';
import {
  callInto,
  ended,
  exitAction,
  exitRequests,
  joined,
  type LinkedCaller,
  linksOf,
  memberOf,
  requestsAfter,
  unlinked,
} from '../support/linked-callers.ts';
import { cluster, nodeAt } from '../support/simulated-nodes.ts';
import { heardSince, recordOf, SimulatedRoom, shareWith, whoHearsWhom } from '../support/simulated-room.ts';

const names = ['ann', 'bob', 'cid', 'dan'];

/** Callers of nodes 0, 1 and 2 in one room, whose home is node 0. */
async function threeCallers(
  world: SimulatedWorld,
  more: readonly Readonly<Record<string, string>>[] = [],
  phones: 'anywhere' | 'at the nodes of their calls' = 'anywhere',
): Promise<readonly LinkedCaller[]> {
  const callers: LinkedCaller[] = [];
  for (const number of [0, 1, 2]) {
    const phone = await world.phone(names[number]!, phones === 'anywhere' ? {} : { node: number });
    callers.push(await callInto(world, nodeAt(world, number), phone, { role: 'agent', ...more[number] }));
    await joined(world, number + 1);
  }
  return callers;
}

const phonesOf = (callers: readonly LinkedCaller[]): SimulatedPhone[] => callers.map(({ phone }) => phone);
const all = [
  [1, 2],
  [0, 2],
  [0, 1],
];

const on = (seed: number, run: (world: SimulatedWorld) => Promise<void>) =>
  inSimulatedWorld({ seed, nodes: 3 }, run);

describe('callers of three nodes whose documents join one multiparty call', () => {
  for (const seed of [1, 2, 3])
    it(`each hears the others, each leg stays at its node, and either side hangs up (seed ${seed})`, () =>
      on(seed, async (world) => {
        const callers = await threeCallers(world);
        assert.deepEqual(cluster(world).nodes.map(linksOf), [
          [2, 0],
          [0, 1],
          [0, 1],
        ]);
        assert.deepEqual(await whoHearsWhom(world, phonesOf(callers)), all);
        const relayed = cluster(world).nodes.map(({ media }) => media.counters.relayed);
        assert.ok(relayed[1]! > 0 && relayed[2]! > 0, 'the homes of the legs pass packets undecoded');
        callers[1]!.phone.hangUp();
        await joined(world, 2);
        assert.deepEqual(await whoHearsWhom(world, phonesOf(callers)), [[2], [], [0]]);
        await ended(world, callers);
      }));

  it('a coach of another node is heard by the agent alone', () =>
    on(4, async (world) => {
      const callers = await threeCallers(world, [
        { role: 'agent' },
        { role: 'supervisor', coachMode: 'true' },
        { role: 'customer' },
      ]);
      assert.deepEqual(await whoHearsWhom(world, phonesOf(callers)), [[1, 2], [0, 2], [0]]);
      await ended(world, callers);
      const [, coach, customer] = callers.map(({ phone }) => phone);
      assert.equal(shareWith(heardSince(customer!, 0), coach!.toneHz), 0);
    }));

  it('mute, hold and their end reach a leg of another node through any node', () =>
    on(5, async (world) => {
      const callers = await threeCallers(world);
      const room = new SimulatedRoom(world);
      const bob = await memberOf(world, callers[1]!);
      await room.change(bob, { mute: true });
      assert.deepEqual(await whoHearsWhom(world, phonesOf(callers)), [[2], [0, 2], [0]]);
      await room.change(bob, { mute: false, hold: true, hold_music_url: 'none' });
      assert.deepEqual((await whoHearsWhom(world, phonesOf(callers)))[0], [2]);
      await room.change(bob, { hold: false });
      assert.deepEqual(await whoHearsWhom(world, phonesOf(callers)), all);
      await ended(world, callers);
    }));

  it('a member who is kicked goes on with its document, which is asked once with what happened in the call', () =>
    on(6, async (world) => {
      const callers = await threeCallers(world, [{}, exitAction]);
      const bob = callers[1]!;
      await new SimulatedRoom(world).kick(await memberOf(world, bob));
      await world.until('the request', () => exitRequests(world, bob).length > 0);
      assert.deepEqual(await whoHearsWhom(world, phonesOf(callers)), [[2], [], [0]]);
      assert.equal(exitRequests(world, bob).length, 1);
      assert.equal(exitRequests(world, bob)[0]!.ParticipantExitCause, 'Kicked Out of Multiparty Call');
      assert.equal(bob.phone.call?.isUp, true);
      await ended(world, callers);
    }));

  it('the end of the multiparty call gives every leg back to its document', () =>
    on(7, async (world) => {
      const callers = await threeCallers(world);
      await new SimulatedRoom(world).end();
      await world.until('the next documents', () =>
        callers.every((caller) => requestsAfter(world, caller).length === 1),
      );
      await unlinked(world);
      assert.deepEqual(await whoHearsWhom(world, phonesOf(callers)), [[], [], []]);
      await ended(world, callers);
    }));

  it('keys of a leg reach the multiparty call once, and its own keys the phone', () =>
    on(8, async (world) => {
      const keys = { relayDTMFInputs: 'true' };
      const callers = await threeCallers(world, [keys, keys, keys]);
      const heard = () => callers.map(({ phone }) => phone.call!.audio.keysHeard.join(''));
      callers[1]!.phone.call!.press('5');
      await world.until('the key at the others', () => heard()[0] !== '' && heard()[2] !== '');
      await world.advance(500);
      assert.deepEqual(heard(), ['5', '', '5']);
      await ended(world, callers);
    }));

  it('keys of a leg reach the streams of the multiparty call once, and keys of its streams the phone', () =>
    on(9, async (world) => {
      const callers = await threeCallers(world);
      const [, bob] = callers;
      const home = nodeAt(world, 0);
      bob!.phone.call!.press('55');
      await world.until('the keys', () => home.streams.pressed.length === 2);
      await world.advance(500);
      assert.deepEqual(
        home.streams.pressed.map(({ leg, digit }) => [leg, digit]),
        [
          [bob!.callUuid, '5'],
          [bob!.callUuid, '5'],
        ],
      );
      // As a stream presses them in the media worker.
      home.media.send({ do: 'send-digits', leg: bob!.callUuid, digits: '1#' });
      await world.until('the keys at the phone', () => bob!.phone.call!.audio.keysHeard.length === 2);
      assert.deepEqual(
        callers.map(({ phone }) => phone.call!.audio.keysHeard.join('')),
        ['', '1#', ''],
      );
      await ended(world, callers);
    }));
});

describe('a link when a node or a message is lost', () => {
  it('the node of the multiparty call is killed: the other legs go on with their documents', () =>
    on(11, async (world) => {
      const callers = await threeCallers(world, [{}, exitAction]);
      const [, bob, cid] = callers;
      await cluster(world).kill(nodeAt(world, 0));
      await world.until('the next documents', () => exitRequests(world, bob!).length > 0, 20_000);
      await world.until('the next document', () => requestsAfter(world, cid!).length === 1, 20_000);
      assert.equal(exitRequests(world, bob!)[0]!.ParticipantExitCause, 'Multiparty Call Ended');
      assert.deepEqual([bob!.phone.call?.isUp, cid!.phone.call?.isUp], [true, true]);
      await ended(world, callers);
      // A phone that was connected to the killed node gives its BYE up (RFC 3261 §17.1.2.2, timer F).
      await world.advance(35_000);
    }));

  it('the node of a leg is killed: its participant leaves, and the others go on', () =>
    on(12, async (world) => {
      // Of a phone elsewhere that is connected to the killed node, the hangup would be lost.
      const callers = await threeCallers(world, [], 'at the nodes of their calls');
      await cluster(world).kill(callers[1]!.node);
      await joined(world, 2);
      assert.deepEqual((await whoHearsWhom(world, phonesOf(callers))).slice(0, 1), [[2]]);
      const { ended_at, hangup_code } = await recordOf(world, callers[1]!.callUuid);
      assert.ok(ended_at !== null);
      assert.equal(hangup_code, 5010);
      await ended(world, callers);
    }));

  it('orders that are lost, doubled and overtaken are carried out once each', () =>
    on(13, async (world) => {
      const { bus } = cluster(world);
      // Without loss: a request to join is repeated once, and where both are lost its document goes on.
      bus.impair({ duplicateRate: 0.3, delayMs: 5, jitterMs: 60 });
      const callers = await threeCallers(world, [{}, exitAction, exitAction]);
      assert.deepEqual(await whoHearsWhom(world, phonesOf(callers)), all);
      const room = new SimulatedRoom(world);
      bus.impair({});
      const [, bob, cid] = callers;
      const [one, other] = [await memberOf(world, bob!), await memberOf(world, cid!)];
      await room.kick(one);
      bus.impair({ lossRate: 0.5, duplicateRate: 0.3 });
      await world.until('the request', () => exitRequests(world, bob!).length > 0, 30_000);
      bus.impair({});
      await room.kick(other);
      await world.until('the request', () => exitRequests(world, cid!).length > 0, 30_000);
      await unlinked(world);
      assert.deepEqual([exitRequests(world, bob!).length, exitRequests(world, cid!).length], [1, 1]);
      await ended(world, callers);
    }));

  it('nodes that are parted: audio goes on, and an order is carried out when they reach each other again', () =>
    on(14, async (world) => {
      const callers = await threeCallers(world, [{}, exitAction]);
      const bob = callers[1]!;
      const member = await memberOf(world, bob);
      cluster(world).part(nodeAt(world, 0), nodeAt(world, 1));
      assert.deepEqual(await whoHearsWhom(world, phonesOf(callers)), all);
      const kicked = await nodeAt(world, 0).call('DELETE', `MultiPartyCall/name_room/Participant/${member}/`);
      assert.equal(kicked.status, 204);
      assert.deepEqual(await whoHearsWhom(world, phonesOf(callers)), [[2], [], [0]]);
      assert.equal(exitRequests(world, bob).length, 0);
      cluster(world).bus.mend();
      await world.until('the request', () => exitRequests(world, bob).length > 0, 5_000);
      await ended(world, callers);
    }));

  it('a leg whose node is cut off before it says that it is linked goes on with its document after ten seconds', () =>
    on(15, async (world) => {
      const { bus } = cluster(world);
      const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
      const [home, node] = [nodeAt(world, 0), nodeAt(world, 1)];
      const callers = [await callInto(world, home, ann, { role: 'agent' })];
      await joined(world, 1);
      bus.impair({ delayMs: 200 });
      callers.push(await callInto(world, node, bob, { role: 'agent', ...exitAction }));
      await world.until('the leg is admitted', () => linksOf(home)[0] === 1);
      cluster(world).partOneWay(node, home);
      bus.impair({});
      await world.until('the leg is linked', () => linksOf(node)[1] === 1);
      const [, caller] = callers as [LinkedCaller, LinkedCaller];
      await world.until('the next document', () => exitRequests(world, caller).length > 0, 11_000);
      assert.equal(exitRequests(world, caller)[0]!.ParticipantExitCause, 'Multiparty Call Ended');
      const mixes = node.media.orders.mixes.filter((mix) => mix.startsWith('media-link/'));
      assert.deepEqual(mixes, [], 'the leg is bridged no more');
      bus.mend();
      await unlinked(world);
      await joined(world, 1);
      assert.equal(exitRequests(world, caller).length, 1);
      await ended(world, callers);
    }));
});
