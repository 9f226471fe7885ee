import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  eventStreamOf,
  inSimulatedWorld,
  type SimulatedPhone,
  type SimulatedPlatform,
  type SimulatedWorld,
  seededRandom,
} from '@jackfield/testkit';
import { cluster, legsOf } from '../support/simulated-nodes.ts';

const room = 'MultiPartyCall/name_far/';

/** Puts phones into one multiparty call; each request enters at a random node. */
async function gathered(world: SimulatedWorld, names: readonly string[]): Promise<readonly SimulatedPhone[]> {
  const phones: SimulatedPhone[] = [];
  for (const name of names) phones.push(await world.phone(name));
  for (const { username } of phones) {
    const body = { role: 'agent', from: '+12025550000', to: username, stay_alone: true };
    assert.equal((await world.api('POST', `${room}Participant/`, body)).status, 201);
  }
  await world.until('all have joined', async () => {
    const { body } = await world.api('GET', `${room}Participant/`);
    return (
      body.objects?.filter(({ status }: { status: string }) => status === 'joined').length === names.length
    );
  });
  return phones;
}

describe('three nodes whose messages are delayed, lost, doubled and overtake each other, and whose clocks differ', () => {
  const messages = { delayMs: 2, jitterMs: 60, lossRate: 0.15, duplicateRate: 0.15 };
  // Registrations are granted for an hour: by a clock that is an hour ahead they would have expired.
  const faults = { clocks: [{}, { skewMs: 1_800_000 }, { driftPpm: 300 }] };

  for (const seed of [1, 2, 3]) {
    it(`each request is carried out once or says that this is not known, and nothing is left (seed ${seed})`, async () => {
      await inSimulatedWorld({ seed, nodes: 3, faults }, async (world) => {
        const random = seededRandom(seed);
        const phones = await gathered(world, ['ann', 'bob', 'cid']);
        world.cluster?.bus.impair(messages);
        const statuses: number[] = [];
        for (let step = 0; step < 25; step++) {
          const { body } = await world.api('GET', `${room}Participant/`);
          const { member_id: member } = body.objects[Math.floor(random() * body.objects.length)];
          const hold = random() < 0.5;
          const { status } = await world.api('POST', `${room}Participant/${member}/`, { hold });
          statuses.push(status);
          const shown = (await world.api('GET', `${room}Participant/${member}/`)).body;
          if (status < 300) assert.equal(shown.hold, hold);
          else assert.equal(status, 503);
          await world.advance(random() * 500);
        }
        assert.ok(statuses.filter((status) => status < 300).length > 15, statuses.join());
        world.cluster?.bus.impair({});
        assert.equal((await world.api('DELETE', room)).status, 204);
        await world.until('the end', () => phones.every(({ call }) => call?.end !== undefined));
        const { body } = await world.api('GET', 'Call/?limit=20');
        assert.equal(body.meta.total_count, phones.length);
      });
    });
  }
});

it('while the bus is cut each node goes on with its own calls, and a request for those of others is refused', async () => {
  await inSimulatedWorld({ seed: 3, nodes: 3 }, async (world) => {
    const phones = await gathered(world, ['ann', 'bob']);
    const { bus } = world.cluster ?? assert.fail();
    bus.cut();
    const statuses = new Set<number>();
    for (let attempt = 0; attempt < 20; attempt++) {
      const answer = await world.api('DELETE', `${room}Participant/4711/`);
      statuses.add(answer.status);
      if (answer.status === 503) assert.match(answer.body.error, /nothing has been changed/);
    }
    // The home node knows no such participant.
    assert.deepEqual(statuses, new Set([404, 503]));
    assert.ok(phones.every(({ call }) => call?.end === undefined));
    bus.mend();
    assert.equal((await world.api('DELETE', room)).status, 204);
    await world.until('the end', () => phones.every(({ call }) => call?.end !== undefined));
  });
});

/** The node with the legs of the only multiparty call, and the others: that of the phone is the last of them. */
function homeAndOthers(
  world: SimulatedWorld,
  phone?: SimulatedPhone,
): readonly [SimulatedPlatform, ...SimulatedPlatform[]] {
  const [home, ...others] = cluster(world).nodes.toSorted((one, other) => legsOf(other) - legsOf(one));
  const isOfPhone = (node: SimulatedPlatform) =>
    Number(cluster(world).addressOf(node).address === phone?.registrar.address);
  return [home!, ...others.toSorted((one, other) => isOfPhone(one) - isOfPhone(other))];
}

