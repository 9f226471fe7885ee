import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { callEnds } from '../../calls/index.ts';
import { createScriptedGateway, openVerifyWorld, type VerifyWorld } from '../testing/verify-world.ts';

const told = (world: VerifyWorld) =>
  world.events.map(({ payload }) => [payload.Channel, payload.ChannelStatus, payload.ChannelErrorCode]);
const textsOf = (world: VerifyWorld, at: number) =>
  world.plays[at]!.items.flatMap((item) => (item.kind === 'speech' ? [item.text] : []));
/** The callee answers and waits for the caller to speak. */
const answeredInSilence = async (world: VerifyWorld, leg: string) => {
  await world.notice(leg, { type: 'leg-answered', leg });
  await world.notice(leg, { type: 'leg-voice', leg, speaking: false });
  await passed(world, 2_000);
};
const passed = async (world: VerifyWorld, ms: number) => {
  await world.clock.advance(ms);
  await world.settle();
};
const ended = (leg: string, code: 3000 | 3010 | 4000) =>
  ({
    type: 'leg-ended',
    leg,
    end: callEnds(code, 'Call recipient'),
    durationSeconds: 0,
  }) as const;

eachDatabase('Verification by voice', (open) => {
  test('a call speaks the code of the session twice, digit by digit in its language, and hangs up', async () => {
    const world = await openVerifyWorld(open);
    const session = await world.begin();
    const code = await world.codeFor();
    assert.equal(
      await world.begin({ channel: 'VOICE', locale: 'de-AT', brand_name: 'Acme', src: '12025550199' }),
      session,
    );
    const [leg] = world.dialled;
    assert.deepEqual(
      [leg?.spec.to, leg?.spec.from, leg?.spec.callerName],
      ['+14155552671', '12025550199', 'Acme'],
    );
    await answeredInSilence(world, leg!.leg);
    const [play] = world.plays;
    assert.equal(play?.loop, 2);
    assert.deepEqual(play?.to, [leg!.leg]);
    assert.deepEqual(textsOf(world, 0), ['Ihr Bestätigungscode für Acme lautet', ...code]);
    await world.played(play!, 'finished');
    assert.deepEqual(
      world.hungUp.map(([each]) => each),
      [leg!.leg],
    );
    const voice = told(world).filter(([channel]) => channel === 'voice');
    assert.deepEqual(voice, [
      ['voice', 'in-progress', ''],
      ['voice', 'completed', ''],
    ]);
    const { channel, count } = (await world.get(`Verify/Session/${session}/`)).body;
    assert.deepEqual([channel, count], ['voice', 2]);
    assert.equal((await world.check(session, code)).status, 200);
  });

  test('busy and no answer are no-answer with the cause; a hangup during the code is completed', async () => {
    const world = await openVerifyWorld(open);
    for (const code of [3010, 3000] as const) {
      await world.begin({ channel: 'voice' });
      const { leg } = world.dialled.at(-1)!;
      await world.notice(leg, ended(leg, code));
    }
    await world.begin({ channel: 'voice' });
    const { leg } = world.dialled.at(-1)!;
    await answeredInSilence(world, leg);
    await world.notice(leg, ended(leg, 4000));
    assert.deepEqual(
      told(world).filter(([, status]) => status !== 'in-progress'),
      [
        ['voice', 'no-answer', '3010'],
        ['voice', 'no-answer', '3000'],
        ['voice', 'completed', ''],
      ],
    );
    assert.ok(world.stopped.includes(`${leg}/code`));
  });

  test('with dtmf the code is spoken after the key 1, and not at all without the key', async () => {
    const world = await openVerifyWorld(open);
    await world.begin({ channel: 'voice', dtmf: 1 });
    const { leg } = world.dialled[0]!;
    await world.notice(leg, { type: 'leg-answered', leg });
    assert.deepEqual(textsOf(world, 0), ['Hello. Press 1 to hear your verification code.']);
    await world.notice(leg, { type: 'leg-digit', leg, digit: '5' });
    assert.deepEqual(world.stopped, []);
    await world.notice(leg, { type: 'leg-digit', leg, digit: '1' });
    assert.deepEqual(world.stopped, [`${leg}/prompt`]);
    await world.played(world.plays[0]!, 'stopped');
    assert.equal(textsOf(world, 1).length, 7);
    await world.played(world.plays[1]!, 'finished');

    await world.begin({ channel: 'voice', dtmf: '1' });
    const machine = world.dialled[1]!.leg;
    await world.notice(machine, { type: 'leg-answered', leg: machine });
    await world.played(world.plays[2]!, 'finished');
    assert.equal(world.plays.length, 3);
    assert.deepEqual(told(world).at(-1), ['voice', 'no-answer', 'no-input']);
    assert.deepEqual(
      world.hungUp.map(([each]) => each),
      [leg, machine],
    );
  });

  test('after a hello the code is spoken a second after the last word, and voice reports stop', async () => {
    const world = await openVerifyWorld(open);
    await world.begin({ channel: 'voice' });
    const { leg } = world.dialled[0]!;
    const voice = (speaking: boolean) => world.notice(leg, { type: 'leg-voice', leg, speaking });
    await world.notice(leg, { type: 'leg-answered', leg });
    assert.deepEqual(world.listened, [`${leg} true`]);
    await passed(world, 1_900);
    await voice(true);
    await passed(world, 900);
    await voice(false);
    await passed(world, 400);
    await voice(true);
    await passed(world, 600);
    await voice(false);
    await passed(world, 499);
    assert.deepEqual(world.plays, []);
    await passed(world, 1);
    assert.equal(textsOf(world, 0).length, 7);
    assert.deepEqual(world.listened, [`${leg} true`, `${leg} false`]);
    // Voice while the code is spoken changes nothing.
    await voice(true);
    await passed(world, 10_000);
    await world.played(world.plays[0]!, 'finished');
    assert.deepEqual(told(world).at(-1), ['voice', 'completed', '']);
  });

  test('a long greeting leads to the request for the key 1; without the key the error code is 9100', async () => {
    const world = await openVerifyWorld(open);
    await world.begin({ channel: 'voice' });
    const { leg } = world.dialled[0]!;
    await world.notice(leg, { type: 'leg-answered', leg });
    await world.notice(leg, { type: 'leg-voice', leg, speaking: true });
    await passed(world, 2_899);
    assert.deepEqual(world.plays, []);
    await passed(world, 1);
    assert.deepEqual(textsOf(world, 0), ['Hello. Press 1 to hear your verification code.']);
    await world.notice(leg, { type: 'leg-voice', leg, speaking: false });
    await passed(world, 10_000);
    await world.played(world.plays[0]!, 'finished');
    assert.equal(world.plays.length, 1);
    assert.deepEqual(told(world).at(-1), ['voice', 'no-answer', '9100']);
    assert.deepEqual(
      world.hungUp.map(([each]) => each),
      [leg],
    );

    await world.begin({ channel: 'voice' });
    const fullMailbox = world.dialled[1]!.leg;
    await world.notice(fullMailbox, { type: 'leg-answered', leg: fullMailbox });
    await world.notice(fullMailbox, { type: 'leg-voice', leg: fullMailbox, speaking: true });
    await passed(world, 3_000);
    await world.notice(fullMailbox, ended(fullMailbox, 4000));
    assert.deepEqual(told(world).at(-1), ['voice', 'no-answer', '9100']);
  });

  test('a person who greets at length presses 1 and hears the code', async () => {
    const world = await openVerifyWorld(open);
    await world.begin({ channel: 'voice' });
    const { leg } = world.dialled[0]!;
    await world.notice(leg, { type: 'leg-answered', leg });
    await world.notice(leg, { type: 'leg-digit', leg, digit: '1' });
    assert.deepEqual([world.plays, world.stopped], [[], []]);
    await world.notice(leg, { type: 'leg-voice', leg, speaking: true });
    await passed(world, 3_000);
    await world.notice(leg, { type: 'leg-digit', leg, digit: '1' });
    assert.deepEqual(world.stopped, [`${leg}/prompt`]);
    await world.played(world.plays[0]!, 'stopped');
    assert.equal(textsOf(world, 1).length, 7);
    await world.played(world.plays[1]!, 'finished');
    assert.deepEqual(told(world).at(-1), ['voice', 'completed', '']);
  });

  test('a hangup before the code is spoken is no-answer', async () => {
    const world = await openVerifyWorld(open);
    await world.begin({ channel: 'voice' });
    const { leg } = world.dialled[0]!;
    await world.notice(leg, { type: 'leg-answered', leg });
    await passed(world, 1_000);
    await world.notice(leg, ended(leg, 4000));
    await passed(world, 5_000);
    assert.deepEqual([world.plays, told(world).at(-1)], [[], ['voice', 'no-answer', '4000']]);
  });

  test('a call that rings when the code is verified is hung up and speaks nothing', async () => {
    const world = await openVerifyWorld(open);
    const session = await world.begin();
    await world.begin({ channel: 'voice' });
    await world.check(session, await world.codeFor());
    const { leg } = world.dialled[0]!;
    assert.deepEqual(
      world.hungUp.map(([each]) => each),
      [leg],
    );
    await world.notice(leg, { type: 'leg-answered', leg });
    assert.deepEqual(world.plays, []);
    await world.notice(leg, ended(leg, 4000));
    assert.equal(world.runner.census().verify?.sessions, 1);
    await world.clock.advance(1_000);
    await world.settle();
    assert.equal(world.runner.census().verify?.sessions, 0);
  });

  test('an app with voice_fallback calls after an undelivered message', async () => {
    const gateway = createScriptedGateway();
    const world = await openVerifyWorld(open, { gateway });
    await world.api.call('POST', 'Verify/App/', {
      body: { alias: 'Both', voice_fallback: true, is_default: 'true' },
    });
    gateway.outcomes.push({ accepted: false, errorCode: '11' });
    await world.begin();
    assert.equal(world.dialled.length, 1);
    gateway.receipt({ message: 'nobody', status: 'failed', errorCode: null });
    assert.deepEqual(told(world), [
      ['sms', 'queued', ''],
      ['sms', 'failed', '11'],
      ['voice', 'in-progress', ''],
    ]);
  });
});
