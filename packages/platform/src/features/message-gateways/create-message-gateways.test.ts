import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { Sms, SmsOrder, SmsOutcome } from '@jackfield/ports';
import { createRecordingLog, createVirtualClock, eachDatabase, type OpenDatabase } from '@jackfield/testkit';
import { createMessageGateways } from './create-message-gateways.ts';
import type { MessageGateway } from './domain/gateway.ts';

const failed = (errorCode: string): SmsOutcome => ({ accepted: false, errorCode, gatewayFailed: true });

function gateway(
  name: string,
  over: Partial<MessageGateway> & { prefix?: string; priority?: number; price?: number } = {},
) {
  const { prefix = '', priority = 1, price, ...rest } = over;
  return {
    name,
    prefixes: [{ prefix, priority, weight: 1, price }],
    caps: { messagesPerSecond: undefined, spendPerHour: undefined },
    ...rest,
  } satisfies MessageGateway;
}

/** A link whose answers the test controls; it accepts by default. */
function link(outcomes: SmsOutcome[] = []): Sms & { readonly orders: SmsOrder[] } {
  const orders: SmsOrder[] = [];
  return {
    orders,
    async send(order) {
      orders.push(order);
      return outcomes.shift() ?? { accepted: true, message: `m${orders.length}` };
    },
    listen() {},
  };
}

eachDatabase('messages go through the gateways of their prefix', (open) => {
  async function world(
    gateways: readonly (readonly [MessageGateway, Sms])[],
    options: { open?: OpenDatabase } = {},
  ) {
    const clock = createVirtualClock();
    const log = createRecordingLog();
    const database = await (options.open ?? open)();
    const feature = createMessageGateways({
      gateways: gateways.map(([each, its]) => ({ gateway: each, link: its })),
      database,
      clock,
      log,
      metrics: { count() {}, gauge() {}, total() {}, histogram() {}, observe() {}, text: async () => '' },
      secrets: createSecrets(new Uint8Array(32).fill(3)),
      roles: { take() {}, holds: () => true, holderOf: async () => 1 },
      incarnation: { number: 1 },
    });
    await database.migrate(feature.migrations);
    const send = (to: string, text = 'code 123456') =>
      feature.sms.send({
        id: 'o',
        account: 'MA',
        mainAccount: 'MA',
        from: null,
        to,
        text,
        validUntil: clock.now() + 600_000,
      });
    return { clock, log, database, send, feature };
  }

  test('the longest prefix decides, and a number without a prefix reaches no gateway', async () => {
    const [world1, america] = [link(), link()];
    const { send } = await world([
      [gateway('world', { prefix: '4' }), world1],
      [gateway('america', { prefix: '1202' }), america],
    ]);
    assert.ok((await send('+12025550100')).accepted);
    assert.deepEqual(await send('+33123456789'), { accepted: false, errorCode: 'no-route' });
    assert.deepEqual([world1.orders.length, america.orders.length], [0, 1]);
  });

  test('a failed gateway passes the message to the next; a refusal is final', async () => {
    const first = link([failed('unreachable'), { accepted: false, errorCode: '11' }]);
    const second = link();
    const { send } = await world([
      [gateway('first', { priority: 1 }), first],
      [gateway('second', { priority: 2 }), second],
    ]);
    assert.deepEqual(await send('+1202'), { accepted: true, message: 'm1' });
    assert.deepEqual(await send('+1202'), { accepted: false, errorCode: '11' });
    assert.deepEqual([first.orders.length, second.orders.length], [2, 1]);
  });

  test('a gateway that throws is named in the log without the text, and passes the message to the next', async () => {
    const broken = {
      ...link(),
      send: (order: SmsOrder) => Promise.reject(new TypeError(`cannot send ${order.text}`)),
    };
    const { send, log } = await world([
      [gateway('broken', { priority: 1 }), broken],
      [gateway('second', { priority: 2 }), link()],
    ]);
    assert.deepEqual(await send('+1202'), { accepted: true, message: 'm1' });
    const [threw] = log.lines;
    assert.deepEqual(
      [threw?.level, threw?.fields],
      ['error', { gateway: 'broken', order: 'o', err: 'TypeError' }],
    );
    assert.ok(!JSON.stringify(log.lines).includes('123456'));
  });

  test('the spend cap leads to the next gateway, also after a restart, and is free an hour later', async () => {
    const caps = { messagesPerSecond: undefined, spendPerHour: 100 };
    const cheap = link();
    const { send, clock, database } = await world([[gateway('cheap', { price: 30, caps }), cheap]]);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => send('+1202')));
    assert.equal(outcomes.filter(({ accepted }) => accepted).length, 3);
    assert.deepEqual(outcomes.at(-1), failed('spend-cap'));
    const again: OpenDatabase = Object.assign(() => open.again(database), open);
    const restarted = await world([[gateway('cheap', { price: 30, caps }), cheap]], { open: again });
    assert.deepEqual(await restarted.send('+1202'), failed('spend-cap'));
    await restarted.clock.advance(61 * 60_000 - (restarted.clock.now() - clock.now()));
    assert.ok((await restarted.send('+1202')).accepted);
  });

  test('a refused message costs nothing, an unknown outcome its worst case, a long message each part', async () => {
    const caps = { messagesPerSecond: undefined, spendPerHour: 100 };
    const unknown: SmsOutcome = { accepted: false, errorCode: 'answer-not-understood', mayHaveGone: true };
    const its = link([{ accepted: false, errorCode: '11' }, unknown]);
    const { send, database } = await world([[gateway('one', { price: 30, caps }), its]]);
    await send('+1202');
    await database.transact(async () => {});
    assert.deepEqual(await send('+1202'), unknown);
    assert.deepEqual(await send('+1202', 'x'.repeat(400)), failed('spend-cap'));
    assert.ok((await send('+1202', 'x'.repeat(300))).accepted);
  });

  test('a message waits for its turn, and goes to another gateway when the wait is too long', async () => {
    const caps = { messagesPerSecond: 1, spendPerHour: undefined };
    const [slow, other] = [link(), link()];
    const { send, clock } = await world([
      [gateway('slow', { caps }), slow],
      [gateway('other', { priority: 2 }), other],
    ]);
    const sent = Array.from({ length: 8 }, () => send('+1202'));
    await clock.advance(0);
    assert.deepEqual([slow.orders.length, other.orders.length], [1, 2]);
    await clock.advance(5_000);
    await Promise.all(sent);
    assert.deepEqual([slow.orders.length, other.orders.length], [6, 2]);
  });

  test('a message whose cost cannot be counted is not sent', async () => {
    const its = link();
    const caps = { messagesPerSecond: undefined, spendPerHour: 100 };
    const { send, database } = await world([[gateway('one', { price: 1, caps }), its]]);
    await database.close();
    assert.deepEqual(await send('+1202'), failed('cost-not-counted'));
    assert.equal(its.orders.length, 0);
  });
});
