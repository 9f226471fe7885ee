import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  inSimulatedWorld,
  openSimulatedWorld,
  type PhoneCall,
  type SimulatedPhone,
  type SimulatedWorld,
  speechHz,
  toneFile,
  toneMeter,
} from '@jackfield/testkit';

const base = 'https://customer.example.com';
const answerUrl = `${base}/answer`;

/** A phone whose calls run the given document. */
async function caller(world: SimulatedWorld, ...elements: readonly string[]): Promise<SimulatedPhone> {
  world.customer.serve(answerUrl, `<Response>${elements.join('')}</Response>`);
  const fields = { app_name: 'ivr', answer_url: answerUrl, hangup_url: `${base}/hangup` };
  const application = await world.api('POST', 'Application/', fields);
  const phone = await world.phone('ann');
  const { objects } = (await world.api('GET', 'Endpoint/')).body;
  const endpoint = objects.find((each: { username: string }) => each.username === phone.username);
  const { app_id } = application.body;
  assert.equal((await world.api('POST', `Endpoint/${endpoint.endpoint_id}/`, { app_id })).status, 202);
  return phone;
}

/** For documents with sound files, which stay loaded for the next call: everything else is gone at the end. */
async function inWorldWithSounds(seed: number, run: (world: SimulatedWorld) => Promise<void>): Promise<void> {
  const world = await openSimulatedWorld({ seed });
  try {
    await run(world);
    await world.advance(70_000);
    const left = Object.entries(world.census()).filter(([, count]) => count > 0);
    assert.deepEqual(left, []);
  } finally {
    await world.close();
  }
}

const asked = (world: SimulatedWorld, path: string) =>
  world.customer.requests.find(({ url }) => url === base + path)?.fields;

/** Number of a phone's received frames with this tone. */
function framesOf(call: PhoneCall, hz: number): number {
  const meter = toneMeter(hz);
  return call.heard.filter(({ samples }) => meter(samples) > -40).length;
}

async function ended(world: SimulatedWorld, call: PhoneCall): Promise<void> {
  await world.until('the call is over', () => call.end !== undefined, 20_000);
}

async function callbackAt(world: SimulatedWorld, path: string) {
  await world.until(`${path} is asked`, () => asked(world, path) !== undefined, 20_000);
  return asked(world, path) ?? {};
}

