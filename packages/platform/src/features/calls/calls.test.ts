import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  createRecordingLog,
  createVirtualClock,
  eachDatabase,
  type OpenDatabase,
  onEmbeddedDatabase,
} from '@jackfield/testkit';
import { createSessionRunner } from '../../kernel/create-session-runner.ts';
import type { OutboxEvent } from '../../kernel/machine.ts';
import type { Database } from '../../ports/database.ts';
import type { MediaNotice, MixCommand } from '../../ports/media.ts';
import type { LegListener, LegNotice, Telephony } from '../../ports/telephony.ts';
import { createUsage, freeOfCharge } from '../usage/index.ts';
import { createCalls } from './calls.ts';
import { callsTable } from './migrations/0001-calls.ts';
import { callRecords } from './migrations/0002-call-records.ts';
import type { OwnedLegNotice } from './owned-leg.ts';
import type { CallsTables } from './tables.ts';

const offeredLeg: LegNotice = {
  type: 'leg-offered',
  leg: 'in',
  account: 'MA1',
  endpoint: 'e1',
  from: 'alice',
  to: 'bob',
  callerName: 'Alice',
  sourceAddress: '192.0.2.1',
  headers: {},
};

/** The feature on a real database and runner; signalling is in the hands of the test. */
async function world(open: OpenDatabase, isFailing = () => false) {
  const opened = await open([callsTable, callRecords]);
  const database: Database = Object.assign(Object.create(opened) as Database, {
    transact: ((work) =>
      isFailing()
        ? Promise.reject(new Error('the disk is full'))
        : opened.transact(work)) as Database['transact'],
  });
  const clock = createVirtualClock();
  const log = createRecordingLog();
  const events: OutboxEvent[] = [];
  const appendEvents = async (_write: unknown, appended: readonly OutboxEvent[]) =>
    void events.push(...appended);
  const runner = createSessionRunner({ database, clock, log, appendEvents });
  const orders: string[] = [];
  const mixes: MixCommand[] = [];
  let hear: (notice: MediaNotice) => void = () => {};
  let notify: LegListener = () => {};
  const telephony: Telephony = {
    listen: (listener) => {
      notify = listener;
    },
    open: () => Promise.resolve(),
    dial: ({ leg }) => void orders.push(`dial ${leg}`),
    ring: (leg) => void orders.push(`ring ${leg}`),
    openEarly: (leg) => void orders.push(`open early ${leg}`),
    answer: (leg) => void orders.push(`answer ${leg}`),
    hangUp: (leg, status) => void orders.push(`hang up ${leg} ${status}`),
  };
  const bobs = [{ contact: 'sip:bob@192.0.2.2', flow: 'udp-192.0.2.2-5060' }];
  const calls = createCalls({
    runner,
    database,
    clock,
    log,
    telephony,
    media: {
      send: (command) => void mixes.push(command),
      subscribe(listener) {
        hear = listener;
        return () => {};
      },
    },
    usage: createUsage(freeOfCharge),
    mainAccountOf: async (account) => account,
    appendEvents,
    registrations: {
      credentialOf: async (user) =>
        user === 'bob'
          ? { account: 'MA1', endpoint: 'e2', username: user, ha1: { md5: '', sha256: '' } }
          : undefined,
      bindingsOf: async () => bobs as never,
      update: () => Promise.reject(new Error('nobody registers here')),
      dropFlow: () => Promise.resolve(),
      dropFlowsFrom: () => Promise.resolve(),
    },
    numbers: { targetsFor: () => undefined },
    domains: ['sip.example.com'],
    newUuid: () => 'out',
    isWithin: async (account, owner) => account === owner,
  });
  return {
    calls,
    orders,
    mixes,
    log,
    runner,
    events,
    notify: (notice: LegNotice) => notify(notice),
    hear: (notice: MediaNotice) => hear(notice),
    // What one commit sets going (a look-up, the opening of another leg) ends in the next: the longest chain here has four.
    settle: async () => {
      for (let commits = 0; commits < 6; commits++) {
        await new Promise((resolve) => setImmediate(resolve));
        await runner.idle();
      }
    },
    advance: clock.advance,
    rows: () =>
      opened.read
        .withTables<CallsTables>()
        .selectFrom('calls')
        .select(['call_uuid', 'phase', 'hangup_code', 'hangup_source'])
        .orderBy('call_uuid')
        .execute(),
    alive: () => Object.values(runner.census()).map(({ sessions, timers }) => [sessions, timers]),
  };
}

