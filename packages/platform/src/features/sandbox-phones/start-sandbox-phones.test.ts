import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Database, LegListener, MediaNotice, MixCommand, Telephony } from '@jackfield/ports';
import { createRecordingLog, createVirtualClock } from '@jackfield/testkit';
import { createSessionRunner } from '../../kernel/create-session-runner.ts';
import { startSandboxPhones } from './start-sandbox-phones.ts';

function world(refusal?: () => number | undefined) {
  const clock = createVirtualClock();
  const log = createRecordingLog();
  // Phones have no record: no step reaches the database.
  const runner = createSessionRunner({
    database: {} as Database,
    clock,
    log,
    appendEvents: () => Promise.resolve(),
  });
  const orders: string[] = [];
  const commands: MixCommand[] = [];
  let notify: LegListener = () => {};
  const telephony: Telephony = {
    listen: (listener) => {
      notify = listener;
    },
    open: () => Promise.resolve(),
    dial: () => {},
    openEarly: () => {},
    ring: () => void orders.push('ring'),
    answer: () => void orders.push('answer'),
    hangUp: (_leg, status) => void orders.push(`hang up ${status}`),
  };
  const messages: string[] = [];
  let emitMedia: (notice: MediaNotice) => void = () => {};
  startSandboxPhones({
    runner,
    telephony,
    media: {
      send: (command) => void commands.push(command),
      subscribe(listener) {
        emitMedia = listener;
        return () => {};
      },
    },
    log,
    ...(refusal === undefined ? {} : { refusal }),
    voicemail: {
      async record({ leg, from, to }) {
        messages.push(`${leg} from ${from} to ${to}`);
      },
      stop: (leg) => void messages.push(`${leg} is whole`),
    },
  });
  const offer = (to: string) =>
    notify({
      type: 'leg-offered',
      leg: 'leg',
      account: 'sandbox',
      endpoint: '',
      from: '+12025550000',
      to,
      callerName: '',
      sourceAddress: '127.0.0.1',
      headers: {},
    });
  return {
    clock,
    runner,
    orders,
    commands,
    messages,
    emitMedia: (notice: MediaNotice) => emitMedia(notice),
    offer,
    notify: (...notice: Parameters<LegListener>) => notify(...notice),
  };
}

it('a number without a phone is answered 404', async () => {
  const { offer, orders } = world();
  offer('+12025550199');
  assert.deepEqual(orders, ['hang up 404']);
});

it('a fault of the network refuses the call of a phone with its status, and a number without a phone with 404', async () => {
  const { offer, orders } = world(() => 503);
  offer('+12025550100');
  offer('+12025550199');
  assert.deepEqual(orders, ['hang up 503', 'hang up 404']);
});

it('a called phone leaves its mix and ends its session when its leg ends', async () => {
  const { offer, notify, orders, commands, runner, clock } = world();
  offer('+12025550100');
  notify({ type: 'leg-answered', leg: 'leg' });
  notify({ type: 'leg-ended', leg: 'leg', end: { by: 'remote-bye' } });
  await runner.idle();
  assert.deepEqual(orders, ['answer']);
  assert.deepEqual(
    commands.map((command) => command.do),
    ['open-mix', 'set-hearing', 'close-mix'],
  );
  assert.equal(runner.census()['sandbox-phone']?.sessions, 0);
  assert.equal(clock.pending, 0);
});

it('a call that arrives during the close is refused', async () => {
  const { offer, orders, runner, clock } = world();
  await runner.close();
  offer('+12025550100');
  await clock.advance(0);
  assert.deepEqual(orders, ['hang up 500']);
});

it('a message is recorded with its caller, from the end of the beep until the caller hangs up', async () => {
  const { offer, notify, emitMedia, messages, runner, commands } = world();
  offer('+12025550107');
  notify({ type: 'leg-answered', leg: 'leg' });
  await runner.idle();
  for (const key of ['greeting', 'beep']) {
    emitMedia({ type: 'play-ended', mix: 'another call', key, because: 'finished' });
    emitMedia({ type: 'play-ended', mix: 'leg', key, because: 'finished' });
    await runner.idle();
  }
  notify({ type: 'leg-ended', leg: 'leg', end: { by: 'remote-bye' } });
  await runner.idle();
  assert.deepEqual(messages, ['leg from +12025550000 to +12025550107', 'leg is whole']);
  assert.deepEqual(
    commands.flatMap((command) => (command.do === 'play' ? [[command.key, command.loop]] : [])),
    [
      ['greeting', false],
      ['beep', false],
    ],
  );
});
