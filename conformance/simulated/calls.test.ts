import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pcmu } from '@jackfield/media';
import { inSimulatedWorld, type SimulatedPhone, type SimulatedWorld, toneFrame } from '@jackfield/testkit';
import { heardSince, recordOf, SimulatedRoom, shareWith, whoHearsWhom } from '../support/simulated-room.ts';

type Phones<Names extends readonly string[]> = { readonly [Index in keyof Names]: SimulatedPhone };

/** Registers phones and runs the test; at its end no leg, mix, port, timer, session or transaction may be left. */
function withPhones<const Names extends readonly string[]>(
  names: Names,
  run: (world: SimulatedWorld, ...phones: Phones<Names>) => Promise<void>,
) {
  return () =>
    inSimulatedWorld({ seed: 7 }, async (world) => {
      const phones: SimulatedPhone[] = [];
      for (const name of names) phones.push(await world.phone(name));
      await run(world, ...(phones as unknown as Phones<Names>));
    });
}

const isHungUp = (phone: SimulatedPhone) => phone.call?.end?.by === 'remote-bye';

describe('how a multiparty call ends', () => {
  it(
    'max_duration: 2000, to the second, and every phone gets its BYE',
    withPhones(['ann', 'bob'], async (world, a, b) => {
      const room = new SimulatedRoom(world);
      const created = world.now();
      await room.gather([a, b], 'agent', { max_duration: 300 });
      await world.advance(created + 299_900 - world.now());
      assert.equal((await room.body()).status, 'Active');
      await world.advance(200);
      assert.equal(await room.endedWith(), 2000);
      assert.ok(isHungUp(a) && isHungUp(b));
    }),
  );

  it(
    'no answer within ring_timeout: the leg keeps 6010, the call ends with 1000',
    withPhones(['ann'], async (world, a) => {
      a.behaviour = { does: 'ring' };
      const room = new SimulatedRoom(world);
      const { callUuid } = await room.add(a, 'agent', { ring_timeout: 8 });
      await world.advance(7900);
      assert.ok(a.call?.isRinging && a.call.endedAt === undefined);
      await world.advance(200);
      assert.equal(a.call?.end?.by, 'remote-cancel');
      assert.equal(await room.endedWith(), 1000);
      const record = await recordOf(world, callUuid);
      assert.deepEqual([record.hangup_code, record.answered_at], [6010, null]);
    }),
  );

  it(
    'busy: the leg keeps 3010, the call ends with 1000',
    withPhones(['ann'], async (world, a) => {
      a.behaviour = { does: 'reject', status: 486 };
      const room = new SimulatedRoom(world);
      const { callUuid } = await room.add(a, 'agent');
      assert.equal(await room.endedWith(), 1000);
      assert.equal((await recordOf(world, callUuid)).hangup_code, 3010);
      assert.equal(a.invites, 1);
    }),
  );

  it(
    'a phone without power: the call has ended when the last INVITE has gone unanswered for 64*T1',
    withPhones(['ann'], async (world, a) => {
      world.network.impair({ lossRate: 1 });
      const room = new SimulatedRoom(world);
      const { callUuid } = await room.add(a, 'agent', { ring_timeout: 60 });
      assert.equal(await room.endedWith(33_000), 1000);
      assert.equal((await recordOf(world, callUuid)).hangup_code, 3070);
      world.network.impair({});
    }),
  );

  it(
    'a phone without power and a short ring_timeout: the call does not wait for the transaction',
    withPhones(['ann'], async (world, a) => {
      a.close();
      const room = new SimulatedRoom(world);
      const added = world.now();
      const { callUuid } = await room.add(a, 'agent', { ring_timeout: 5 });
      assert.equal(await room.endedWith(5100), 1000);
      assert.ok(world.now() - added >= 5000);
      assert.equal((await recordOf(world, callUuid)).hangup_code, 6010);
    }),
  );

  it(
    'a phone that vanishes in the middle of a call: the others go on, and the end of the call is not held up by it',
    withPhones(['ann', 'bob', 'cid'], async (world, a, b, c) => {
      const room = new SimulatedRoom(world);
      const added = await room.gather([a, b, c]);
      c.close();
      await world.advance(1000);
      assert.deepEqual(await whoHearsWhom(world, [a, b]), [[1], [0]]);
      await room.end();
      assert.equal((await room.body()).termination_cause_code, 3000);
      await world.advance(33_000);
      for (const { callUuid } of added) assert.equal((await recordOf(world, callUuid)).hangup_code, 4020);
    }),
  );

  it(
    'a phone that has sent no audio for 60 s is gone: its leg ends with 6020 and it leaves the call',
    withPhones(['ann', 'bob', 'cid'], async (world, a, b, c) => {
      const room = new SimulatedRoom(world);
      const [, , third] = await room.gather([a, b, c]);
      c.close();
      await world.advance(59_000);
      assert.equal((await recordOf(world, third!.callUuid)).hangup_code, null);
      await world.advance(2_000);
      assert.deepEqual(await whoHearsWhom(world, [a, b]), [[1], [0]]);
      // Its BYE gets no answer, and the record does not wait for an answer.
      const record = await recordOf(world, third!.callUuid);
      assert.deepEqual([record.hangup_code, record.hangup_source], [6020, 'Service']);
      await room.end();
    }),
  );

  it(
    'stay_alone=false: 1010 when the number present falls to one',
    withPhones(['ann', 'bob'], async (world, a, b) => {
      const room = new SimulatedRoom(world);
      await room.gather([a, b]);
      b.hangUp();
      assert.equal(await room.endedWith(500), 1010);
      await world.advance(50);
      assert.ok(isHungUp(a));
    }),
  );

  it(
    'stay_alone=true: the last one stays until he leaves, 1000',
    withPhones(['ann', 'bob'], async (world, a, b) => {
      const room = new SimulatedRoom(world);
      await room.gather([a, b], 'agent', { stay_alone: true });
      b.hangUp();
      await world.advance(60_000);
      assert.equal((await room.body()).status, 'Active');
      a.hangUp();
      assert.equal(await room.endedWith(500), 1000);
    }),
  );

  it(
    'end_mpc_on_exit: who has it takes everybody along, 1000',
    withPhones(['ann', 'bob', 'cid'], async (world, a, b, c) => {
      const room = new SimulatedRoom(world);
      await room.gather([a, b], 'agent', { stay_alone: true });
      await room.gather([c], 'agent', { end_mpc_on_exit: true });
      a.hangUp();
      await world.advance(500);
      assert.equal((await room.body()).status, 'Active');
      c.hangUp();
      assert.equal(await room.endedWith(500), 1000);
      await world.advance(50);
      assert.ok(isHungUp(b));
    }),
  );

  it(
    'DELETE: 3000 at once, BYE at each phone, and 4020 in their records',
    withPhones(['ann', 'bob', 'cid'], async (world, ...phones) => {
      const room = new SimulatedRoom(world);
      const added = await room.gather(phones);
      await room.end();
      assert.equal((await room.body()).termination_cause_code, 3000);
      await world.advance(50);
      assert.ok(phones.every(isHungUp));
      for (const { callUuid } of added) assert.equal((await recordOf(world, callUuid)).hangup_code, 4020);
    }),
  );

  it(
    'DELETE while a phone rings cancels it',
    withPhones(['ann', 'bob'], async (world, a, b) => {
      b.behaviour = { does: 'ring' };
      const room = new SimulatedRoom(world);
      await room.gather([a]);
      await room.add(b, 'customer');
      await world.advance(1000);
      await room.end();
      await world.advance(50);
      assert.equal(b.call?.end?.by, 'remote-cancel');
      assert.ok(isHungUp(a));
    }),
  );

  it(
    'a kick: BYE at that phone alone, 4030 in its record',
    withPhones(['ann', 'bob', 'cid'], async (world, a, b, c) => {
      const room = new SimulatedRoom(world);
      const [, , kicked] = await room.gather([a, b, c]);
      await room.kick(kicked!.memberId);
      await world.advance(50);
      assert.ok(isHungUp(c) && a.call!.isUp && b.call!.isUp);
      assert.equal((await recordOf(world, kicked!.callUuid)).hangup_code, 4030);
      const { participant_exit_cause: cause } = await room.participant(kicked!.memberId);
      assert.equal(cause, 'Kicked Out of Multiparty Call');
      assert.deepEqual(await whoHearsWhom(world, [a, b]), [[1], [0]]);
      await room.end();
    }),
  );
});