const nothing = [
  [0, 0],
  [0, 0],
];

eachDatabase('calls', (open) => {
  it('a direct call rings, is answered after its callee, is joined, and ends with both', async () => {
    const w = await world(open);
    w.notify(offeredLeg);
    await w.settle();
    for (const notice of [
      { type: 'leg-ringing', leg: 'out' },
      { type: 'leg-answered', leg: 'out' },
      { type: 'leg-answered', leg: 'in' },
    ] as const) {
      w.notify(notice);
      await w.settle();
    }
    assert.deepEqual(w.orders, ['dial out', 'ring in', 'answer in']);
    assert.deepEqual(
      w.mixes.map((command) => command.do),
      ['open-mix', 'set-hearing'],
    );
    w.notify({ type: 'leg-ended', leg: 'out', end: { by: 'remote-bye' } });
    await w.settle();
    assert.equal(w.orders.at(-1), 'hang up in 480');
    w.notify({ type: 'leg-ended', leg: 'in', end: { by: 'local' } });
    await w.settle();
    assert.deepEqual(w.alive(), nothing);
    assert.deepEqual(await w.rows(), [
      { call_uuid: 'in', phase: 'ended', hangup_code: 4000, hangup_source: 'Call recipient' },
      { call_uuid: 'out', phase: 'ended', hangup_code: 4000, hangup_source: 'Call recipient' },
    ]);
  });

  it('a caller who gives up in the turn of its offer leaves ended records, no session and no INVITE', async () => {
    const w = await world(open);
    w.notify(offeredLeg);
    w.notify({ type: 'leg-ended', leg: 'in', end: { by: 'remote-cancel' } });
    await w.settle();
    assert.deepEqual(w.alive(), nothing);
    assert.deepEqual(w.orders, []);
    for (const row of await w.rows()) {
      assert.deepEqual([row.phase, row.hangup_code, row.hangup_source], ['ended', 1000, 'Caller']);
    }
  });

  it('a number that nobody serves ends its leg with 5020 at once, and the log says so', async () => {
    const w = await world(open);
    const told: OwnedLegNotice[] = [];
    w.calls.ownedBy('test', (_owner, notice) => told.push(notice));
    await w.calls.dial({
      leg: 'out',
      account: 'MA1',
      mainAccount: 'MA1',
      owner: { kind: 'test', id: 't' },
      from: '+12025550000',
      callerName: '',
      to: '+12025550100',
      ringTimeoutSeconds: 30,
      sipHeaders: {},
    });
    await w.settle();
    assert.deepEqual(
      told.map((notice) => notice.type === 'leg-ended' && notice.end.code),
      [5020],
    );
    assert.deepEqual(w.alive(), nothing);
    assert.deepEqual(w.orders, []);
    assert.ok(w.log.lines.some(({ sentence }) => /could not be reached/.test(sentence)));
  });
});

onEmbeddedDatabase('calls on a full disk', (open) => {
  it('an offered leg that cannot be recorded is refused with 500 and leaves nothing', async () => {
    let isFull = true;
    const w = await world(open, () => isFull);
    w.notify(offeredLeg);
    await w.settle();
    assert.deepEqual(w.orders, ['hang up in 500']);
    w.notify({ type: 'leg-ended', leg: 'in', end: { by: 'local' } });
    await w.settle();
    assert.deepEqual(w.alive(), nothing);
    isFull = false;
    assert.deepEqual(await w.rows(), []);
  });
});