it('two nodes get no messages of each other: neither is ended, and what one of them cannot do the third does', async () => {
  await inSimulatedWorld({ seed: 4, nodes: 3 }, async (world) => {
    const phones = await gathered(world, ['ann', 'bob']);
    const [home, parted, third] = homeAndOthers(world);
    cluster(world).part(home, parted!);
    await world.advance(30_000);
    assert.equal(cluster(world).nodes.length, 3);
    const member = `${room}Participant/1/`;
    const asked = parted!.call('POST', member, { body: { mute: true } });
    await world.advance(10_000);
    const { status, body } = await asked;
    assert.equal(status, 503);
    assert.match(body.error, /may have carried out/);
    assert.equal((await third!.call('POST', member, { body: { mute: true } })).status, 202);
    assert.equal((await third!.call('GET', member)).body.mute, true);
    cluster(world).bus.mend();
    assert.equal((await parted!.call('DELETE', room)).status, 204);
    await world.until('the end', () => phones.every(({ call }) => call?.end !== undefined));
  });
});

for (const [what, carriedOut] of [
  ['requests', false],
  ['answers', true],
] as const) {
  it(`${what} between two nodes are lost in one direction: 503, and a repetition with the key has one effect`, async () => {
    await inSimulatedWorld({ seed: 7, nodes: 3 }, async (world) => {
      const phones = await gathered(world, ['ann']);
      const bob = await world.phone('bob');
      const [home, other] = homeAndOthers(world, bob);
      if (carriedOut) cluster(world).partOneWay(home, other!);
      else cluster(world).partOneWay(other!, home);
      const request = {
        body: { role: 'agent', from: '+12025550000', to: bob.username, stay_alone: true },
        headers: { 'idempotency-key': 'once' },
      };
      const asked = other!.call('POST', `${room}Participant/`, request);
      await world.advance(10_000);
      const { status, body } = await asked;
      assert.equal(status, 503);
      assert.match(body.error, /may have carried out/);
      assert.equal(bob.invites, carriedOut ? 1 : 0);
      cluster(world).bus.mend();
      assert.equal((await other!.call('POST', `${room}Participant/`, request)).status, 201);
      await world.until('the second phone', () => bob.call?.isUp);
      assert.equal(bob.invites, 1);
      assert.equal((await world.api('DELETE', room)).status, 204);
      await world.until('the end', () => [...phones, bob].every(({ call }) => call?.end !== undefined));
    });
  });
}

it('a node is killed while a request waits there for another node: its client gets no answer, and a repetition with the key has one effect', async () => {
  await inSimulatedWorld({ seed: 7, nodes: 3 }, async (world) => {
    const phones = await gathered(world, ['ann']);
    const bob = await world.phone('bob');
    const [home, other, third] = homeAndOthers(world, bob);
    cluster(world).partOneWay(home, other!);
    const request = {
      body: { role: 'agent', from: '+12025550000', to: bob.username, stay_alone: true },
      headers: { 'idempotency-key': 'once' },
    };
    const asked = other!.call('POST', `${room}Participant/`, request);
    await world.until('the phone rings', () => bob.invites === 1);
    await cluster(world).kill(other!);
    assert.equal((await asked).status, 502);
    cluster(world).bus.mend();
    assert.equal((await third!.call('POST', `${room}Participant/`, request)).status, 201);
    await world.until('the second phone', () => bob.call?.isUp);
    assert.equal(bob.invites, 1);
    assert.equal((await world.api('DELETE', room)).status, 204);
    const areOver = () => [...phones, bob].every(({ call }) => call?.end !== undefined);
    // A phone may have its connection at the killed node: its BYE waits for the takeover.
    await world.until('the end', areOver, 20_000);
  });
});

const withoutDatabase = ['recording files could not be removed', 'outbox not read; retried later'];

it('the home of a call loses the database behind the commit of its end: the call ends once, when the database is back', async () => {
  const loggedErrors = [...withoutDatabase, 'step not saved; it was undone'];
  await inSimulatedWorld({ seed: 8, nodes: 3, loggedErrors }, async (world) => {
    const [ann, bob] = await gathered(world, ['ann', 'bob']);
    const [home, other] = homeAndOthers(world);
    cluster(world).cutBehindCommit(home);
    ann!.hangUp();
    bob!.hangUp();
    await world.advance(8_000);
    // The end of one leg was the last commit; that of the other waits.
    assert.equal((await other!.call('GET', 'Call/?status=live')).body.calls.length, 1);
    cluster(world).mendDatabase(home);
    await world.advance(20_000);
    assert.equal(cluster(world).nodes.length, 3);
    const ends = (await eventStreamOf(world)).filter(({ type }) => type === 'call.ended');
    assert.equal(ends.length, 2);
    assert.equal((await world.api('GET', 'Call/?status=live')).body.calls.length, 0);
  });
});

