import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inSimulatedWorld, type SimulatedPhone, type SimulatedWorld, seededRandom } from '@jackfield/testkit';

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
  const faults = { clocks: [{}, { skewMs: 3_600_000 }, { driftPpm: 300 }] };

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
