import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  inSimulatedWorld,
  openSimulatedWorld,
  type PhoneCall,
  type SimulatedPhone,
  type SimulatedWorld,
  toneFile,
  toneMeter,
} from '@jackfield/testkit';

const answerUrl = 'https://customer.example.com/answer';
const actionUrl = 'https://customer.example.com/action';
const callbackUrl = 'https://customer.example.com/dial';

/** A caller whose document dials these phones, and then waits. */
async function caller(
  world: SimulatedWorld,
  attributes: string,
  callees: readonly SimulatedPhone[],
  before = '',
): Promise<SimulatedPhone> {
  const users = callees.map(({ username }) => `<User>sip:${username}@sip.example.com</User>`).join('');
  const dial = `<Dial action="${actionUrl}" redirect="false" callbackUrl="${callbackUrl}" ${attributes}>${users}</Dial>`;
  world.customer.serve(answerUrl, `<Response>${before}${dial}<Wait length="2"/></Response>`);
  const application = await world.api('POST', 'Application/', { app_name: 'ivr', answer_url: answerUrl });
  const phone = await world.phone('ann');
  const { objects } = (await world.api('GET', 'Endpoint/')).body;
  const endpoint = objects.find((each: { username: string }) => each.username === phone.username);
  const { app_id } = application.body;
  assert.equal((await world.api('POST', `Endpoint/${endpoint.endpoint_id}/`, { app_id })).status, 202);
  return phone;
}

const result = (world: SimulatedWorld) =>
  world.customer.requests.find(({ url }) => url === actionUrl)?.fields;
const callbacks = (world: SimulatedWorld) =>
  world.customer.requests.filter(({ url }) => url === callbackUrl).map(({ fields }) => fields);

/** The share of a phone's last frames with this tone. */
function share(call: PhoneCall, hz: number, since: number): number {
  const meter = toneMeter(hz);
  const frames = call.heard.filter(({ at }) => at >= since);
  return frames.filter(({ samples }) => meter(samples) > -40).length / Math.max(1, frames.length);
}

async function heard(world: SimulatedWorld, call: PhoneCall, hz: number): Promise<boolean> {
  await world.advance(200);
  const since = world.now();
  await world.advance(300);
  return share(call, hz, since) > 0.9;
}

