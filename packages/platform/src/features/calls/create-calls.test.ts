import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  type Database,
  type LegKey,
  type LegListener,
  type LegNotice,
  legSpec,
  type MediaNotice,
  type MixCommand,
  type Telephony,
} from '@jackfield/ports';
import {
  createRecordingLog,
  createVirtualClock,
  databaseUnavailable,
  eachDatabase,
  type OpenDatabase,
  onEmbeddedDatabase,
} from '@jackfield/testkit';
import { createSessionRunner } from '../../kernel/create-session-runner.ts';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import { createUsage, freeOfCharge } from '../usage/index.ts';
import { type CallsDeps, callMigrations, createCalls } from './create-calls.ts';
import { qualityOf } from './legs/quality-of.ts';
import type { LegOffer, OutboundLeg, OwnedLegNotice, TakenOffer } from './public-api.ts';
import type { CallsTables } from './tables.ts';
import { silent } from './testing/example-leg.ts';

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

/** Signalling and media, in the hands of the test. */
function createOutside() {
  const orders: string[] = [];
  const mixes: MixCommand[] = [];
  let hear: (notice: MediaNotice) => void = () => {};
  let notify: LegListener = () => {};
  let press: (key: LegKey) => void = () => {};
  const telephony: Telephony = {
    listen: (listener) => {
      notify = listener;
    },
    listenToKeys: (listener) => {
      press = listener;
    },
    open: () => Promise.resolve(),
    dial: ({ leg }) => void orders.push(`dial ${leg}`),
    ring: (leg) => void orders.push(`ring ${leg}`),
    openEarly: (leg) => void orders.push(`open early ${leg}`),
    answer: (leg) => void orders.push(`answer ${leg}`),
    hangUp: (leg, status) => void orders.push(`hang up ${leg} ${status}`),
  };
  const media: CallsDeps['media'] = {
    send: (command) => void mixes.push(command),
    subscribe(listener) {
      hear = listener;
      return () => {};
    },
  };
  return {
    telephony,
    media,
    orders,
    mixes,
    notify: (notice: LegNotice) => notify(notice),
    hear: (notice: MediaNotice) => hear(notice),
    press: (key: LegKey) => press(key),
  };
}

/** Bob is registered, and no other phone. */
const registrations: CallsDeps['registrations'] = {
  credentialOf: async (user) =>
    user === 'bob'
      ? { account: 'MA1', endpoint: 'e2', username: user, ha1: { md5: '', sha256: '' } }
      : undefined,
  bindingsOf: async () => [{ contact: 'sip:bob@192.0.2.2', flow: 'udp-192.0.2.2-5060' }] as never,
  knowsInstance: async () => false,
  update: () => Promise.reject(new Error('no phone registers here')),
  dropFlow: () => Promise.resolve(),
};

