import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inSimulatedWorld, type SimulatedPhone, type SimulatedWorld } from '@jackfield/testkit';
import { heardSince, SimulatedRoom, shareWith, whoHearsWhom } from '../support/simulated-room.ts';

const suite = 'SRTP AES_CM_128_HMAC_SHA1_80';

/** Two phones in a call that the first one has placed; at its end nothing may be left. */
function calling(
  secure: readonly [boolean, boolean],
  run: (world: SimulatedWorld, a: SimulatedPhone, b: SimulatedPhone) => Promise<void>,
) {
  return () =>
    inSimulatedWorld({ seed: 11 }, async (world) => {
      const a = await world.phone('ann', { isSecure: secure[0] });
      const b = await world.phone('bob', { isSecure: secure[1] });
      const call = a.dial(b.username);
      await world.until('both are connected', () => call.isUp && b.call?.isUp);
      await world.advance(500);
      await run(world, a, b);
    });
}

async function hangUp(world: SimulatedWorld, a: SimulatedPhone, b: SimulatedPhone) {
  a.hangUp();
  await world.until('both are over', () => a.call?.end !== undefined && b.call?.end !== undefined);
  await world.advance(100);
  const { body } = await world.api('GET', 'Call/');
  const legs = body.objects as {
    call_direction: string;
    media_encryption: string;
    quality: { packets_lost: number; packets_received: number };
  }[];
  return legs.sort((one, other) => one.call_direction.localeCompare(other.call_direction));
}

/** No frame is missing, none comes twice, and each holds the tone. */
function assertUnbroken(phone: SimulatedPhone, since: number, hz: number): void {
  const frames = heardSince(phone, since);
  assert.ok(frames.length > 40, `${frames.length} frames`);
  for (let n = 1; n < frames.length; n++) {
    const step = (frames[n]!.sequenceNumber - frames[n - 1]!.sequenceNumber) & 0xffff;
    assert.equal(step, 1, `frame ${n} of ${frames.length}`);
  }
  assert.ok(shareWith(frames, hz) > 0.95, `${shareWith(frames, hz)} of what was heard is the tone`);
  assert.deepEqual(phone.call?.audio.unprotected, { unauthenticated: 0, replayed: 0 });
}

describe('SRTP with keys in SDP, through the whole platform', () => {
  for (const secure of [
    [true, true],
    [true, false],
    [false, true],
  ] as const) {
    it(
      `${secure.map((each) => (each ? 'SRTP' : 'RTP')).join(' calls ')}: both hear each other without a break, and the records say how`,
      calling(secure, async (world, a, b) => {
        const since = world.now();
        await world.advance(2000);
        assertUnbroken(a, since, b.toneHz);
        assertUnbroken(b, since, a.toneHz);
        assert.deepEqual([a.call?.audio.isProtected, b.call?.audio.isProtected], secure);
        const legs = await hangUp(world, a, b);
        assert.deepEqual(
          legs.map(({ media_encryption }) => media_encryption),
          secure.map((each) => (each ? suite : 'none')),
        );
        for (const { quality } of legs) {
          assert.ok(quality.packets_received > 100);
          assert.equal(quality.packets_lost, 0);
        }
      }),
    );
  }

  it(
    'a re-INVITE that repeats the key, and one with a new key, interrupt nothing',
    calling([true, false], async (world, a, b) => {
      const since = world.now();
      a.call?.reinvite('sendrecv');
      await world.advance(500);
      a.call?.renewKey();
      a.call?.reinvite('sendrecv');
      await world.advance(1500);
      assert.deepEqual(a.call?.offerOutcomes, [200, 200]);
      assertUnbroken(a, since, b.toneHz);
      assertUnbroken(b, since, a.toneHz);
      const [leg] = await hangUp(world, a, b);
      assert.equal(leg?.quality.packets_lost, 0);
    }),
  );

  it(
    'a phone that holds, takes back with a new key and is heard again',
    calling([true, true], async (world, a, b) => {
      a.call?.reinvite('sendonly');
      await world.advance(1000);
      a.call?.renewKey();
      a.call?.reinvite('sendrecv');
      await world.advance(300);
      const since = world.now();
      await world.advance(1500);
      assertUnbroken(a, since, b.toneHz);
      assertUnbroken(b, since, a.toneHz);
      await hangUp(world, a, b);
    }),
  );

  it('three in a room, one of them in the clear: all hear all, and no key is in the log', async () => {
    await inSimulatedWorld({ seed: 12 }, async (world) => {
      const phones = [];
      for (const [name, isSecure] of [
        ['ann', true],
        ['bob', false],
        ['cat', true],
      ] as const) {
        phones.push(await world.phone(name, { isSecure }));
      }
      const room = new SimulatedRoom(world);
      await room.gather(phones, 'agent');
      await world.advance(500);
      const others = [
        [1, 2],
        [0, 2],
        [0, 1],
      ];
      assert.deepEqual(await whoHearsWhom(world, phones), others);
      for (const phone of phones) {
        assert.deepEqual(phone.call?.audio.unprotected, { unauthenticated: 0, replayed: 0 });
      }
      assert.doesNotMatch(JSON.stringify(world.log), /inline:/);
      for (const phone of phones) phone.hangUp();
      await world.advance(1000);
    });
  });
});