describe('what phones hear in a multiparty call', () => {
  it(
    'everybody hears everybody else, at the level at which they speak',
    withPhones(['ann', 'bob', 'cid'], async (world, ...phones) => {
      const room = new SimulatedRoom(world);
      await room.gather(phones);
      assert.deepEqual(await whoHearsWhom(world, phones), [
        [1, 2],
        [0, 2],
        [0, 1],
      ]);
      await room.end();
    }),
  );

  it(
    'one beep on entering and two on leaving, 440 Hz, at every phone that is there',
    withPhones(['ann', 'bob', 'cid'], async (world, a, b, c) => {
      const room = new SimulatedRoom(world);
      await room.gather([a, b], 'agent', { stay_alone: true });
      const entered = world.now();
      await room.gather([c], 'agent', { enter_sound: 'beep:1', exit_sound: 'beep:2' });
      await world.advance(1500);
      for (const phone of [a, b, c]) assert.equal(beeps(phone, entered), 1, phone.username);
      const left = world.now();
      c.hangUp();
      await world.advance(2000);
      for (const phone of [a, b]) assert.equal(beeps(phone, left), 2, phone.username);
      await room.end();
    }),
  );

  it(
    'hold music is heard by the held phone alone, which hears and says nothing else',
    withPhones(['ann', 'bob', 'cid'], async (world, ...phones) => {
      const room = new SimulatedRoom(world);
      const [held] = await room.gather(phones);
      await room.change(held!.memberId, { hold: true });
      await world.advance(100);
      const since = world.now();
      await world.advance(5000);
      const loud = (phone: SimulatedPhone) =>
        heardSince(phone, since).filter(({ samples }) => samples.some((sample) => Math.abs(sample) > 500))
          .length;
      assert.ok(loud(phones[0]) > 200);
      // The music has no long note at the tones of the others; they would be in every frame.
      assert.ok(shareWith(heardSince(phones[0], since), phones[1].toneHz) < 0.5);
      assert.ok(shareWith(heardSince(phones[0], since), phones[2].toneHz) < 0.5);
      for (const other of phones.slice(1))
        assert.equal(shareWith(heardSince(other, since), phones[0].toneHz), 0);
      await room.change(held!.memberId, { hold: false });
      assert.deepEqual(await whoHearsWhom(world, phones), [
        [1, 2],
        [0, 2],
        [0, 1],
      ]);
      await room.end();
    }),
  );

  it(
    'a phone that holds by re-INVITE is not heard and hears nothing, until it comes back',
    withPhones(['ann', 'bob'], async (world, a, b) => {
      const room = new SimulatedRoom(world);
      await room.gather([a, b]);
      a.call!.reinvite('inactive');
      await world.advance(100);
      assert.deepEqual(a.call!.offerOutcomes, [200]);
      assert.deepEqual(await whoHearsWhom(world, [a, b]), [[], []]);
      a.call!.reinvite('sendrecv');
      assert.deepEqual(await whoHearsWhom(world, [a, b]), [[1], [0]]);
      await room.end();
    }),
  );

  it(
    'with 10 % of the packets lost and 30 ms of jitter calls are set up and voices are heard',
    withPhones(['ann', 'bob', 'cid'], async (world, ...phones) => {
      world.network.impair({ lossRate: 0.1, delayMs: 20, jitterMs: 30 });
      const room = new SimulatedRoom(world);
      await room.gather(phones);
      await world.advance(1000);
      const since = world.now();
      await world.advance(5000);
      for (const listener of phones) {
        for (const speaker of phones) {
          const share = shareWith(heardSince(listener, since), speaker.toneHz);
          if (listener === speaker) assert.ok(share < 0.05, `an echo in a share of ${share}`);
          else
            assert.ok(share > 0.8, `${listener.username} hears ${speaker.username} in a share of ${share}`);
        }
      }
      await room.end();
      await world.until('all are hung up', () => phones.every((phone) => phone.call?.end), 32_000);
    }),
  );

  it(
    'what a stranger sends to the port of a leg is never heard, from before its first packet on',
    withPhones(['ann', 'bob'], async (world, a, b) => {
      const room = new SimulatedRoom(world);
      await room.gather([a]);
      await room.add(b, 'agent');
      const strangerHz = 2900;
      const packet = new Uint8Array(172);
      pcmu.encode(toneFrame(strangerHz, -12), 160, packet, 12);
      packet.set([0x80, 0]);
      let sent = 0;
      const from = { address: '10.66.66.66', port: 6666 };
      for (let frame = 0; frame < 150; frame++) {
        packet[3] = frame;
        new DataView(packet.buffer).setUint32(4, frame * 160);
        for (const phone of [a, b]) {
          const to = phone.call?.audio.remote;
          if (to === undefined) continue;
          world.network.send(from, to, packet);
          sent++;
        }
        await world.advance(20);
      }
      assert.ok(sent > 250);
      for (const phone of [a, b]) assert.equal(shareWith(heardSince(phone, 0), strangerHz), 0);
      assert.deepEqual(await whoHearsWhom(world, [a, b]), [[1], [0]]);
      await room.end();
    }),
  );
});