describe('a Dial, from phone to phone', () => {
  it('connects the first of two phones that answers; the other loses the race, and the caller continues after the conversation', () =>
    inSimulatedWorld({ seed: 11 }, async (world) => {
      const [bob, cid] = [await world.phone('bob'), await world.phone('cid')];
      bob.behaviour = { does: 'ring' };
      cid.behaviour = { does: 'answer', ringMs: 400 };
      const ann = await caller(world, '', [bob, cid]);
      const call = ann.dial('support');
      await world.until('both ring', () => bob.call?.isRinging && cid.call?.isRinging);
      await world.advance(100);
      assert.ok(call.isRinging && !call.isUp, 'the caller is not answered before a phone is connected');
      await world.until('the caller is answered', () => call.isUp);
      await world.until('bob has lost', () => bob.call?.end?.by === 'remote-cancel');
      assert.ok(await heard(world, call, cid.toneHz));
      assert.ok(cid.call !== undefined && (await heard(world, cid.call, ann.toneHz)));
      cid.hangUp();
      await world.until('action is asked', () => result(world) !== undefined);
      assert.ok(call.isUp);
      const { DialStatus, DialRingStatus, DialHangupCause, DialBLegUUID } = result(world) ?? {};
      assert.deepEqual([DialStatus, DialRingStatus, DialHangupCause], ['completed', 'true', 'Normal Hangup']);
      const codes = callbacks(world).map((each) => [each.DialAction, each.DialBLegHangupCauseCode]);
      assert.deepEqual(codes, [
        ['answer', undefined],
        ['hangup', '9000'],
        ['connected', undefined],
        ['hangup', '4000'],
      ]);
      assert.equal(callbacks(world).at(-1)?.DialBLegUUID, DialBLegUUID);
      await world.until('the document is over', () => !call.isUp);
    }));

  it('cancels phones that do not answer within timeout, and the document continues with timeout', () =>
    inSimulatedWorld({ seed: 12 }, async (world) => {
      const bob = await world.phone('bob');
      bob.behaviour = { does: 'ring' };
      const ann = await caller(world, 'timeout="5"', [bob]);
      const call = ann.dial('support');
      await world.until('action is asked', () => result(world) !== undefined, 8000);
      assert.equal(bob.call?.end?.by, 'remote-cancel');
      assert.deepEqual([result(world)?.DialStatus, result(world)?.DialBLegUUID], ['timeout', '']);
      await world.until('the document is over', () => call.end !== undefined);
    }));

  it('ends at once when the phone is busy', () =>
    inSimulatedWorld({ seed: 13 }, async (world) => {
      const bob = await world.phone('bob');
      bob.behaviour = { does: 'reject', status: 486 };
      const ann = await caller(world, '', [bob]);
      const call = ann.dial('support');
      await world.until('action is asked', () => result(world) !== undefined);
      assert.deepEqual([result(world)?.DialStatus, result(world)?.DialHangupCause], ['busy', 'Busy Line']);
      await world.until('the document is over', () => call.end !== undefined);
    }));

  it('cancels the phone when the caller gives up while it rings', () =>
    inSimulatedWorld({ seed: 14 }, async (world) => {
      const bob = await world.phone('bob');
      bob.behaviour = { does: 'ring' };
      const ann = await caller(world, '', [bob]);
      ann.dial('support');
      await world.until('it rings', () => bob.call?.isRinging);
      ann.hangUp();
      await world.until('bob is left alone', () => bob.call?.end?.by === 'remote-cancel');
      await world.advance(500);
      assert.equal(callbacks(world).at(-1)?.DialBLegHangupCauseCode, '1000');
    }));

  it('ends the conversation at timeLimit, and the caller continues', () =>
    inSimulatedWorld({ seed: 15 }, async (world) => {
      const bob = await world.phone('bob');
      const ann = await caller(world, 'timeLimit="3"', [bob]);
      const call = ann.dial('support');
      await world.until('they talk', () => call.isUp);
      await world.until('bob is hung up', () => bob.call?.end?.by === 'remote-bye');
      await world.until('action is asked', () => result(world) !== undefined);
      assert.ok(call.isUp);
      assert.equal(result(world)?.DialStatus, 'completed');
      assert.equal(callbacks(world).at(-1)?.DialBLegHangupCauseCode, '6000');
      await world.until('the document is over', () => !call.isUp);
    }));

  it('dialMusic is heard by the unanswered caller, and not in the conversation', async () => {
    // Without the census at the end: the file stays loaded for the next play.
    const world = await openSimulatedWorld({ seed: 16 });
    try {
      const musicUrl = 'https://customer.example.com/music.mp3';
      world.customer.serve(musicUrl, toneFile(2500, 60_000));
      const bob = await world.phone('bob');
      bob.behaviour = { does: 'answer', ringMs: 2000 };
      const ann = await caller(world, `dialMusic="${musicUrl}"`, [bob]);
      const call = ann.dial('support');
      await world.until('it rings', () => bob.call?.isRinging);
      await world.advance(500);
      assert.equal(call.isUp, false);
      assert.ok(await heard(world, call, 2500), 'early media');
      await world.until('they talk', () => call.isUp);
      assert.ok(await heard(world, call, bob.toneHz));
      assert.equal(await heard(world, call, 2500), false);
      bob.hangUp();
      await world.until('the document is over', () => !call.isUp);
    } finally {
      await world.close();
    }
  });

  it('a caller who was answered before hears ringback until it is connected', () =>
    inSimulatedWorld({ seed: 17 }, async (world) => {
      const bob = await world.phone('bob');
      bob.behaviour = { does: 'answer', ringMs: 1500 };
      const ann = await caller(world, '', [bob], '<DTMF async="false">1</DTMF>');
      const call = ann.dial('support');
      await world.until('it rings', () => bob.call?.isRinging);
      const since = world.now();
      await world.advance(600);
      assert.ok(call.isUp);
      // 440 and 480 Hz together.
      assert.ok(share(call, 450, since) > 0.5, `${share(call, 450, since)} of the frames are ringback`);
      await world.until('they talk', () => bob.call?.isUp);
      assert.ok(await heard(world, call, bob.toneHz));
      bob.hangUp();
      await world.until('the document is over', () => !call.isUp);
    }));
});