/** The feature on a real database and runner; signalling is in the hands of the test. */
async function world(open: OpenDatabase, isFailing = () => false) {
  const opened = await open(callMigrations);
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
  const { telephony, media, ...outside } = createOutside();
  const streamed: string[] = [];
  const calls = createCalls({
    runner,
    database,
    clock,
    log,
    telephony,
    media,
    registrations,
    audioStreams: { press: ({ leg, digit }) => void streamed.push(`${leg} ${digit}`) },
    usage: createUsage(freeOfCharge),
    mainAccountOf: async (account) => (account === 'deleted' ? undefined : account),
    accountOfUser: async () => 'MA1',
    outbox: { appendEvents, wake() {} },
    numbers: { targetsFor: () => undefined },
    domains: ['sip.example.com'],
    newUuid: () => 'out',
    isWithin: async (account, owner) => account === owner,
  });
  return {
    ...outside,
    calls,
    streamed,
    log,
    runner,
    events,
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
        .select(['call_uuid', 'phase', 'hangup_code', 'hangup_source', 'quality'])
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
      { call_uuid: 'in', phase: 'ended', hangup_code: 4000, hangup_source: 'Call recipient', quality: null },
      { call_uuid: 'out', phase: 'ended', hangup_code: 4000, hangup_source: 'Call recipient', quality: null },
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

  it('a number without a route ends its leg with 5020 at once, with a log line', async () => {
    const w = await world(open);
    const notices: OwnedLegNotice[] = [];
    w.calls.ownedBy('test', (_owner, notice) => notices.push(notice));
    await w.calls.dial({
      leg: 'out',
      account: 'MA1',
      mainAccount: 'MA1',
      owner: { kind: 'test', id: 't' },
      spec: legSpec({ from: '+12025550000', callerName: '', to: '+12025550100' }),
    });
    await w.settle();
    assert.deepEqual(
      notices.map((notice) => notice.type === 'leg-ended' && notice.end.code),
      [5020],
    );
    assert.deepEqual(w.alive(), nothing);
    assert.deepEqual(w.orders, []);
    assert.ok(w.log.lines.some(({ sentence }) => /destination not reached/.test(sentence)));
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

  it('an offered leg that cannot be recorded is over for all features, also without its caller or its account', async () => {
    const w = await world(open, () => true);
    const over: string[] = [];
    w.calls.whenOver((leg) => void over.push(leg));
    w.notify(offeredLeg);
    await w.settle();
    w.notify({ ...offeredLeg, leg: 'given up' });
    w.notify({ type: 'leg-ended', leg: 'given up', end: { by: 'remote-cancel' } });
    await w.settle();
    w.notify({ ...offeredLeg, leg: 'of a deleted account', account: 'deleted' });
    await w.settle();
    assert.deepEqual(over, ['in', 'given up', 'of a deleted account']);
    assert.deepEqual(w.alive(), nothing);
  });
});

onEmbeddedDatabase('the owners of legs', (open) => {
  const outbound: OutboundLeg = {
    leg: 'out',
    account: 'MA1',
    mainAccount: 'MA1',
    owner: { kind: 'test', id: 'ann' },
    spec: legSpec({ from: 'alice', callerName: 'Alice', to: 'bob' }),
    callbacks: { hangup: { url: 'https://example.com/hangup', method: 'POST' } },
  };

  async function owned() {
    const w = await world(open);
    const notices: string[] = [];
    w.calls.ownedBy('test', (owner, notice) => void notices.push(`${owner} ${notice.type}`));
    return { ...w, notices };
  }

  it('the first taker that accepts an offered leg gets it; no direct call is made', async () => {
    const w = await owned();
    const asked: LegOffer[] = [];
    w.calls.offeredTo(async (offer) => void asked.push(offer));
    w.calls.offeredTo(async () => ({ owner: { kind: 'test', id: 'ivr' }, timeLimitSeconds: 60 }));
    w.calls.offeredTo(() => Promise.reject(new Error('is not asked')));
    w.notify({ ...offeredLeg, headers: { 'X-PH-Ticket': '7' } });
    await w.settle();
    assert.deepEqual(asked[0]?.headers, { 'X-PH-Ticket': '7' });
    assert.deepEqual(w.orders, []);
    w.calls.openEarly('in');
    w.notify({ type: 'leg-early', leg: 'in' });
    w.calls.answer('in');
    w.notify({ type: 'leg-answered', leg: 'in' });
    await w.settle();
    assert.deepEqual(w.orders, ['open early in', 'answer in']);
    w.hear({ type: 'digit', leg: 'in', digit: '5', durationMs: 100 });
    w.hear({ type: 'digit', leg: 'nobody', digit: '5', durationMs: 100 });
    w.press({ leg: 'in', digit: '6', durationMs: 100 });
    // The same key in the other way.
    w.press({ leg: 'in', digit: '5', durationMs: 100 });
    w.press({ leg: 'nobody', digit: '5', durationMs: 100 });
    assert.deepEqual(w.streamed, ['in 6', 'in 5'], 'streams join both ways themselves');
    w.hear({ type: 'voice', leg: 'in', speaking: true });
    await w.advance(60_000);
    assert.equal(w.orders.at(-1), 'hang up in 480');
    const media = { ...silent, codec: 'PCMU', packetsReceived: 3000 } as const;
    w.notify({ type: 'leg-ended', leg: 'in', end: { by: 'local' }, media });
    await w.settle();
    assert.deepEqual(w.notices, [
      'ivr leg-early',
      'ivr leg-answered',
      'ivr leg-digit',
      'ivr leg-digit',
      'ivr leg-voice',
      'ivr leg-ended',
    ]);
    const [row] = await w.rows();
    assert.equal(row?.hangup_code, 6000);
    assert.deepEqual(JSON.parse(row.quality ?? ''), qualityOf(media));
    assert.deepEqual(w.alive(), nothing);
  });

  it('a leg whose media worker died is hung up with an internal error', async () => {
    const w = await owned();
    await w.calls.dial(outbound);
    await w.settle();
    w.notify({ type: 'leg-answered', leg: 'out' });
    await w.settle();
    w.hear({ type: 'media-lost', leg: 'out' });
    w.hear({ type: 'media-lost', leg: 'of the sandbox' });
    await w.settle();
    assert.match(w.orders.at(-1) ?? '', /^hang up out/);
    w.notify({ type: 'leg-ended', leg: 'out', end: { by: 'local' } });
    await w.settle();
    assert.equal((await w.rows())[0]?.hangup_code, 5010);
    assert.deepEqual(w.alive(), nothing);
  });

  it('a silent phone is hung up after its answer, and may be silent before it', async () => {
    const w = await owned();
    await w.calls.dial(outbound);
    await w.settle();
    w.notify({ type: 'leg-ringing', leg: 'out' });
    w.notify({ type: 'leg-early', leg: 'out' });
    await w.settle();
    const before = w.orders.length;
    w.hear({ type: 'media-silent', leg: 'out', forMs: 60_000 });
    await w.settle();
    assert.equal(w.orders.length, before);
    w.notify({ type: 'leg-answered', leg: 'out' });
    await w.settle();
    w.hear({ type: 'media-silent', leg: 'out', forMs: 60_000 });
    await w.settle();
    assert.match(w.orders.at(-1) ?? '', /^hang up out/);
    w.notify({ type: 'leg-ended', leg: 'out', end: { by: 'local' } });
    await w.settle();
    assert.equal((await w.rows())[0]?.hangup_code, 6020);
    assert.deepEqual(w.alive(), nothing);
  });

  it('a taker gets the end of a caller who gives up before its answer', async () => {
    const w = await owned();
    let decide: (taken: TakenOffer) => void = () => {};
    w.calls.offeredTo(() => new Promise((resolve) => (decide = resolve)));
    w.notify(offeredLeg);
    await w.settle();
    w.notify({ type: 'leg-ended', leg: 'in', end: { by: 'remote-cancel' } });
    await w.settle();
    assert.equal(w.calls.peek('in'), undefined);
    decide({ owner: { kind: 'test', id: 'ivr' }, callbacks: outbound.callbacks! });
    await w.settle();
    assert.deepEqual(w.notices, ['ivr leg-ended']);
    assert.deepEqual(
      w.events.map(({ type, callback }) => [type, callback?.url]),
      [['call.ended', 'https://example.com/hangup']],
    );
    assert.deepEqual(w.alive(), nothing);
  });

  it('a taker that fails ends the leg with 5010', async () => {
    const w = await owned();
    w.calls.offeredTo(() => Promise.reject(new Error('broken')));
    w.notify(offeredLeg);
    await w.settle();
    assert.deepEqual(w.orders, ['hang up in 500']);
    w.notify({ type: 'leg-ended', leg: 'in', end: { by: 'local' } });
    await w.settle();
    assert.equal((await w.rows())[0]?.hangup_code, 5010);
    assert.deepEqual(w.alive(), nothing);
  });

  it('a taker that cannot reach the database has the caller refused as unavailable', async () => {
    const w = await owned();
    w.calls.offeredTo(() => Promise.reject(databaseUnavailable));
    w.notify(offeredLeg);
    await w.settle();
    assert.deepEqual(w.orders, ['hang up in unavailable']);
    w.notify({ type: 'leg-ended', leg: 'in', end: { by: 'local' } });
    await w.settle();
    assert.equal((await w.rows())[0]?.hangup_code, 5010);
    assert.deepEqual(w.alive(), nothing);
  });

  it('a leg is lent, given back with fields, and taken for good', async () => {
    const w = await owned();
    await w.calls.dial(outbound);
    await w.settle();
    w.notify({ type: 'leg-answered', leg: 'out' });
    await w.settle();
    const room = { kind: 'test', id: 'room' };
    assert.equal(await w.calls.lend('out', room), true);
    assert.equal(await w.calls.lend('out', { kind: 'test', id: 'other' }), false);
    w.hear({ type: 'digit', leg: 'out', digit: '1', durationMs: 100 });
    w.calls.giveBack('out', { kind: 'test', id: 'other' }, {});
    w.calls.giveBack('out', room, { MemberID: '7' });
    w.hear({ type: 'digit', leg: 'out', digit: '2', durationMs: 100 });
    assert.equal(await w.calls.take('out', { kind: 'test', id: 'new' }), true);
    w.notify({ type: 'leg-ended', leg: 'out', end: { by: 'remote-bye' } });
    await w.settle();
    assert.equal(await w.calls.take('out', room), false);
    assert.deepEqual(w.notices, [
      'ann leg-answered',
      'room leg-digit',
      'ann leg-returned',
      'ann leg-digit',
      'ann leg-taken',
      'new leg-given',
      'new leg-ended',
    ]);
  });

  it('events carry the parameters of the call, and a target only for a set callback URL', async () => {
    const w = await owned();
    await w.calls.dial({ ...outbound, parentLeg: 'elsewhere', requestUuid: 'request-1' });
    await w.settle();
    w.notify({ type: 'leg-ringing', leg: 'out' });
    w.notify({ type: 'leg-ended', leg: 'out', end: { by: 'rejected', sipStatus: 486 } });
    await w.settle();
    const [ringing, ended] = w.events;
    assert.deepEqual(
      [ringing?.type, ringing?.resource, ringing?.callback],
      ['call.ringing', 'call/out', undefined],
    );
    assert.equal(ringing?.payload.Event, 'Ring');
    assert.equal(ringing?.payload.CallStatus, 'ringing');
    assert.equal(ended?.callback?.url, 'https://example.com/hangup');
    const { SessionStart, StartTime, EndTime, ...rest } = ended?.payload ?? {};
    assert.match(String(SessionStart), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/);
    for (const time of [StartTime, EndTime]) assert.match(String(time), /^[\d-]{10} [\d:]{8}\+00:00$/);
    assert.deepEqual(rest, {
      CallUUID: 'out',
      RequestUUID: 'request-1',
      From: 'alice',
      To: 'bob',
      CallerName: 'Alice',
      Direction: 'outbound',
      CallStatus: 'busy',
      ALegUUID: 'elsewhere',
      ALegRequestUUID: 'elsewhere',
      ParentAuthID: 'MA1',
      BillRate: '0.00000',
      Duration: '0',
      BillDuration: '0',
      TotalCost: '0.00000',
      HangupCause: 'Busy Line',
      HangupCauseName: 'Busy Line',
      HangupCauseCode: '3010',
      HangupSource: 'Call recipient',
      Event: 'Hangup',
    });
  });

  it('a direct call whose caller is taken closes its mix, and the callee is hung up with 4000', async () => {
    const w = await owned();
    w.notify(offeredLeg);
    await w.settle();
    for (const leg of ['out', 'in']) {
      w.notify({ type: 'leg-answered', leg });
      await w.settle();
    }
    assert.equal(w.calls.partnerOf('in'), 'out');
    assert.equal(w.calls.partnerOf('out'), 'in');
    const over: string[] = [];
    w.calls.whenOver((leg) => void over.push(leg));
    await w.calls.take('in', { kind: 'test', id: 'ivr' });
    assert.equal(w.mixes.at(-1)?.do, 'close-mix');
    assert.notEqual(w.orders.at(-1), 'hang up out 480');
    await w.advance(1_000);
    assert.equal(w.orders.at(-1), 'hang up out 480');
    w.notify({ type: 'leg-ended', leg: 'out', end: { by: 'local' } });
    await w.settle();
    assert.equal(w.calls.partnerOf('in'), undefined);
    w.notify({ type: 'leg-ended', leg: 'in', end: { by: 'remote-bye' } });
    await w.settle();
    assert.deepEqual(over, ['out', 'in']);
    assert.deepEqual(w.notices, ['ivr leg-given', 'ivr leg-ended']);
    assert.deepEqual(w.alive(), nothing);
  });
});
