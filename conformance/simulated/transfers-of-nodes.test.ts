import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  inSimulatedWorld,
  type PhoneCall,
  type SimulatedPhone,
  type SimulatedWorld,
} from '@jackfield/testkit';
import { callInto, joined, linksOf, unlinked } from '../support/linked-callers.ts';
import { cluster, legsOf, nodeAt } from '../support/simulated-nodes.ts';
import { shareWith, whoHearsWhom } from '../support/simulated-room.ts';

const on = (seed: number, run: (world: SimulatedWorld) => Promise<void>) =>
  inSimulatedWorld({ seed, nodes: 3 }, run);

/** The calls of one conversation, as its two phones have them. */
interface Conversation {
  readonly caller: PhoneCall;
  readonly callee: PhoneCall;
}

/** Calls through the node with this number, where both legs live. */
async function talk(
  world: SimulatedWorld,
  number: number,
  caller: SimulatedPhone,
  callee: SimulatedPhone,
): Promise<Conversation> {
  caller.registrar = { ...caller.registrar, address: `10.0.0.${number + 1}` };
  const call = caller.dial(callee.username);
  await world.until('the answer', () => call.isUp && callee.call?.isUp === true, 40_000);
  return { caller: call, callee: callee.call! };
}

type Four = readonly [SimulatedPhone, SimulatedPhone, SimulatedPhone, SimulatedPhone];

async function phonesOf(world: SimulatedWorld): Promise<Four> {
  const ann = await world.phone('ann');
  const bob = await world.phone('bob');
  const cid = await world.phone('cid');
  return [ann, bob, cid, await world.phone('dan')];
}

interface Consultation {
  readonly four: Four;
  readonly first: Conversation;
  readonly second: Conversation;
}

/** Ann talks with Bob at node 0 and with Cid at node 1. */
async function consulting(world: SimulatedWorld): Promise<Consultation> {
  const four = await phonesOf(world);
  const [ann, bob, cid] = four;
  const first = await talk(world, 0, ann, bob);
  const second = await talk(world, 1, ann, cid);
  assert.deepEqual(cluster(world).nodes.map(legsOf), [2, 2, 0]);
  return { four, first, second };
}

/** Which phones are heard in each of these calls. */
async function heardIn(
  world: SimulatedWorld,
  phones: readonly SimulatedPhone[],
  calls: readonly PhoneCall[],
): Promise<readonly (readonly number[])[]> {
  await world.advance(200);
  const since = world.now();
  await world.advance(400);
  return calls.map(({ heard }) => {
    const frames = heard.filter(({ at }) => at >= since);
    return phones.flatMap(({ toneHz }, index) => {
      const share = shareWith(frames, toneHz);
      assert.ok(share === 0 || share > 0.9, `${toneHz} Hz is heard in a share of ${share}`);
      return share > 0 ? [index] : [];
    });
  });
}

const untouched = async (world: SimulatedWorld, { four, first, second }: Consultation) =>
  assert.deepEqual(await heardIn(world, four, [first.caller, first.callee, second.caller, second.callee]), [
    [1],
    [0],
    [2],
    [0],
  ]);

const isOver = (...calls: readonly PhoneCall[]) => calls.every(({ end }) => end !== undefined);
const last = ({ transferStatuses }: PhoneCall) => transferStatuses.at(-1);

/** The ended calls as `from to code source`, with the names of the phones. */
async function records(world: SimulatedWorld, phones: readonly SimulatedPhone[]): Promise<string[]> {
  await world.until('no live call', async () => {
    const { body } = await world.api('GET', 'Call/?status=live');
    return body.calls.length === 0;
  });
  const { body } = await world.api('GET', 'Call/?limit=20');
  const named = (party: string) =>
    'ann bob cid dan'.split(' ').find((_, at) => party.includes(phones[at]?.username ?? '-')) ?? party;
  return body.objects
    .map((call: Record<string, string>) =>
      [
        named(call.from_number ?? ''),
        named(call.to_number ?? ''),
        call.hangup_cause_code,
        call.hangup_source,
      ].join(' '),
    )
    .sort();
}

async function hangUpAll(world: SimulatedWorld, phones: readonly SimulatedPhone[]): Promise<void> {
  for (const phone of phones) phone.hangUp();
  await world.until('every call is over', () => isOver(...phones.flatMap(({ calls }) => calls)), 40_000);
  await unlinked(world);
}

