import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { createWorld, type FaultName, type Program, type World } from './index.ts';

let world: World;
async function open(program: Program = () => document('<Speak>Hello.</Speak><Wait length="600"/>')) {
  world = await createWorld({ program });
  return world.phone('+14155550100');
}
afterEach(() => world.close());

const document = (verbs: string) => `<Response>${verbs}</Response>`;

async function causeOfCall(): Promise<string | undefined> {
  const phone = await world.phone('+442079460100').ready();
  const fields = {
    from: '+12025550000',
    to: phone.to,
    answer_url: world.url('/answer'),
    hangup_url: world.url('/ended'),
  };
  const { status } = await world.api('POST', 'Call/', fields);
  assert.equal(status, 201);
  return (await world.requested('/ended', { within: '3 min' })).fields.HangupCause;
}

describe('a fault', () => {
  it('carrier-busy refuses calls to numbers', async () => {
    await open();
    world.fault('carrier-busy');
    assert.match((await causeOfCall())!, /Service Unavailable|Network|Carrier|Routing|Congestion/i);
  });

  it('carrier-silent answers nothing', async () => {
    await open();
    world.fault('carrier-silent');
    assert.notEqual(await causeOfCall(), undefined);
  });

  it('codec-loss leaves no common codec', async () => {
    const phone = await open();
    world.fault('codec-loss', { for: '1 min' });
    await assert.rejects(phone.dial('/answer'), { code: 'call-failed', message: /488/ });
    await world.wait('1 min');
    await phone.dial('/answer');
  });

  it('packet-loss loses packets, and a call goes on', async () => {
    const phone = await open(() =>
      document('<Speak>Hello.</Speak><Wait length="60"/><Speak>Goodbye.</Speak>'),
    );
    await phone.dial('/answer');
    const fault = world.fault('packet-loss', { rate: 0.1 });
    await world.wait('30 s');
    assert.ok(phone.isInCall);
    fault.end();
    await phone.hears('goodbye');
  });

  it('receiver-down for a minute: an event of five retries arrives at the fourth', async () => {
    const phone = await open();
    const app = await world.app('/answer', { hangup: '/ended#rc=5' });
    await phone.dial(app);
    world.fault('receiver-down', { for: '1 min' });
    await phone.hangUp();
    const downAt = world.now();
    await world.requested('/ended', { within: '10 min' });
    // After 1, 5, 20 and 45 s.
    assert.ok(world.now() - downAt > 70_000);
  });

  it('receiver-error answers 500, and the fallback has its turn', async () => {
    const phone = await open();
    const app = await world.app('/answer', { fallback: '/fallback' });
    const fault = world.fault('receiver-error');
    await assert.rejects(phone.dial(app), { code: 'call-failed' });
    fault.end();
    await phone.dial(app);
  });

  it('receiver-slow answers late', async () => {
    const phone = await open();
    world.fault('receiver-slow', { by: '3 s' });
    const before = world.now();
    await phone.dial('/answer');
    assert.ok(world.now() - before >= 3000);
  });

  it('sms-late and sms-lost delay and lose the code', async () => {
    const phone = await open();
    const send = async () => {
      const { status, body } = await world.api('POST', 'Verify/Session/', { recipient: phone.name });
      assert.equal(status, 202, JSON.stringify(body));
      return body.session_uuid;
    };
    world.fault('sms-late', { by: '30 s' });
    const session = await send();
    const before = world.now();
    const { match } = await phone.receivesText(/\d{4,8}/);
    assert.ok(world.now() - before >= 30_000);
    const checked = await world.api('POST', `Verify/Session/${session}/`, { otp: match[0] });
    assert.equal(checked.status, 200, JSON.stringify(checked.body));
    world.fault('sms-lost');
    await send();
    await assert.rejects(phone.receivesText(/\d{4,8}/), { code: 'not-within' });
  });

  it('is refused by name and option when it cannot be', async () => {
    await open();
    assert.throws(() => world.fault('rain' as FaultName), {
      code: 'unknown-fault',
      message: /There is no fault "rain": use carrier-busy, /,
    });
    assert.throws(() => world.fault('packet-loss', { rate: 2 }), { code: 'bad-option' });
    assert.throws(() => world.fault('sms-late', { by: 'soon' as '1 s' }), { code: 'bad-duration' });
    assert.throws(() => world.phone('4155550100'), { code: 'bad-number' });
  });
});