describe('a phone that calls another one by its username', () => {
  it(
    'rings there, is answered, and both hear each other; the end of one is the end of both',
    withPhones(['ann', 'bob'], async (world, a, b) => {
      b.behaviour = { does: 'answer', ringMs: 2000 };
      const call = a.dial(b.username);
      await world.advance(1000);
      assert.ok(call.isRinging && !call.isUp);
      await world.until('both are up', () => call.isUp && b.call?.isUp);
      assert.deepEqual(await whoHearsWhom(world, [a, b]), [[1], [0]]);
      b.hangUp();
      await world.advance(50);
      assert.equal(call.end?.by, 'remote-bye');
    }),
  );

  for (const [what, status, expected] of [
    ['busy', 486, 486],
    ['declined', 603, 603],
  ] as const) {
    it(
      `${what}: the caller gets ${expected}`,
      withPhones(['ann', 'bob'], async (world, a, b) => {
        b.behaviour = { does: 'reject', status };
        const call = a.dial(b.username);
        await world.until('the caller knows', () => call.end !== undefined);
        assert.equal(call.end?.by === 'rejected' && call.end.status, expected);
      }),
    );
  }

  it(
    'the caller gives up: the callee stops ringing',
    withPhones(['ann', 'bob'], async (world, a, b) => {
      b.behaviour = { does: 'ring' };
      const call = a.dial(b.username);
      await world.advance(3000);
      call.hangUp();
      await world.advance(50);
      assert.equal(b.call?.end?.by, 'remote-cancel');
    }),
  );

  it(
    'no endpoint of that name: 404; an endpoint that is not registered: 480',
    withPhones(['ann', 'bob'], async (world, a, b) => {
      b.register(0);
      await world.until('it is gone', () => b.isRegistered);
      for (const [user, expected] of [
        ['nobody260101000000', 404],
        [b.username, 480],
      ] as const) {
        const call = a.dial(user);
        await world.until('the caller knows', () => call.end !== undefined);
        assert.equal(call.end?.by === 'rejected' && call.end.status, expected);
      }
    }),
  );
});

/** How often a tone of 440 Hz begins in what the phone has heard since. */
function beeps(phone: SimulatedPhone, since: number): number {
  let count = 0;
  let wasOn = false;
  for (const frame of heardSince(phone, since)) {
    const isOn = shareWith([frame], 440) > 0;
    if (isOn && !wasOn) count++;
    wasOn = isOn;
  }
  return count;
}
