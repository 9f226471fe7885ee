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
  waitingCall,
} from '../support/linked-callers.ts';
import { cluster, nodeAt } from '../support/simulated-nodes.ts';
import { recordOf, SimulatedRoom, whoHearsWhom } from '../support/simulated-room.ts';

/** Ann in the room, which lives at node 0, and calls of nodes 1 and 2 that wait in their documents. */
async function roomAndCalls(
  world: SimulatedWorld,
  attributes: Readonly<Record<string, string>> = {},
): Promise<readonly [LinkedCaller, LinkedCaller, LinkedCaller]> {
  const [ann, bob, cid] = [await world.phone('ann'), await world.phone('bob'), await world.phone('cid')];
  const first = await callInto(world, nodeAt(world, 0), ann, { role: 'agent', ...attributes });
  await joined(world, 1);
  const second = await waitingCall(world, nodeAt(world, 1), bob);
  return [first, second, await waitingCall(world, nodeAt(world, 2), cid)];
}

/** The request enters at any node. */
async function moved(world: SimulatedWorld, { callUuid }: LinkedCaller, more: object = {}, room = 'room') {
  return world.api('POST', `MultiPartyCall/name_${room}/Participant/`, {
    role: 'agent',
    call_uuid: callUuid,
    enter_sound: 'none',
    exit_sound: 'none',
    stay_alone: true,
    ...more,
  });
}

const phonesOf = (callers: readonly LinkedCaller[]): SimulatedPhone[] => callers.map(({ phone }) => phone);

const on = (seed: number, run: (world: SimulatedWorld) => Promise<void>) =>
  inSimulatedWorld({ seed, nodes: 3 }, run);