describe('a phone joins the other parties of its calls at two nodes', () => {
  for (const seed of [31, 32])
    it(`both of its calls end, the two hear each other, and either hangs up (seed ${seed})`, () =>
      on(seed, async (world) => {
        const { four, first, second } = await consulting(world);
        first.caller.transfer(second.caller);
        await world.until('both calls of Ann end', () => isOver(first.caller, second.caller));
        assert.deepEqual(first.caller.transferStatuses, [202, 100, 200]);
        assert.deepEqual(cluster(world).nodes.map(linksOf), [
          [1, 0],
          [0, 1],
          [0, 0],
        ]);
        assert.deepEqual(await whoHearsWhom(world, four), [[], [2], [1], []]);
        const [stays, moved] = [first.callee, second.callee];
        (seed === 31 ? stays : moved).hangUp();
        await world.until('the other one is hung up', () => isOver(stays, moved));
        await unlinked(world);
        const ends = [
          'ann bob 4000 Caller',
          `ann bob 4000 ${seed === 31 ? 'Call recipient' : 'Caller'}`,
          'ann cid 4000 Call recipient',
          'ann cid 4000 Caller',
        ];
        assert.deepEqual(await records(world, four), ends.sort());
      }));

  it('in the call at the other node too, and in a received call', () =>
    on(33, async (world) => {
      const four = await phonesOf(world);
      const [ann, bob, cid] = four;
      const first = await talk(world, 0, ann, bob);
      const second = await talk(world, 1, cid, ann);
      second.callee.transfer(first.caller);
      await world.until('both calls of Ann end', () => isOver(first.caller, second.callee));
      assert.deepEqual(second.callee.transferStatuses, [202, 100, 200]);
      assert.deepEqual(await whoHearsWhom(world, four), [[], [2], [1], []]);
      await hangUpAll(world, four);
    }));

  it('a document goes on with its caller, whichever call has the REFER, and ends its Dial with the party that came', async () => {
    for (const isFirst of [true, false])
      await on(34, async (world) => {
        const four = await phonesOf(world);
        const [ann, bob, cid] = four;
        const url = 'https://customer.example.com/';
        world.customer.serve(
          `${url}dial`,
          `<Response><Dial action="${url}dialled"><User>sip:${ann.username}@sip.example.com</User></Dial></Response>`,
        );
        world.customer.serve(`${url}dialled`, '<Response><Wait length="1800"/></Response>');
        const body = { from: '+12025550000', to: bob.username, answer_url: `${url}dial` };
        assert.equal((await nodeAt(world, 0).call('POST', 'Call/', { body })).status, 201);
        await world.until('Ann is dialled', () => ann.call?.isUp === true, 40_000);
        const dialled = ann.call!;
        const { caller } = await talk(world, 1, ann, cid);
        const [with_, of] = isFirst ? [dialled, caller] : [caller, dialled];
        with_.transfer(of);
        await world.until('both calls of Ann end', () => isOver(dialled, caller));
        assert.equal(last(with_), 200);
        // The document runs on the leg of Bob, so that of Cid moves.
        assert.deepEqual(cluster(world).nodes.map(linksOf).slice(0, 2), [
          [1, 0],
          [0, 1],
        ]);
        assert.deepEqual(await whoHearsWhom(world, four), [[], [2], [1], []]);
        cid.hangUp();
        await world.until('the action', () => world.customer.requests.at(-1)?.url === `${url}dialled`);
        assert.equal(world.customer.requests.at(-1)?.fields.DialStatus, 'completed');
        assert.equal(bob.call?.isUp, true);
        await hangUpAll(world, four);
      });
  });

  it('the party that stayed transfers again: to a phone, and to its own call at a third node', () =>
    on(35, async (world) => {
      const { four, first, second } = await consulting(world);
      const [, bob, cid, dan] = four;
      first.caller.transfer(second.caller);
      await world.until('both calls of Ann end', () => isOver(first.caller, second.caller));
      const third = await talk(world, 2, bob, dan);
      third.caller.transfer(first.callee);
      await world.until('both calls of Bob end', () => isOver(first.callee, third.caller));
      assert.equal(last(third.caller), 200);
      assert.deepEqual(cluster(world).nodes.map(linksOf), [
        [2, 0],
        [0, 1],
        [0, 1],
      ]);
      assert.deepEqual(await whoHearsWhom(world, four), [[], [], [3], [2]]);
      assert.equal(cid.call?.isUp, true);
      await hangUpAll(world, four);
    }));

  it('the party that came transfers too: to a phone', () =>
    on(38, async (world) => {
      const { four, first, second } = await consulting(world);
      first.caller.transfer(second.caller);
      await world.until('both calls of Ann end', () => isOver(first.caller, second.caller));
      second.callee.transfer(`sip:${four[3].username}@sip.example.com`);
      await world.until('the call of Cid ends', () => isOver(second.callee), 40_000);
      const statuses = second.callee.transferStatuses;
      assert.deepEqual([statuses[0], statuses.at(-1)], [202, 200]);
      assert.deepEqual(await whoHearsWhom(world, four), [[], [3], [], [1]]);
      await unlinked(world);
      await hangUpAll(world, four);
    }));

  for (const number of [1, 2])
    it(`and to its own call at node ${number}`, () =>
      on(39, async (world) => {
        const { four, first, second } = await consulting(world);
        const [, , cid, dan] = four;
        first.caller.transfer(second.caller);
        await world.until('both calls of Ann end', () => isOver(first.caller, second.caller));
        const third = await talk(world, number, cid, dan);
        second.callee.transfer(third.caller);
        await world.until('both calls of Cid end', () => isOver(second.callee, third.caller), 10_000);
        assert.equal(last(second.callee), 200);
        assert.deepEqual(await whoHearsWhom(world, four), [[], [3], [], [1]]);
        await hangUpAll(world, four);
      }));
});

