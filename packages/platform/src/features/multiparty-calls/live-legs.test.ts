import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inSimulatedWorld, type SimulatedPhone, toneMeter } from '@jackfield/testkit';
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

describe('live legs in a multiparty call, from phone to phone', () => {
  it('a caller in a multiparty call talks, is kicked, and its document goes on', () =>
    inSimulatedWorld({ seed: 3 }, async (world) => {
      world.customer.serve(exitUrl, document('<Wait length="2"/><Hangup/>'));
      const ann = await customer(world, 'ann', `${element(`onExitActionUrl="${exitUrl}"`)}<Hangup/>`);
      const bob = await world.phone('bob');
      await add(world, bob);
      const call = await dialIn(world, ann);
      assert.deepEqual(await heardBy(world, ann, { bob }), ['bob']);
      assert.deepEqual(await heardBy(world, bob, { ann }), ['ann']);

      const member = (await members(world)).find(({ role }) => role === 'customer');
      assert.equal((await world.api('DELETE', `${room}Participant/${member?.member_id}/`)).status, 204);
      await world.advance(200);
      assert.ok(call.isUp, 'its document runs again');
      assert.deepEqual(await heardBy(world, ann, { bob }), []);
      const exit = world.customer.requests.find(({ url }) => url === exitUrl);
      assert.equal(exit?.fields.MemberID, member?.member_id);
      assert.equal(exit?.fields.ParticipantCallUUID, member?.call_uuid);
      await world.until('the document has hung up', () => !call.isUp);
      assert.ok(bob.call?.isUp);
      bob.hangUp();
    }));

  it('no customer who dialled in hears a coach, from the first frame on', () =>
    inSimulatedWorld({ seed: 4 }, async (world) => {
      const ann = await customer(world, 'ann', element());
      const [bob, sue] = [await world.phone('bob'), await world.phone('sue')];
      await add(world, bob);
      await add(world, sue, { role: 'supervisor' });
      const call = await dialIn(world, ann);
      assert.deepEqual(await heardBy(world, ann, { bob, sue }), ['bob']);
      assert.deepEqual(await heardBy(world, bob, { ann, sue }), ['ann', 'sue']);
      const coach = toneMeter(sue.toneHz);
      assert.ok(!call.heard.some(({ samples }) => coach(samples) > -40), 'not for one frame');
      await world.api('DELETE', room);
    }));

  it('the end of the call hangs up dialled legs, and the caller hears the next element', () =>
    inSimulatedWorld({ seed: 5 }, async (world) => {
      const ann = await customer(world, 'ann', `${element()}<Wait length="3"/>`);
      const bob = await world.phone('bob');
      await add(world, bob);
      const call = await dialIn(world, ann);
      assert.equal((await world.api('DELETE', room)).status, 204);
      await world.until('bob is hung up', () => bob.call?.end?.by === 'remote-bye');
      await world.advance(1000);
      assert.ok(call.isUp);
      await world.until('the document is over', () => !call.isUp);
    }));

  it('a caller who hangs up has left, and its document is over', () =>
    inSimulatedWorld({ seed: 6 }, async (world) => {
      const ann = await customer(world, 'ann', `${element()}<Wait length="30"/>`);
      const bob = await world.phone('bob');
      await add(world, bob);
      await dialIn(world, ann);
      ann.hangUp();
      await world.advance(200);
      assert.equal((await members(world)).length, 1);
      bob.hangUp();
    }));

  it('the exit action after a hang-up has the parameters of the call, dialled in, dialled by the API or moved', () =>
    inSimulatedWorld({ seed: 13 }, async (world) => {
      const bob = await world.phone('bob');
      await add(world, bob);
      const sent = (url: string) =>
        world.customer.requests.filter((each) => each.url === url).map(({ fields }) => fields);
      /** A phone whose call runs the document of `url` hangs up in the multiparty call. */
      async function hungUp(ann: SimulatedPhone, url: string) {
        ann.hangUp();
        await world.advance(1000);
        const { Event: _, CallStatus: __, ...ofCall } = sent(url)[0] ?? {};
        const exit = sent(exitUrl).at(-1) ?? {};
        const shared = Object.keys(ofCall).map((name) => [name, exit[name]]);
        assert.deepEqual(Object.fromEntries(shared), ofCall);
        assert.deepEqual([exit.Event, exit.CallStatus], ['Redirect', 'completed']);
        return exit;
      }

      const withExit = `${element(`onExitActionUrl="${exitUrl}"`)}<Hangup/>`;
      const ann = await customer(world, 'ann', withExit);
      await dialIn(world, ann);
      const inbound = await hungUp(ann, 'https://customer.example.com/answer');
      assert.equal(inbound.Direction, 'inbound');
      assert.ok(inbound['SIP-H-To'], 'a header of the call');

      const call = async (url: string, body: string) => {
        world.customer.serve(url, document(body));
        const from = '+12025550199';
        const made = await world.api('POST', 'Call/', { from, to: ann.username, answer_url: url });
        await world.until('ann is up', () => ann.call?.isUp);
        await world.advance(500);
        return made.body.request_uuid;
      };
      const dialled = await call('https://customer.example.com/dialled', withExit);
      const outbound = await hungUp(ann, 'https://customer.example.com/dialled');
      assert.deepEqual([outbound.Direction, outbound.RequestUUID], ['outbound', dialled]);

      const callUuid = await call('https://customer.example.com/moved', '<Wait length="60"/>');
      const { status, body } = await world.api('POST', `${room}Participant/`, {
        role: 'customer',
        call_uuid: callUuid,
        on_exit_action_url: exitUrl,
      });
      assert.equal(status, 201, JSON.stringify(body));
      await world.advance(500);
      const moved = await hungUp(ann, 'https://customer.example.com/moved');
      assert.deepEqual([moved.Direction, moved.RequestUUID], ['outbound', callUuid]);
      assert.equal(sent(exitUrl).length, 3);
      bob.hangUp();
    }));

  it('a caller and a dialled participant that the API transfers have left, and run their new document', () =>
    inSimulatedWorld({ seed: 12 }, async (world) => {
      const ann = await customer(world, 'ann', `${element()}<Wait length="30"/>`);
      const bob = await world.phone('bob');
      const dialled = await add(world, bob);
      const call = await dialIn(world, ann);
      const next = 'https://customer.example.com/next';
      world.customer.serve(next, document('<Wait length="1"/>'));
      const of = `MultiPartyCall/uuid_${(await world.api('GET', room)).body.mpc_uuid}/`;
      const lent = (await members(world)).find(({ role }) => role === 'customer')?.call_uuid ?? '';
      for (const leg of [lent, dialled]) {
        const { status, body } = await world.api('POST', `Call/${leg}/`, { legs: 'aleg', aleg_url: next });
        assert.equal(status, 202, JSON.stringify(body));
        await world.advance(100);
      }
      assert.ok(call.isUp && bob.call?.isUp);
      const gone = await members(world, of);
      assert.equal(gone.length, 2);
      for (const { member_id } of gone) {
        const { body } = await world.api('GET', `${of}Participant/${member_id}/`);
        assert.equal(body.exit_cause, 'Participant Call Transferred');
      }
      await world.until('both documents are over', () => !call.isUp && bob.call?.isUp === false);
    }));

  it('a call between two endpoints: one is moved by call_uuid, the other is hung up', () =>
    inSimulatedWorld({ seed: 7 }, async (world) => {
      const phones = [await world.phone('ann'), await world.phone('bob'), await world.phone('cid')] as const;
      const [ann, bob, cid] = phones;
      await add(world, cid);
      const call = await dialIn(world, ann, bob.username);
      assert.deepEqual(await heardBy(world, ann, { bob, cid }), ['bob']);
      const live: readonly string[] = (await world.api('GET', 'Call/?status=live')).body.calls;
      const inRoom = (await members(world)).map(({ call_uuid }) => call_uuid);
      const calls = await Promise.all(
        live
          .filter((uuid) => !inRoom.includes(uuid))
          .map(async (uuid) => (await world.api('GET', `Call/${uuid}/?status=live`)).body),
      );
      const caller = calls.find(({ direction }) => direction === 'inbound');
      const moved = await world.api('POST', `${room}Participant/`, {
        role: 'customer',
        call_uuid: caller.call_uuid,
        enter_sound: 'none',
      });
      assert.equal(moved.status, 201, JSON.stringify(moved.body));
      await world.until('bob is hung up', () => bob.call?.end?.by === 'remote-bye');
      assert.ok(call.isUp);
      assert.deepEqual(await heardBy(world, ann, { bob, cid }), ['cid']);
      assert.deepEqual(await heardBy(world, cid, { ann }), ['ann']);
      assert.equal((await world.api('DELETE', room)).status, 204);
      await world.until('ann is hung up', () => call.end?.by === 'remote-bye');
    }));

  it('a participant moved to another multiparty call hears no member of the first', () =>
    inSimulatedWorld({ seed: 8 }, async (world) => {
      const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
      const moving = await add(world, ann);
      await add(world, bob);
      const cid = await world.phone('cid');
      const path = 'MultiPartyCall/name_other/Participant/';
      const other = { role: 'agent', from: '+12025550199', enter_sound: 'none', stay_alone: true };
      assert.equal((await world.api('POST', path, { ...other, to: cid.username })).status, 201);
      await world.until('cid is in', () => cid.call?.isUp);
      const moved = await world.api('POST', path, {
        role: 'agent',
        call_uuid: moving,
        enter_sound: 'none',
      });
      assert.equal(moved.status, 201, JSON.stringify(moved.body));
      assert.deepEqual(await heardBy(world, ann, { bob, cid }), ['cid']);
      assert.deepEqual(await heardBy(world, bob, { ann }), []);
      for (const phone of [bob, cid]) phone.hangUp();
      await world.advance(200);
      ann.hangUp();
    }));

  it('a participant that is moved while its call changes is heard and hears in the other one', () =>
    inSimulatedWorld({ seed: 14 }, async (world) => {
      const [ann, bob, cid] = [await world.phone('ann'), await world.phone('bob'), await world.phone('cid')];
      const moving = await add(world, ann);
      const staying = await add(world, bob);
      const path = 'MultiPartyCall/name_other/Participant/';
      const other = { role: 'agent', from: '+12025550199', enter_sound: 'none', stay_alone: true };
      assert.equal((await world.api('POST', path, { ...other, to: cid.username })).status, 201);
      await world.until('cid is in', () => cid.call?.isUp);
      await world.advance(200);
      const { member_id } = (await members(world)).find(({ call_uuid }) => call_uuid === staying)!;
      const requests = [true, false, true, false].map((mute) =>
        world.node.call('POST', `${room}Participant/${member_id}/`, { body: { mute } }),
      );
      const body = { role: 'agent', call_uuid: moving, enter_sound: 'none' };
      requests.push(world.node.call('POST', path, { body }));
      await world.advance(100);
      const answers = await Promise.all(requests);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [202, 202, 202, 202, 201],
      );
      assert.deepEqual(await heardBy(world, ann, { bob, cid }), ['cid']);
      assert.deepEqual(await heardBy(world, cid, { ann, bob }), ['ann']);
      assert.deepEqual(await heardBy(world, bob, { ann }), []);
      for (const phone of [bob, cid]) phone.hangUp();
      await world.advance(200);
      ann.hangUp();
    }));

  it('a speaking participant is reported where participant-speak-events were requested', () =>
    inSimulatedWorld({ seed: 10 }, async (world) => {
      const bob = await world.phone('bob');
      const url = 'https://customer.example.com/status';
      const leg = await add(world, bob, {
        status_callback_url: url,
        status_callback_events: 'participant-speak-events',
      });
      await world.advance(1000);
      const reported = world.customer.requests.filter((each) => each.url === url).map(({ fields }) => fields);
      assert.deepEqual(
        reported.map(({ EventName, ParticipantCallUUID, MPCName }) => [
          EventName,
          ParticipantCallUUID,
          MPCName,
        ]),
        [['ParticipantSpeakStart', leg, 'room']],
      );
      bob.hangUp();
    }));

  it('call_status_callback_url receives Ring, StartApp and Hangup of the dialled leg, with the names of the call', () =>
    inSimulatedWorld({ seed: 9 }, async (world) => {
      const bob = await world.phone('bob');
      bob.behaviour = { does: 'answer', ringMs: 500 };
      const url = 'https://customer.example.com/leg';
      const leg = await add(world, bob, { call_status_callback_url: url });
      const [member] = await members(world);
      bob.hangUp();
      await world.advance(1000);
      const reported = world.customer.requests.filter((each) => each.url === url).map(({ fields }) => fields);
      assert.deepEqual(
        reported.map(({ Event, CallUUID, MPCName, MemberID }) => [Event, CallUUID, MPCName, MemberID]),
        ['Ring', 'StartApp', 'Hangup'].map((event) => [event, leg, 'room', member?.member_id]),
      );
      assert.deepEqual(
        reported.map(({ CallStatus }) => CallStatus),
        ['ringing', 'in-progress', 'completed'],
      );
    }));
});