describe('a request moves a live call into a multiparty call of another node', () => {
  it('the call leaves its document, each hears the others, and a kick hangs it up', () =>
    on(21, async (world) => {
      const callers = await roomAndCalls(world);
      const [, bob, cid] = callers;
      for (const [caller, count] of [
        [bob, 2],
        [cid, 3],
      ] as const) {
        const { status, body } = await moved(world, caller);
        assert.equal(status, 201, JSON.stringify(body));
        assert.deepEqual(body.calls, [
          { to: caller.phone.username, from: '+12025550000', call_uuid: caller.callUuid },
        ]);
        await joined(world, count);
      }
      assert.deepEqual(await whoHearsWhom(world, phonesOf(callers)), [
        [1, 2],
        [0, 2],
        [0, 1],
      ]);
      assert.deepEqual(cluster(world).nodes.map(linksOf), [
        [2, 0],
        [0, 1],
        [0, 1],
      ]);
      await new SimulatedRoom(world).kick(await memberOf(world, bob));
      await world.until('bob is hung up', () => bob.phone.call?.end !== undefined);
      assert.equal((await recordOf(world, bob.callUuid)).hangup_code, 4030);
      cid.phone.hangUp();
      await joined(world, 1);
      assert.equal((await recordOf(world, cid.callUuid)).hangup_code, 4000);
      assert.deepEqual(
        [bob, cid].map((caller) => requestsAfter(world, caller).length),
        [0, 0],
      );
      await ended(world, callers.slice(0, 1));
    }));

  it('its exit action runs at its node', () =>
    on(22, async (world) => {
      const callers = await roomAndCalls(world);
      const [, bob, cid] = callers;
      assert.equal((await moved(world, bob, { on_exit_action_url: exitAction.onExitActionUrl })).status, 201);
      await joined(world, 2);
      await new SimulatedRoom(world).end();
      await world.until('the request', () => exitRequests(world, bob).length > 0);
      await unlinked(world);
      assert.equal(exitRequests(world, bob).length, 1);
      assert.equal(exitRequests(world, bob)[0]!.ParticipantExitCause, 'Multiparty Call Ended');
      assert.deepEqual([bob.phone.call?.isUp, cid.phone.call?.isUp], [true, true]);
      await ended(world, callers);
    }));

  it('it moves on: to another one of that node, to one of a third node, and to one of its own node', () =>
    on(23, async (world) => {
      const callers = await roomAndCalls(world);
      const [ann, bob, cid] = callers;
      const dan = { phone: await world.phone('dan') };
      const four = [...phonesOf(callers), dan.phone];
      const other = await callInto(world, nodeAt(world, 0), dan.phone, { role: 'agent' }, 'other');
      await joined(world, 1, 'other');
      assert.equal((await moved(world, cid, {}, 'third')).status, 201);
      await joined(world, 1, 'third');
      const hears = async (room: string, expected: readonly (readonly number[])[]) => {
        assert.equal((await moved(world, bob, {}, room)).status, 201);
        await joined(world, 2, room);
        assert.deepEqual(await whoHearsWhom(world, four), expected, room);
      };
      await hears('room', [[1], [0], [], []]);
      await hears('other', [[], [3], [], [1]]);
      await hears('third', [[], [2], [1], []]);
      assert.equal((await moved(world, bob, {}, 'own')).status, 201);
      await joined(world, 1, 'own');
      await unlinked(world);
      assert.equal((await moved(world, ann, {}, 'own')).status, 201);
      await joined(world, 2, 'own');
      assert.deepEqual(await whoHearsWhom(world, four), [[1], [0], [], []]);
      assert.equal(requestsAfter(world, bob).length, 0);
      await ended(world, [...callers, other]);
    }));

  it('a caller whose document has joined is moved within the other node, and its document ends', () =>
    on(24, async (world) => {
      const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
      const callers = [
        await callInto(world, nodeAt(world, 0), ann, { role: 'agent' }),
        await callInto(world, nodeAt(world, 1), bob, { role: 'agent' }),
      ] as const;
      await joined(world, 2);
      assert.equal(
        (
          await nodeAt(world, 0).call('POST', 'MultiPartyCall/name_other/Participant/', {
            body: {
              role: 'agent',
              from: '+12025550000',
              to: (await world.phone('cid')).username,
              enter_sound: 'none',
            },
          })
        ).status,
        201,
      );
      await joined(world, 1, 'other');
      assert.equal((await moved(world, callers[1], {}, 'other')).status, 201);
      await joined(world, 2, 'other');
      await new SimulatedRoom(world, 'other').end();
      await world.until('bob is hung up', () => bob.call?.end !== undefined);
      assert.equal(requestsAfter(world, callers[1]).length, 0);
      assert.equal((await recordOf(world, callers[1].callUuid)).hangup_code, 4020);
      await ended(world, callers.slice(0, 1));
    }));
});

