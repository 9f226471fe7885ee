import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inSimulatedWorld, type SimulatedPhone, type SimulatedWorld } from '@jackfield/testkit';
import { heardSince, shareWith } from '../support/simulated-room.ts';

const document = 'https://customer.example.com/dial';
const early = { does: 'answer', ringMs: 2000, early: true } as const;

/** What a phone has heard since then is this tone, each frame once and none missing. */
function assertHears(phone: SimulatedPhone, since: number, hz: number): void {
  const frames = heardSince(phone, since);
  assert.ok(frames.length > 20, `${frames.length} frames`);
  for (let n = 1; n < frames.length; n++) {
    assert.equal((frames[n]!.sequenceNumber - frames[n - 1]!.sequenceNumber) & 0xffff, 1, `frame ${n}`);
  }
  assert.ok(shareWith(frames, hz) > 0.9, `${shareWith(frames, hz)} of what was heard is the tone`);
}

/** The caller hears the callee before the answer, and both hear each other afterwards. */
async function hearsEarly(world: SimulatedWorld, caller: SimulatedPhone, callee: SimulatedPhone) {
  await world.until('the callee rings', () => callee.call?.isRinging === true);
  await world.advance(500);
  const rung = world.now();
  await world.advance(1000);
  assert.equal(caller.call?.answeredAt, undefined);
  assertHears(caller, rung, callee.toneHz);
  // No audio goes to a phone before its answer.
  assert.ok(shareWith(heardSince(callee, rung), caller.toneHz) < 0.05);
  await world.until('both have answered', () => caller.call?.isUp && callee.call?.isUp);
  await world.advance(300);
  const answered = world.now();
  await world.advance(1000);
  assertHears(caller, answered, callee.toneHz);
  assertHears(callee, answered, caller.toneHz);
}

async function hangUp(world: SimulatedWorld, phone: SimulatedPhone, other: SimulatedPhone) {
  phone.hangUp();
  await world.until('both are over', () => phone.call?.end !== undefined && other.call?.end !== undefined);
}

describe('A called phone that is heard before it answers', () => {
  for (const isSecure of [false, true]) {
    it(`is heard by the caller of a direct call, ${isSecure ? 'through SRTP' : 'one way until it answers'}`, () =>
      inSimulatedWorld({ seed: 71 }, async (world) => {
        const [ann, bob] = [await world.phone('ann', { isSecure }), await world.phone('bob', { isSecure })];
        bob.behaviour = early;
        ann.dial(bob.username);
        await hearsEarly(world, ann, bob);
        await hangUp(world, ann, bob);
      }));
  }

  it('is heard by the caller of a Dial', () =>
    inSimulatedWorld({ seed: 72 }, async (world) => {
      const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
      const user = `<User>sip:${bob.username}@sip.example.com</User>`;
      world.customer.serve(document, `<Response><Dial>${user}</Dial></Response>`);
      const { body } = await world.api('POST', 'Application/', { app_name: 'dial', answer_url: document });
      bob.behaviour = early;
      ann.dial(body.app_id);
      await hearsEarly(world, ann, bob);
      await hangUp(world, bob, ann);
    }));

  it('is cancelled when its caller gives up while it is heard', () =>
    inSimulatedWorld({ seed: 73 }, async (world) => {
      const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
      bob.behaviour = early;
      ann.dial(bob.username);
      await world.until('the callee rings', () => bob.call?.isRinging === true);
      await world.advance(1000);
      ann.hangUp();
      await world.until('both are over', () => ann.call?.end !== undefined && bob.call?.end !== undefined);
    }));

  it('is not heard in a multiparty call, gets send_digits there once, and joins when it answers', () =>
    inSimulatedWorld({ seed: 74 }, async (world) => {
      const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
      bob.behaviour = early;
      const add = async (phone: SimulatedPhone, more: object) => {
        const added = await world.api('POST', 'MultiPartyCall/name_early/Participant/', {
          role: 'agent',
          from: '+12025550000',
          to: phone.username,
          stay_alone: true,
          enter_sound: 'none',
          ...more,
        });
        assert.equal(added.status, 201, JSON.stringify(added.body));
      };
      await add(ann, {});
      await world.until('the first is there', () => ann.call?.isUp);
      await add(bob, { send_digits: '5', send_on_preanswer: true });
      await world.until('the second rings', () => bob.call?.isRinging === true);
      const rung = world.now();
      await world.advance(1500);
      assert.equal(bob.call?.answeredAt, undefined);
      assert.ok(
        shareWith(heardSince(ann, rung), bob.toneHz) < 0.01,
        'no participant hears a phone that has not joined',
      );
      const pressed = bob.call?.audio.otherPackets ?? 0;
      assert.ok(pressed > 0, 'the key was pressed before the answer');
      await world.until('the second is there', () => bob.call?.isUp);
      await world.advance(500);
      const joined = world.now();
      await world.advance(1000);
      assertHears(ann, joined, bob.toneHz);
      assert.equal(bob.call?.audio.otherPackets, pressed, 'and not again');
      assert.equal((await world.api('DELETE', 'MultiPartyCall/name_early/')).status, 204);
      await world.until('all are over', () => ann.call?.end !== undefined && bob.call?.end !== undefined);
    }));
});