describe('documents on real phones', () => {
  it('a document waits unanswered, speaks to the end and ends the call', () =>
    inWorldWithSounds(31, async (world) => {
      const phone = await caller(world, '<Wait length="2"/>', '<Speak>Hello, who is there?</Speak>');
      const call = phone.dial('support');
      await world.advance(1_500);
      assert.equal(call.answeredAt, undefined);
      await ended(world, call);
      assert.equal(call.end?.by, 'remote-bye');
      // 40 ms for each of the 20 characters: the speech of this world.
      assert.ok(Math.abs(framesOf(call, speechHz) - 40) < 4, `${framesOf(call, speechHz)} frames of speech`);
      const { HangupCauseCode, HangupSource } = await callbackAt(world, '/hangup');
      assert.deepEqual([HangupCauseCode, HangupSource], ['4010', 'Answer XML']);
    }));

  for (const [reason, status] of [
    ['busy', 486],
    ['rejected', 603],
  ] as const) {
    it(`Hangup with reason ${reason} refuses an unanswered call with ${status}`, () =>
      inSimulatedWorld({ seed: 32 }, async (world) => {
        const phone = await caller(world, `<Hangup reason="${reason}"/>`);
        const call = phone.dial('support');
        await ended(world, call);
        assert.ok(call.end?.by === 'rejected' && call.end.status === status);
      }));
  }

  it('a document that cannot be fetched refuses the call, with its cause in the record and in an event', () =>
    inSimulatedWorld({ seed: 33 }, async (world) => {
      const phone = await caller(world, '<Nonsense/>');
      const call = phone.dial('support');
      await ended(world, call);
      assert.equal(call.end?.by, 'rejected');
      assert.equal((await callbackAt(world, '/hangup')).HangupCauseCode, '8011');
    }));

  it('GetDigits without a key repeats its prompts, then the next element runs', () =>
    inWorldWithSounds(34, async (world) => {
      world.customer.serve(`${base}/menu`, toneFile(440, 500));
      const phone = await caller(
        world,
        `<GetDigits action="${base}/digits" timeout="1" retries="2"><Play>${base}/menu</Play></GetDigits>`,
        `<Redirect>${base}/next</Redirect>`,
      );
      world.customer.serve(`${base}/next`, '<Response><Hangup/></Response>');
      const call = phone.dial('support');
      await ended(world, call);
      assert.equal(asked(world, '/digits'), undefined);
      assert.equal(asked(world, '/next')?.Event, 'Redirect');
      assert.ok(Math.abs(framesOf(call, 440) - 50) < 4, `${framesOf(call, 440)} frames of the prompt`);
    }));

  it('a recording of the caller ends at its greatest length, and its action gets the URL of the file', () =>
    inSimulatedWorld({ seed: 35 }, async (world) => {
      const phone = await caller(
        world,
        `<Record action="${base}/recorded" maxLength="2" playBeep="false" fileFormat="wav" recordChannelType="mono"/>`,
      );
      world.customer.serve(`${base}/recorded`, '<Response/>');
      const call = phone.dial('support');
      const fields = await callbackAt(world, '/recorded');
      await ended(world, call);
      assert.ok(Math.abs(Number(fields.RecordingDurationMs) - 2_000) < 100, fields.RecordingDurationMs);
      const captured = world.node.media.capturedOf(fields.RecordingID ?? '');
      const meter = toneMeter(phone.toneHz);
      assert.ok(meter((captured?.samples[0] ?? new Int16Array()).slice(8_000, 8_160)) > -40);
    }));

  it('a caller who hangs up in the middle of a recording leaves nothing running', () =>
    inSimulatedWorld({ seed: 36 }, async (world) => {
      const phone = await caller(
        world,
        `<Record action="${base}/own" redirect="false" recordSession="true"/>`,
        `<Record action="${base}/recorded" playBeep="false"/>`,
      );
      phone.dial('support');
      await world.until('it is recorded', () => asked(world, '/own') !== undefined);
      await world.advance(1_000);
      phone.hangUp();
      const { CallStatus, RecordingDurationMs } = await callbackAt(world, '/recorded');
      assert.equal(CallStatus, 'completed');
      assert.ok(Number(RecordingDurationMs) > 500);
    }));

  it('a call that is made runs its document when the phone answers, and is transferred in the middle', () =>
    inWorldWithSounds(37, async (world) => {
      world.customer.serve(answerUrl, '<Response><Wait length="60"/></Response>');
      world.customer.serve(`${base}/tone`, toneFile(440, 400));
      world.customer.serve(`${base}/other`, `<Response><Play>${base}/tone</Play></Response>`);
      const bob = await world.phone('bob');
      bob.behaviour = { does: 'answer', ringMs: 300 };
      const order = { from: '+12025550199', to: bob.username, answer_url: answerUrl };
      const { request_uuid } = (await world.api('POST', 'Call/', order)).body;
      await world.until('the document is asked for', () => asked(world, '/answer') !== undefined);
      assert.equal(asked(world, '/answer')?.CallUUID, request_uuid);
      const moved = await world.api('POST', `Call/${request_uuid}/`, { aleg_url: `${base}/other` });
      assert.deepEqual([moved.status, moved.body.call_uuids], [202, [request_uuid]]);
      const { call } = bob;
      assert.ok(call !== undefined);
      await ended(world, call);
      assert.ok(Math.abs(framesOf(call, 440) - 20) < 3, `${framesOf(call, 440)} frames of the sound`);
    }));

  it('both legs of a direct call can be transferred to different documents', () =>
    inWorldWithSounds(38, async (world) => {
      for (const [path, hz] of [
        ['/a', 440],
        ['/b', 660],
      ] as const) {
        world.customer.serve(`${base}${path}.wav`, toneFile(hz, 400));
        world.customer.serve(base + path, `<Response><Play>${base}${path}.wav</Play></Response>`);
      }
      const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
      bob.behaviour = { does: 'answer', ringMs: 100 };
      const call = ann.dial(bob.username);
      await world.until('they talk', () => call.isUp && bob.call?.isUp);
      const { calls } = (await world.api('GET', 'Call/?status=live')).body;
      const legs: { direction: string; call_uuid: string }[] = [];
      for (const uuid of calls) legs.push((await world.api('GET', `Call/${uuid}/?status=live`)).body);
      const aLeg = legs.find(({ direction }) => direction === 'inbound')?.call_uuid ?? '';
      const order = { legs: 'both', aleg_url: `${base}/a`, bleg_url: `${base}/b` };
      assert.equal((await world.api('POST', `Call/${aLeg}/`, order)).status, 202);
      const other = bob.call;
      assert.ok(other !== undefined);
      await ended(world, call);
      await ended(world, other);
      assert.ok(framesOf(call, 440) > 15 && framesOf(call, 660) === 0);
      assert.ok(framesOf(other, 660) > 15 && framesOf(other, 440) === 0);
    }));

  it('a caller in a multiparty call is transferred out of it', () =>
    inWorldWithSounds(39, async (world) => {
      world.customer.serve(`${base}/tone`, toneFile(440, 400));
      world.customer.serve(`${base}/other`, `<Response><Play>${base}/tone</Play></Response>`);
      const element = '<MultiPartyCall role="Customer" enterSound="none">room</MultiPartyCall>';
      const phone = await caller(world, element, '<Speak>Not to be heard</Speak>');
      const call = phone.dial('support');
      const room = 'MultiPartyCall/name_room/Participant/';
      await world.until('the caller is in the room', async () => {
        const { body } = await world.api('GET', room);
        return body.objects?.length === 1;
      });
      const uuid = asked(world, '/answer')?.CallUUID;
      const moved = await world.api('POST', `Call/${uuid}/`, { aleg_url: `${base}/other` });
      assert.equal(moved.status, 202);
      await ended(world, call);
      assert.ok(Math.abs(framesOf(call, 440) - 20) < 3, `${framesOf(call, 440)} frames of the sound`);
      assert.equal(framesOf(call, speechHz), 0);
      assert.equal((await callbackAt(world, '/hangup')).HangupCauseCode, '4010');
      assert.equal((await world.api('GET', room)).status, 404);
    }));

  it('a document that runs in circles ends its call', () =>
    inSimulatedWorld({ seed: 40 }, async (world) => {
      const phone = await caller(world, `<Redirect>${answerUrl}</Redirect>`);
      const call = phone.dial('support');
      await ended(world, call);
      assert.equal((await callbackAt(world, '/hangup')).HangupCauseCode, '2060');
      const documents = world.customer.requests.filter(({ url }) => url === answerUrl);
      assert.ok(documents.length <= 501, `${documents.length} documents`);
    }));
});