describe('a call that is moved while its multiparty call changes', () => {
  const moving = { role: 'agent', enter_sound: 'none', exit_sound: 'none' };

  it('is heard in another one of the node that has borrowed it', () =>
    on(29, async (world) => {
      const [ann, bob, dan] = [await world.phone('ann'), await world.phone('bob'), await world.phone('dan')];
      const callers = [
        await callInto(world, nodeAt(world, 0), ann, { role: 'agent' }),
        await callInto(world, nodeAt(world, 0), dan, { role: 'customer', stayAlone: 'true' }, 'near'),
        await callInto(world, nodeAt(world, 1), bob, { role: 'agent' }, 'near'),
      ] as const;
      await joined(world, 1);
      await joined(world, 2, 'near');
      const near = `MultiPartyCall/name_near/Participant/${await memberOf(world, callers[1], 'near')}/`;
      const { call } = nodeAt(world, 0);
      const requests = [true, false, true, false].map((mute) => call('POST', near, { body: { mute } }));
      const body = { ...moving, call_uuid: callers[2].callUuid };
      requests.push(call('POST', 'MultiPartyCall/name_room/Participant/', { body }));
      await world.advance(1000);
      assert.deepEqual(
        (await Promise.all(requests)).map(({ status }) => status),
        [202, 202, 202, 202, 201],
      );
      await joined(world, 2);
      assert.deepEqual(await whoHearsWhom(world, phonesOf(callers)), [[2], [], [0]]);
      await ended(world, callers);
    }));

  it('is heard at the other node, whatever its own node still has to record', () =>
    on(28, async (world) => {
      const [ann, bob, dan] = [await world.phone('ann'), await world.phone('bob'), await world.phone('dan')];
      const callers = [
        await callInto(world, nodeAt(world, 0), ann, { role: 'agent' }),
        await callInto(world, nodeAt(world, 1), bob, { role: 'agent' }, 'near'),
        await callInto(world, nodeAt(world, 1), dan, { role: 'customer', stayAlone: 'true' }, 'near'),
      ] as const;
      await joined(world, 1);
      await joined(world, 2, 'near');
      const path = `MultiPartyCall/name_near/Participant/${await memberOf(world, callers[2], 'near')}/`;
      cluster(world).cutBehindCommit(nodeAt(world, 1));
      const changes = [true, false, true, false].map((mute) =>
        nodeAt(world, 1).call('POST', path, { body: { mute } }),
      );
      const body = { ...moving, call_uuid: callers[1].callUuid };
      const asked = nodeAt(world, 0).call('POST', 'MultiPartyCall/name_room/Participant/', { body });
      await world.advance(400);
      cluster(world).mendDatabase(nodeAt(world, 1));
      await world.advance(1000);
      assert.deepEqual(
        (await Promise.all(changes)).map(({ status }) => status),
        [202, 202, 202, 202],
      );
      assert.equal((await asked).status, 201);
      await joined(world, 2);
      assert.deepEqual(await whoHearsWhom(world, phonesOf(callers)), [[1], [0], []]);
      await ended(world, callers);
    }));
});

describe('a moved call when a node is lost', () => {
  it('without the node of the multiparty call it goes on with its exit action, or is hung up', () =>
    on(25, async (world) => {
      const callers = await roomAndCalls(world);
      const [, bob, cid] = callers;
      assert.equal((await moved(world, bob, { on_exit_action_url: exitAction.onExitActionUrl })).status, 201);
      assert.equal((await moved(world, cid)).status, 201);
      await joined(world, 3);
      await cluster(world).kill(nodeAt(world, 0));
      await world.until('the request', () => exitRequests(world, bob).length > 0, 20_000);
      await world.until('cid is hung up', () => cid.phone.call?.end !== undefined, 20_000);
      assert.equal(exitRequests(world, bob)[0]!.ParticipantExitCause, 'Multiparty Call Ended');
      assert.equal((await recordOf(world, cid.callUuid)).hangup_code, 4020);
      assert.equal(bob.phone.call?.isUp, true);
      await ended(world, callers);
      // A phone that was connected to the killed node gives its BYE up (RFC 3261 §17.1.2.2, timer F).
      await world.advance(35_000);
    }));

  it('without its own node its participant leaves', () =>
    on(26, async (world) => {
      const callers = await roomAndCalls(world);
      const [, bob] = callers;
      assert.equal((await moved(world, bob)).status, 201);
      await joined(world, 2);
      await cluster(world).kill(bob.node);
      await joined(world, 1);
      await ended(world, callers);
      await world.advance(35_000);
    }));
});

