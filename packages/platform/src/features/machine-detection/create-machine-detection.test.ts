import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  inSimulatedWorld,
  machineBeep,
  type SimulatedPhone,
  type SimulatedWorld,
  syntheticVoice,
} from '@jackfield/testkit';

const base = 'https://customer.example.com';

const requestsOf = (world: SimulatedWorld, path: string) =>
  world.customer.requests.filter(({ url }) => url === base + path).map(({ fields }) => fields);

/** Calls a phone that says this when it answers. */
async function called(
  world: SimulatedWorld,
  fields: object,
  document: string,
  ...said: readonly Int16Array[]
): Promise<SimulatedPhone> {
  world.customer.serve(`${base}/answer`, `<Response>${document}</Response>`);
  world.customer.serve(`${base}/result`, '');
  world.customer.serve(`${base}/ended`, '');
  const phone = await world.phone('ann');
  const order = {
    from: '+12025550000',
    to: phone.username,
    answer_url: `${base}/answer`,
    hangup_url: `${base}/ended`,
  };
  assert.equal((await world.api('POST', 'Call/', { ...order, ...fields })).status, 201);
  await world.until('the call is up', () => phone.call?.isUp === true);
  for (const sound of said) phone.call?.audio.say(sound);
  return phone;
}

describe('calls with machine_detection', () => {
  it('to a person request the answer document after the hello, with Machine=false', () =>
    inSimulatedWorld({ seed: 81 }, async (world) => {
      const phone = await called(
        world,
        { machine_detection: true },
        '<Hangup/>',
        syntheticVoice(800, 10_000),
      );
      await world.advance(1_200);
      assert.equal(requestsOf(world, '/answer').length, 0);
      await world.until('the call is over', () => phone.call?.end !== undefined, 5_000);
      const [answer] = requestsOf(world, '/answer');
      assert.deepEqual([answer?.Event, answer?.Machine], ['StartApp', 'false']);
    }));

  it('send the result to fallback_url too, when the answer document cannot be fetched', () =>
    inSimulatedWorld({ seed: 87 }, async (world) => {
      const fields = {
        machine_detection: true,
        answer_url: `${base}/broken`,
        fallback_url: `${base}/fallback`,
      };
      world.customer.serve(`${base}/broken`, { status: 500 });
      world.customer.serve(`${base}/fallback`, '<Response><Hangup/></Response>');
      const phone = await called(world, fields, '', syntheticVoice(800, 10_000));
      await world.until('the call is over', () => phone.call?.end !== undefined, 5_000);
      const [fallback] = requestsOf(world, '/fallback');
      const { Event, FallbackCode, Machine } = fallback ?? {};
      assert.deepEqual([Event, FallbackCode, Machine], ['StartApp', '7011', 'false']);
    }));

  it('to a machine with hangup end with 9100, and request no document', () =>
    inSimulatedWorld({ seed: 82 }, async (world) => {
      const phone = await called(
        world,
        { machine_detection: 'hangup' },
        '<Hangup/>',
        syntheticVoice(9_000, 1_000),
      );
      await world.until('the call is over', () => phone.call?.end !== undefined, 5_000);
      await world.until('its end is reported', () => requestsOf(world, '/ended').length > 0);
      const [ended] = requestsOf(world, '/ended');
      assert.deepEqual([ended?.HangupCauseCode, ended?.HangupSource], ['9100', 'Service']);
      assert.equal(requestsOf(world, '/answer').length, 0);
    }));

  it('leave a message after the beep', () =>
    inSimulatedWorld({ seed: 83 }, async (world) => {
      const document = '<Wait length="30" silence="true" untilBeep="true"/><Hangup/>';
      const said = [syntheticVoice(4_000, 500), machineBeep(10_000)];
      const phone = await called(world, { machine_detection: 'true' }, document, ...said);
      await world.advance(4_500);
      assert.equal(requestsOf(world, '/answer')[0]?.Machine, 'true');
      assert.equal(phone.call?.end, undefined);
      await world.until('the wait is over', () => phone.call?.end !== undefined, 1_500);
    }));

  it('with machine_detection_url run the document at once, and send the result and the beep there', () =>
    inSimulatedWorld({ seed: 84 }, async (world) => {
      const fields = { machine_detection: true, machine_detection_url: `${base}/result` };
      const document = '<Wait length="8" silence="true"/><Hangup/>';
      const phone = await called(world, fields, document, syntheticVoice(4_000, 500), machineBeep(10_000));
      await world.until('the document is requested', () => requestsOf(world, '/answer').length > 0, 500);
      assert.equal(requestsOf(world, '/answer')[0]?.Machine, undefined);
      await world.until('the call is over', () => phone.call?.end !== undefined, 10_000);
      const results = requestsOf(world, '/result');
      assert.deepEqual(
        results.map(({ Event, Machine, MachineReason }) => [Event, Machine, MachineReason]),
        [
          ['MachineDetection', 'true', 'long-greeting'],
          ['MachineBeep', 'true', undefined],
        ],
      );
      assert.equal(results[0]?.CallStatus, 'in-progress');
    }));

  it('of a participant and of a Dial hang machines up as well', () =>
    inSimulatedWorld({ seed: 85 }, async (world) => {
      const bob = await world.phone('bob');
      const fields = { role: 'agent', from: '+12025550000', to: bob.username, machine_detection: 'hangup' };
      await world.api('POST', 'MultiPartyCall/name_demo/Participant/', fields);
      await world.until('the participant is up', () => bob.call?.isUp === true);
      bob.call?.audio.say(syntheticVoice(9_000, 1_000));
      await world.until('the participant is hung up', () => bob.call?.end !== undefined, 5_000);

      world.customer.serve(`${base}/over`, '<Response><Hangup/></Response>');
      const carl = await world.phone('carl');
      const dial = `<Dial action="${base}/over" machineDetection="hangup"><User>sip:${carl.username}@sip.example.com</User></Dial>`;
      await called(world, {}, dial);
      await world.until('the dialled phone is up', () => carl.call?.isUp === true);
      carl.call?.audio.say(syntheticVoice(9_000, 1_000));
      await world.until('the Dial is over', () => requestsOf(world, '/over').length > 0, 5_000);
      assert.equal(requestsOf(world, '/over')[0]?.DialHangupCause, 'Machine Detected');
    }));

  it('that are hung up while it listens leave nothing behind', () =>
    inSimulatedWorld({ seed: 86 }, async (world) => {
      const phone = await called(world, { machine_detection: true }, '<Hangup/>', syntheticVoice(500, 1_000));
      phone.call?.hangUp();
      await world.advance(6_000);
      assert.equal(requestsOf(world, '/answer').length, 0);
    }));
});
