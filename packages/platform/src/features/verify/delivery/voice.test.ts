import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSimulatedMessageGateway, eachDatabase, eventStreamOf } from '@jackfield/testkit';
import { openVerifyWorld, type VerifyWorld, verifyOfSuite } from '../testing/verify-world.ts';

const prompt = 'Hello. Press 1 to hear your verification code.';

async function reportedAttempts({ events }: VerifyWorld) {
  return (await events()).map(({ data }) => [data.Channel, data.ChannelStatus, data.ChannelErrorCode]);
}

/** What a test does with the call to a recipient, and what it reads of it. */
function callOf({ world, dialled }: VerifyWorld, leg = dialled().at(-1)!.leg) {
  const { telephony, node } = world;
  const { orders } = node.media;
  const before = orders.commands.length;
  const spoken = () => node.spokenTo(leg);
  const passed = (ms: number) => world.advance(ms);
  const answered = async () => {
    telephony.pickUp(leg);
    await passed(0);
  };
  return {
    leg,
    spoken,
    texts: () => spoken().map(({ text }) => text),
    passed,
    answered,
    /** The callee answers and waits for the caller to speak. */
    async answeredInSilence() {
      await answered();
      await passed(2_100);
    },
    async voice(speaking: boolean) {
      node.media.report({ type: 'voice', leg, speaking });
      await passed(0);
    },
    async press(digits: string) {
      telephony.press(leg, digits);
      await passed(0);
    },
    async leaves(...how: Parameters<typeof telephony.leave> extends [string, ...infer End] ? End : never) {
      telephony.leave(leg, ...how);
      await passed(0);
    },
    /** Until the platform hangs up. In steps of a second: each step waits for the database. */
    async isOver() {
      for (let seconds = 0; !isHungUp() && seconds < 60; seconds++) await passed(1_000);
      assert.ok(isHungUp(), 'the platform hangs up within a minute');
    },
    isHungUp,
    /** Whether voice of the callee is reported, in the order of the commands. */
    listened: () =>
      orders.commands.flatMap((each) =>
        each.do === 'watch-voice' && each.leg === leg ? [each.watched] : [],
      ),
    /** Plays that were stopped before their end. */
    stopped: () => orders.commands.slice(before).filter((each) => each.do === 'stop-play').length,
  };

  function isHungUp(): boolean {
    return telephony.orders.some((order) => order.startsWith(`hang up ${leg}`));
  }
}

/** A session whose call rings. */
async function ringing(verify: VerifyWorld, body: object = {}) {
  await verify.begin({ channel: 'voice', ...body });
  return callOf(verify);
}