describe('a request that does not move a call of another node', () => {
  it('leaves the call with its document: nodes that are parted, a full multiparty call, no answer yet', () =>
    on(27, async (world) => {
      const callers = await roomAndCalls(world, { maxParticipants: '2' });
      const [, bob, cid] = callers;
      cluster(world).part(nodeAt(world, 0), bob.node);
      const home = nodeAt(world, 0);
      const body = { role: 'agent', call_uuid: bob.callUuid };
      const path = 'MultiPartyCall/name_room/Participant/';
      const asked = home.call('POST', path, { body });
      // Until the deadline of the request between the nodes.
      await world.advance(8_000);
      const parted = await asked;
      assert.deepEqual([parted.status, parted.body.error_code], [503, 'unavailable']);
      assert.equal(parted.headers['retry-after'], '2');
      cluster(world).bus.mend();
      const dan = await world.phone('dan');
      dan.behaviour = { does: 'ring' };
      const ringing = await nodeAt(world, 1).call('POST', 'Call/', {
        body: { from: '+12025550000', to: dan.username, answer_url: 'https://customer.example.com/exit' },
      });
      await world.until('dan rings', () => dan.calls.length > 0);
      const unanswered = await home.call('POST', path, {
        body: { ...body, call_uuid: ringing.body.request_uuid },
      });
      assert.deepEqual([unanswered.status, unanswered.body.error_code], [409, 'conflict']);
      assert.equal((await world.api('DELETE', `Request/${ringing.body.request_uuid}/`)).status, 204);
      assert.equal((await moved(world, cid)).status, 201);
      await joined(world, 2);
      const full = await moved(world, bob);
      assert.deepEqual([full.status, full.body.error_code], [400, 'limit-reached']);
      assert.deepEqual(await whoHearsWhom(world, phonesOf(callers)), [[2], [], [0]]);
      assert.equal(bob.phone.call?.isUp, true);
      await ended(world, callers);
    }));
});

describe('a request that comes while the answer of its call is being recorded waits for the record', () => {
  /** Cuts the node off behind the commit of the next answer of this phone. */
  function holdAnswer(world: SimulatedWorld, phone: SimulatedPhone, number: number): void {
    const { cutBehindCommit } = cluster(world);
    phone.behaviour = () => {
      cutBehindCommit(nodeAt(world, number));
      return { does: 'answer' };
    };
  }

  it('call_uuid moves a call of another node', () =>
    on(31, async (world) => {
      const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
      await callInto(world, nodeAt(world, 0), ann, { role: 'agent' });
      await joined(world, 1);
      holdAnswer(world, bob, 1);
      const { callUuid } = await waitingCall(world, nodeAt(world, 1), bob);
      let status: number | undefined;
      const body = { role: 'agent', call_uuid: callUuid, stay_alone: true };
      void nodeAt(world, 0)
        .call('POST', 'MultiPartyCall/name_room/Participant/', { body })
        .then((answer) => {
          ({ status } = answer);
        });
      await world.advance(400);
      const early = status;
      cluster(world).mendDatabase(nodeAt(world, 1));
      assert.equal(early, undefined);
      await world.until('the answer of the API', () => status !== undefined);
      assert.equal(status, 201);
      await joined(world, 2);
      for (const phone of [ann, bob]) phone.hangUp();
      await unlinked(world);
    }));

  it('REFER of the phone that has answered transfers its call', () =>
    on(32, async (world) => {
      const [ann, bob, cid] = [await world.phone('ann'), await world.phone('bob'), await world.phone('cid')];
      holdAnswer(world, bob, 0);
      ann.registrar = { ...ann.registrar, address: '10.0.0.1' };
      ann.dial(bob.username);
      await world.until('the answer', () => bob.call?.isUp);
      bob.call!.transfer(`sip:${cid.username}@sip.example.com`);
      await world.advance(400);
      const early = [...bob.call!.transferStatuses];
      cluster(world).mendDatabase(nodeAt(world, 0));
      assert.deepEqual(early, []);
      await world.until('the outcome', () => bob.call!.transferStatuses.includes(200));
      assert.deepEqual(await whoHearsWhom(world, [ann, bob, cid]), [[2], [], [0]]);
      for (const phone of [ann, cid]) phone.hangUp();
      await world.until('the end', () => [ann, bob, cid].every(({ call }) => call?.end !== undefined));
    }));
});