describe('a phone takes the place of another one in a call of another node', () => {
  it('its INVITE is answered there, and no audio travels between the nodes', () =>
    on(36, async (world) => {
      const four = await phonesOf(world);
      const [ann, bob, , dan] = four;
      const { caller, callee } = await talk(world, 0, ann, bob);
      dan.registrar = { ...dan.registrar, address: '10.0.0.2' };
      const taking = dan.dial(bob.username, undefined, caller.replaces);
      await world.until('the call of Ann ends', () => isOver(caller) && taking.isUp);
      assert.deepEqual(cluster(world).nodes.map(legsOf), [2, 0, 0]);
      assert.deepEqual(await whoHearsWhom(world, four), [[], [3], [], [1]]);
      taking.hangUp();
      await world.until('Bob is hung up', () => isOver(taking, callee));
      await unlinked(world);
    }));

  it('gets 481 when that node has ended', () =>
    on(37, async (world) => {
      const [ann, bob, , dan] = await phonesOf(world);
      const { caller } = await talk(world, 0, ann, bob);
      const { replaces } = caller;
      await cluster(world).kill(nodeAt(world, 0));
      dan.registrar = { ...dan.registrar, address: '10.0.0.2' };
      await world.until('it is succeeded', () => isOver(caller), 20_000);
      const taking = dan.dial(bob.username, undefined, replaces);
      await world.until('the refusal', () => isOver(taking));
      assert.deepEqual(
        [taking.end?.by, taking.end?.by === 'rejected' && taking.end.status],
        ['rejected', 481],
      );
      await world.advance(35_000);
    }));
});

