import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  inSimulatedWorld,
  type PhoneCall,
  type SimulatedPhone,
  type SimulatedWorld,
  toneMeter,
} from '@jackfield/testkit';
import {
  add,
  customer,
  dialIn,
  document,
  element,
  exitUrl,
  heardBy,
  members,
  room,
} from './testing/live-rooms.ts';

const soundUrl = 'https://customer.example.com/sound.wav';
const soundHz = 700;
const sound = (durationMs: number) => JSON.stringify({ frequencyHz: soundHz, durationMs });

async function addList(world: SimulatedWorld, phones: readonly SimulatedPhone[], more: object) {
  const { status, body } = await world.api('POST', `${room}Participant/`, {
    role: 'agent',
    from: '+12025550199',
    to: phones.map(({ username }) => username).join('<'),
    enter_sound: 'none',
    exit_sound: 'none',
    ...more,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.calls.map((each: { call_uuid: string }) => each.call_uuid) as readonly string[];
}

/** Frames of a call in which this tone was heard. */
const framesWith = (call: PhoneCall | undefined, hz: number) => {
  const meter = toneMeter(hz);
  return (call?.heard ?? []).filter(({ samples }) => meter(samples) > -40).length;
};

const causeOf = async (world: SimulatedWorld, leg: string | undefined) =>
  (await world.api('GET', `Call/${leg}/`)).body.hangup_cause_code;

describe('adding, from phone to phone', () => {
  it('a list with confirm_key: the first to confirm talks, no phone is heard before, the others lose', () =>
    inSimulatedWorld({ seed: 21 }, async (world) => {
      world.customer.serve(soundUrl, sound(400));
      const [ann, bob, cid, dan] = [
        await world.phone('ann'),
        await world.phone('bob'),
        await world.phone('cid'),
        await world.phone('dan'),
      ];
      dan.behaviour = { does: 'ring' };
      await add(world, ann, { role: 'customer' });
      const legs = await addList(world, [bob, cid, dan], {
        confirm_key: '5',
        confirm_key_sound_url: soundUrl,
      });
      await world.until('both have answered', () => bob.call?.isUp && cid.call?.isUp);
      await world.advance(1500);
      for (const phone of [bob, cid]) {
        assert.ok(framesWith(phone.call, soundHz) > 30, 'it hears the question repeatedly');
        assert.equal(framesWith(phone.call, ann.toneHz), 0, 'it hears no member');
      }
      assert.equal(framesWith(ann.call, bob.toneHz) + framesWith(ann.call, cid.toneHz), 0);
      assert.equal(framesWith(ann.call, soundHz), 0, 'members do not hear the question');
      assert.equal((await members(world)).length, 4);

      cid.call?.press('5');
      await world.until('the others are hung up', () => bob.call?.isUp === false && dan.call?.isUp !== true);
      assert.deepEqual(await heardBy(world, ann, { bob, cid }), ['cid']);
      assert.deepEqual(await heardBy(world, cid, { ann, bob }), ['ann']);
      assert.equal(framesWith(ann.call, bob.toneHz), 0, 'a loser is never heard');
      assert.deepEqual([await causeOf(world, legs[0]), await causeOf(world, legs[2])], [9000, 9000]);
      assert.equal((await world.api('DELETE', room)).status, 204);
      await world.until('all are hung up', () => ann.call?.isUp === false && cid.call?.isUp === false);
      assert.deepEqual(await causeOf(world, legs[1]), 4020);
    }));

  it('a wrong key ends that call with 9110', () =>
    inSimulatedWorld({ seed: 22 }, async (world) => {
      const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
      await add(world, ann, { role: 'customer' });
      const [leg] = await addList(world, [bob], { confirm_key: '5' });
      await world.until('bob has answered', () => bob.call?.isUp);
      bob.call?.press('4');
      await world.until('bob is hung up', () => bob.call?.end?.by === 'remote-bye');
      assert.equal(await causeOf(world, leg), 9110);
      assert.equal((await members(world)).length, 1);
      ann.hangUp();
    }));

  it('dial_music: a participant alone hears ringback or the music until the conversation begins', () =>
    inSimulatedWorld({ seed: 23 }, async (world) => {
      world.customer.serve(soundUrl, sound(400));
      const [ann, bob, cid] = [await world.phone('ann'), await world.phone('bob'), await world.phone('cid')];
      await add(world, ann, { role: 'customer' });
      bob.behaviour = { does: 'answer', ringMs: 3000 };
      await addList(world, [bob], {});
      await world.until('bob has answered', () => bob.call?.isUp);
      // Ringback in its North American form: 440 Hz and 480 Hz.
      assert.ok(framesWith(ann.call, 440) > 30, 'ringback');
      bob.hangUp();
      await world.advance(500);
      assert.ok(ann.call?.isUp, 'stay_alone');
      cid.behaviour = { does: 'answer', ringMs: 2000 };
      await addList(world, [cid], { dial_music: soundUrl });
      await world.until('cid has answered', () => cid.call?.isUp);
      await world.advance(100);
      assert.ok(framesWith(ann.call, soundHz) > 50, 'music');
      const heardBefore = framesWith(ann.call, soundHz);
      assert.deepEqual(await heardBy(world, ann, { cid }), ['cid']);
      assert.ok(framesWith(ann.call, soundHz) - heardBefore < 3, 'the music has stopped');
      assert.equal(framesWith(cid.call, soundHz), 0);
      await world.api('DELETE', room);
    }));

  it('a kicked participant with on_exit_action_url hears its document, which hangs up', () =>
    inSimulatedWorld({ seed: 24 }, async (world) => {
      world.customer.serve(soundUrl, sound(1000));
      world.customer.serve(exitUrl, document(`<Play>${soundUrl}</Play>`));
      const [ann, bob, cid] = [await world.phone('ann'), await world.phone('bob'), await world.phone('cid')];
      await add(world, ann);
      await add(world, bob);
      const leg = await add(world, cid, { on_exit_action_url: exitUrl });
      assert.deepEqual(await heardBy(world, cid, { ann, bob }), ['ann', 'bob']);
      const member = (await members(world)).find(({ call_uuid }) => call_uuid === leg);
      assert.equal((await world.api('DELETE', `${room}Participant/${member?.member_id}/`)).status, 204);
      await world.until('its document has hung up', () => cid.call?.end?.by === 'remote-bye');
      assert.ok(framesWith(cid.call, soundHz) > 40, 'the document was heard');
      assert.equal(await causeOf(world, leg), 4010);
      const asked = world.customer.requests.find(({ url }) => url === exitUrl);
      assert.equal(asked?.fields.MemberID, member?.member_id);
      assert.equal(asked?.fields.CallUUID, leg);
      assert.equal(asked?.fields.Direction, 'outbound');
      assert.equal(asked?.fields.ParticipantExitCause, 'Kicked Out of Multiparty Call');
      assert.deepEqual(await heardBy(world, ann, { bob, cid }), ['bob']);
      for (const phone of [ann, bob]) phone.hangUp();
    }));

  it('on_exit_action_url that answers 404: a kicked leg is hung up with 4030; a wrong document: 8012', () =>
    inSimulatedWorld({ seed: 25 }, async (world) => {
      world.customer.serve(exitUrl, { status: 404 });
      const badUrl = 'https://customer.example.com/bad';
      world.customer.serve(badUrl, 'no document');
      const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
      const legs = [
        await add(world, ann, { on_exit_action_url: exitUrl }),
        await add(world, bob, { on_exit_action_url: badUrl }),
      ];
      const [member] = await members(world);
      await world.api('DELETE', `${room}Participant/${member?.member_id}/`);
      await world.until('ann is hung up', () => ann.call?.end?.by === 'remote-bye');
      await world.api('DELETE', room);
      await world.until('bob is hung up', () => bob.call?.end?.by === 'remote-bye');
      assert.deepEqual([await causeOf(world, legs[0]), await causeOf(world, legs[1])], [4030, 8012]);
    }));

  it('onExitActionUrl receives one request when the caller of a document hangs up', () =>
    inSimulatedWorld({ seed: 28 }, async (world) => {
      const ann = await customer(world, 'ann', `${element(`onExitActionUrl="${exitUrl}"`)}<Hangup/>`);
      const bob = await world.phone('bob');
      await add(world, bob);
      await dialIn(world, ann);
      ann.hangUp();
      await world.advance(3000);
      const reported = world.customer.requests
        .filter(({ url }) => url === exitUrl)
        .map(({ fields }) => fields);
      assert.equal(reported.length, 1);
      assert.equal(reported[0]?.ParticipantExitCause, 'Participant Call Hangup');
      assert.deepEqual([reported[0]?.CallStatus, reported[0]?.Direction], ['completed', 'inbound']);
      bob.hangUp();
    }));

  it('waitForAgent: callers wait and hear no other caller until an agent joins', () =>
    inSimulatedWorld({ seed: 26 }, async (world) => {
      const ann = await customer(
        world,
        'ann',
        `${element('waitForAgent="true" waitTime="60" stayAlone="true"')}<Hangup/>`,
      );
      const [bob, cid] = [await world.phone('bob'), await world.phone('cid')];
      await dialIn(world, ann);
      await add(world, bob, { role: 'customer' });
      assert.equal((await world.api('GET', room)).body.status, 'Initialized');
      assert.deepEqual(await heardBy(world, ann, { bob }), []);
      await add(world, cid);
      assert.equal((await world.api('GET', room)).body.status, 'Active');
      assert.deepEqual(await heardBy(world, ann, { bob, cid }), ['bob', 'cid']);
      await world.api('DELETE', room);
      await world.until('ann is over', () => ann.call?.isUp === false);
    }));

  it('waitTime over without an agent: the caller goes on with its document', () =>
    inSimulatedWorld({ seed: 27 }, async (world) => {
      const ann = await customer(
        world,
        'ann',
        `${element('waitForAgent="true" waitTime="5"')}<Wait length="2"/>`,
      );
      const call = await dialIn(world, ann);
      const { mpc_uuid } = (await world.api('GET', room)).body;
      await world.advance(5500);
      const ended = (await world.api('GET', `MultiPartyCall/uuid_${mpc_uuid}/`)).body;
      assert.deepEqual([ended.status, ended.termination_cause_code, ended.start_time], ['Ended', 1000, null]);
      assert.ok(call.isUp);
      await world.until('the document is over', () => !call.isUp);
    }));
});