for (const [what, cut, mend, loggedErrors, ended] of [
  ['stopped', 'stop', 'goOn', [], []],
  [
    'cut off from the database',
    'cutFromDatabase',
    'mendDatabase',
    withoutDatabase,
    ['what another node has left could not be taken over; retried after the next heartbeat'],
  ],
] as const) {
  it(`a node that is ${what} for 8 s goes on with its calls`, async () => {
    await inSimulatedWorld({ seed: 5, nodes: 3, loggedErrors }, async (world) => {
      const phones = await gathered(world, ['ann', 'bob']);
      const [home] = homeAndOthers(world);
      cluster(world)[cut](home);
      await world.advance(8_000);
      cluster(world)[mend](home);
      await world.advance(20_000);
      assert.equal(cluster(world).nodes.length, 3);
      assert.ok(phones.every(({ call }) => call?.isUp));
      assert.equal((await world.api('DELETE', room)).status, 204);
      await world.until('the end', () => phones.every(({ call }) => call?.end !== undefined));
    });
  });

  it(`a node that is ${what} for 20 s is ended after 10 to 13 s, and ends itself when it is back`, async () => {
    await inSimulatedWorld(
      { seed: 6, nodes: 3, loggedErrors: [...loggedErrors, ...ended] },
      async (world) => {
        const phones = await gathered(world, ['ann', 'bob']);
        const [home] = homeAndOthers(world);
        cluster(world)[cut](home);
        const since = world.now();
        const isHungUp = () => phones.every(({ call }) => call?.end?.by === 'remote-bye');
        await world.until('the BYEs of the successor', isHungUp, 15_000);
        assert.ok(world.now() - since > 9_000 && world.now() - since < 14_000, `${world.now() - since} ms`);
        await world.advance(since + 20_000 - world.now());
        assert.equal(cluster(world).nodes.length, 3);
        cluster(world)[mend](home);
        await world.until('its end', () => cluster(world).nodes.length === 2);
        const { body } = await world.api('GET', 'Call/?limit=20');
        assert.ok(
          body.objects.every(({ hangup_cause_code: code }: { hangup_cause_code: number }) => code === 5010),
        );
      },
    );
  });

  it(`phones that answer or ring while their node is ${what} are hung up when it ends itself`, async () => {
    await inSimulatedWorld(
      { seed: 7, nodes: 3, loggedErrors: [...loggedErrors, ...ended, 'step not saved; it was undone'] },
      async (world) => {
        const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
        ann.behaviour = { does: 'answer', ringMs: 1_000 };
        bob.behaviour = { does: 'ring' };
        const [home] = cluster(world).nodes;
        for (const { username } of [ann, bob]) {
          const body = { from: '+12025550000', to: username, answer_url: 'https://customer.example/wait' };
          assert.equal((await home!.call('POST', 'Call/', { body })).status, 201);
        }
        await world.until('both ring', () => ann.call?.isRinging && bob.call?.isRinging);
        cluster(world)[cut](home!);
        await world.advance(20_000);
        assert.ok(ann.call?.isUp);
        assert.equal(bob.call?.end, undefined);
        cluster(world)[mend](home!);
        const areHungUp = () => ann.call?.end?.by === 'remote-bye' && bob.call?.end?.by === 'remote-cancel';
        await world.until('their ends', areHungUp, 3_000);
        await world.until('the end of the node', () => cluster(world).nodes.length === 2);
      },
    );
  });
}

it('a verification that is asked for at every node has one session, and its code counts once', async () => {
  await inSimulatedWorld({ seed: 9, nodes: 3, phones: 'none' }, async (world) => {
    const recipient = '+14155552671';
    const sessions = new Set<string>();
    for (let time = 0; time < 4; time++) {
      const { status, body } = await world.api('POST', 'Verify/Session/', { recipient });
      assert.equal(status, 202, JSON.stringify(body));
      sessions.add(body.session_uuid);
    }
    const [session] = sessions;
    assert.equal(sessions.size, 1);
    const { body } = await world.api('GET', `Sandbox/Message/?to=${encodeURIComponent(recipient)}`);
    const otp = /\d{6}/.exec(body.objects[0].text)?.[0];
    const checked = await Promise.all(
      [1, 2, 3].map(() => world.api('POST', `Verify/Session/${session}/`, { otp })),
    );
    assert.deepEqual(checked.map(({ status }) => status).sort(), [200, 400, 400]);
  });
});