describe('a transfer between two nodes that is refused', () => {
  it('leaves both calls: nodes that are parted, the call of another phone, a call that has ended', () =>
    on(41, async (world) => {
      const calls = await consulting(world);
      const { four, first, second } = calls;
      const [, bob, , dan] = four;
      const third = await talk(world, 2, dan, bob);
      cluster(world).part(nodeAt(world, 0), nodeAt(world, 1));
      first.caller.transfer(second.caller);
      await world.until('the answer', () => last(first.caller) !== undefined, 20_000);
      cluster(world).bus.mend();
      third.caller.transfer(second.caller);
      await world.until('the answer', () => last(third.caller) !== undefined);
      const { replaces } = third.caller;
      third.caller.hangUp();
      await world.until('it is over', () => isOver(third.caller, third.callee));
      second.caller.transfer({ replaces });
      await world.until('the answer', () => last(second.caller) !== undefined);
      assert.deepEqual([first.caller, third.caller, second.caller].map(last), [603, 603, 603]);
      await untouched(world, calls);
      await hangUpAll(world, four);
    }));

  it('a call in a multiparty call is not transferred, and no customer hears its coach', () =>
    on(42, async (world) => {
      const four = await phonesOf(world);
      const [ann, bob, cid, dan] = four;
      await callInto(world, nodeAt(world, 0), cid, { role: 'agent' });
      await joined(world, 1);
      await callInto(world, nodeAt(world, 1), ann, { role: 'supervisor', coachMode: 'true' });
      await callInto(world, nodeAt(world, 2), dan, { role: 'customer' });
      await joined(world, 3);
      const coaching = ann.call!;
      const { caller } = await talk(world, 2, ann, bob);
      for (const [with_, of] of [
        [caller, coaching],
        [coaching, caller],
      ] as const) {
        with_.transfer(of);
        await world.until('the answer', () => last(with_) !== undefined);
        assert.deepEqual(with_.transferStatuses, [603]);
      }
      const all = [coaching, cid.call!, dan.call!, caller, bob.call!];
      assert.deepEqual(await heardIn(world, four, all), [[2, 3], [0, 3], [2], [1], [0]]);
      await hangUpAll(world, four);
    }));

  it('leaves both calls when the answer between the nodes is lost, and reports 480', () =>
    on(43, async (world) => {
      const { bus } = cluster(world);
      const calls = await consulting(world);
      const { four, first, second } = calls;
      bus.impair({ delayMs: 200 });
      first.caller.transfer(second.caller);
      await world.until('the leg is admitted', () => linksOf(nodeAt(world, 0))[0] === 1, 10_000);
      cluster(world).partOneWay(nodeAt(world, 0), nodeAt(world, 1));
      bus.impair({});
      await untouched(world, calls);
      await world.until('the outcome', () => last(first.caller) !== 100, 15_000);
      assert.deepEqual(first.caller.transferStatuses, [202, 100, 480]);
      bus.mend();
      await unlinked(world);
      await untouched(world, calls);
      await hangUpAll(world, four);
    }));
});

describe('parties of two nodes when a node or a message is lost', () => {
  it('messages that are lost, doubled and overtaken join them once', () =>
    on(44, async (world) => {
      const { bus } = cluster(world);
      const calls = await consulting(world);
      const { four, first, second } = calls;
      bus.impair({ lossRate: 0.2, duplicateRate: 0.3, delayMs: 5, jitterMs: 60 });
      // A request is repeated once: where both are lost the transfer is refused, and Ann tries again.
      for (let tries = 1; last(first.caller) !== 200; tries++) {
        assert.ok(tries <= 5, `${first.caller.transferStatuses} of ${tries - 1} transfers`);
        if (tries > 1) {
          await world.advance(11_000);
          await untouched(world, calls);
        }
        const before = first.caller.transferStatuses.length;
        first.caller.transfer(second.caller);
        const statuses = () => first.caller.transferStatuses.slice(before);
        await world.until('the outcome', () => [200, 480, 603].includes(statuses().at(-1) ?? 0), 40_000);
      }
      await world.until('both calls of Ann end', () => isOver(first.caller, second.caller), 40_000);
      assert.deepEqual(await whoHearsWhom(world, four), [[], [2], [1], []]);
      bus.impair({});
      await hangUpAll(world, four);
    }));

  for (const [title, dead, survivor] of [
    ['of the conversation', 0, 'cid'],
    ['of the party that came', 1, 'bob'],
  ] as const)
    it(`the node ${title} is killed: the other party is hung up`, () =>
      on(45, async (world) => {
        const { first, second } = await consulting(world);
        first.caller.transfer(second.caller);
        await world.until('both calls of Ann end', () => isOver(first.caller, second.caller));
        await cluster(world).kill(nodeAt(world, dead));
        const left = survivor === 'cid' ? second.callee : first.callee;
        await world.until(`${survivor} is hung up`, () => isOver(left), 20_000);
        await world.until('the successor hangs up', () => isOver(first.callee, second.callee), 20_000);
        await unlinked(world);
        await world.advance(35_000);
      }));
});