eachDatabase('Verification by voice', (open) => {
  const newVerify = verifyOfSuite(open);

  test('a call speaks the code of the session twice, digit by digit in its language, and hangs up', async () => {
    const verify = await newVerify();
    const session = await verify.begin();
    const code = await verify.codeFor();
    const body = { channel: 'VOICE', locale: 'de-AT', brand_name: 'Acme', src: '12025550199' };
    assert.equal(await verify.begin(body), session);
    const [{ spec } = assert.fail()] = verify.dialled();
    assert.deepEqual([spec.to, spec.from, spec.callerName], ['+14155552671', '12025550199', 'Acme']);
    const call = callOf(verify);
    await call.answeredInSilence();
    await call.isOver();
    const once = ['Ihr Bestätigungscode für Acme lautet', ...code];
    assert.deepEqual(
      call.spoken().map(({ text, language }) => `${language} ${text}`),
      [...once, ...once].map((text) => `de-AT ${text}`),
    );
    const voice = (await reportedAttempts(verify)).filter(([channel]) => channel === 'voice');
    assert.deepEqual(voice, [
      ['voice', 'in-progress', ''],
      ['voice', 'completed', ''],
    ]);
    const { channel, count } = (await verify.get(`Verify/Session/${session}/`)).body;
    assert.deepEqual([channel, count], ['voice', 2]);
    assert.equal((await verify.check(session, code)).status, 200);
  });

  test('busy and no answer are no-answer with the cause; a hangup during the code is completed', async () => {
    const verify = await newVerify();
    await (await ringing(verify)).leaves({ by: 'rejected', sipStatus: 486 });
    await (await ringing(verify)).passed(41_000);
    const call = await ringing(verify);
    await call.answeredInSilence();
    assert.equal(call.stopped(), 0);
    await call.leaves();
    assert.deepEqual(
      (await reportedAttempts(verify)).filter(([, status]) => status !== 'in-progress'),
      [
        ['voice', 'no-answer', '3010'],
        ['voice', 'no-answer', '6010'],
        ['voice', 'completed', ''],
      ],
    );
    assert.equal(call.stopped(), 1);
  });

  test('with dtmf the code is spoken after the key 1, and not at all without the key', async () => {
    const verify = await newVerify();
    const call = await ringing(verify, { dtmf: 1 });
    await call.answered();
    assert.deepEqual(call.texts(), [prompt]);
    await call.press('5');
    assert.equal(call.stopped(), 0);
    await call.press('1');
    assert.equal(call.stopped(), 1);
    await call.isOver();
    assert.equal(call.texts().length, 1 + 2 * 7);

    const machine = await ringing(verify, { dtmf: '1' });
    await machine.answered();
    await machine.isOver();
    assert.deepEqual(new Set(machine.texts()), new Set([prompt]));
    assert.deepEqual((await reportedAttempts(verify)).at(-1), ['voice', 'no-answer', 'no-input']);
  });

  test('after a hello the code is spoken a second after the last word, and voice reports stop', async () => {
    const verify = await newVerify();
    const call = await ringing(verify);
    await call.answered();
    assert.deepEqual(call.listened(), [true]);
    await call.passed(1_900);
    await call.voice(true);
    await call.passed(900);
    await call.voice(false);
    await call.passed(400);
    await call.voice(true);
    await call.passed(600);
    await call.voice(false);
    await call.passed(499);
    assert.deepEqual(call.texts(), []);
    await call.passed(1);
    assert.equal(call.texts().length, 1);
    assert.deepEqual(call.listened(), [true, false]);
    // Voice while the code is spoken changes nothing.
    await call.voice(true);
    await call.isOver();
    assert.equal(call.texts().length, 2 * 7);
    assert.deepEqual((await reportedAttempts(verify)).at(-1), ['voice', 'completed', '']);
  });

  test('a long greeting leads to the request for the key 1; without the key the error code is 9100', async () => {
    const verify = await newVerify();
    const call = await ringing(verify);
    await call.answered();
    await call.voice(true);
    await call.passed(2_899);
    assert.deepEqual(call.texts(), []);
    await call.passed(1);
    assert.deepEqual(call.texts(), [prompt]);
    await call.voice(false);
    await call.isOver();
    assert.deepEqual(new Set(call.texts()), new Set([prompt]));
    assert.deepEqual((await reportedAttempts(verify)).at(-1), ['voice', 'no-answer', '9100']);

    const fullMailbox = await ringing(verify);
    await fullMailbox.answered();
    await fullMailbox.voice(true);
    await fullMailbox.passed(3_000);
    await fullMailbox.leaves();
    assert.deepEqual((await reportedAttempts(verify)).at(-1), ['voice', 'no-answer', '9100']);
  });

  test('a person who greets at length presses 1 and hears the code', async () => {
    const verify = await newVerify();
    const call = await ringing(verify);
    await call.answered();
    await call.press('1');
    assert.deepEqual([call.texts(), call.stopped()], [[], 0]);
    await call.voice(true);
    await call.passed(3_000);
    assert.deepEqual(call.texts(), [prompt]);
    await call.press('1');
    assert.equal(call.stopped(), 1);
    await call.isOver();
    assert.equal(call.texts().length, 1 + 2 * 7);
    assert.deepEqual((await reportedAttempts(verify)).at(-1), ['voice', 'completed', '']);
  });

  test('a hangup before the code is spoken is no-answer', async () => {
    const verify = await newVerify();
    const call = await ringing(verify);
    await call.answered();
    await call.passed(1_000);
    await call.leaves();
    await call.passed(5_000);
    assert.deepEqual(
      [call.texts(), (await reportedAttempts(verify)).at(-1)],
      [[], ['voice', 'no-answer', '4000']],
    );
  });

  test('a call that rings when the code is verified is hung up and speaks nothing', async () => {
    const verify = await newVerify();
    const live = verify.sessions();
    const session = await verify.begin();
    const call = await ringing(verify);
    await verify.check(session, await verify.codeFor());
    assert.ok(call.isHungUp());
    assert.deepEqual(call.texts(), []);
    await call.passed(1_000);
    assert.equal(verify.sessions(), live);
  });

  test('an app with voice_fallback calls after an undelivered message', async () => {
    const gateway = createSimulatedMessageGateway();
    const verify = await openVerifyWorld(open, { gateway });
    const body = { alias: 'Both', voice_fallback: true, is_default: 'true' };
    await verify.world.call('POST', 'Verify/App/', { body });
    gateway.answerNext({ accepted: false, errorCode: '11' });
    await verify.begin();
    await verify.world.advance(0);
    assert.equal(verify.dialled().length, 1);
    gateway.receipt({ message: 'unknown', status: 'failed', errorCode: null });
    await verify.world.advance(0);
    assert.deepEqual(await reportedAttempts(verify), [
      ['sms', 'queued', ''],
      ['sms', 'failed', '11'],
      ['voice', 'in-progress', ''],
    ]);
  });

  test('no fallback call follows while the account is disabled: an event says so', async () => {
    const gateway = createSimulatedMessageGateway();
    const { world, get, ...verify } = await openVerifyWorld(open, { gateway });
    const branch = await world.subaccount();
    const app = { alias: 'Both', voice_fallback: true, is_default: true };
    await world.call('POST', 'Verify/App/', { body: app, as: branch });
    const session = await verify.begin({}, branch);
    const body = { enabled: false };
    assert.equal((await world.call('POST', `Subaccount/${branch.authId}/`, { body })).status, 202);
    gateway.receipt({ message: 'm-1', status: 'undelivered', errorCode: null });
    await world.advance(0);
    assert.deepEqual(verify.dialled(), []);
    const { attempt_details } = (await get(`Verify/Session/${session}/`)).body;
    assert.deepEqual(
      attempt_details.map(({ channel, status }: Record<string, string>) => [channel, status]),
      [['sms', 'undelivered']],
    );
    const refused = (await eventStreamOf(world)).filter(({ type }) => type === 'verify.refused');
    assert.deepEqual(
      refused.map(({ account, data }) => [account, data.Reason]),
      [[branch.authId, 'account-disabled']],
    );
  });
});
