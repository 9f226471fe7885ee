import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { createMetrics } from '@jackfield/adapters/metrics';
import { createSecrets } from '@jackfield/adapters/secrets';
import {
  type CarrierRequests,
  type Database,
  type DialRequest,
  type LegEnd,
  type LegListener,
  type LegNotice,
  legSpec,
  type RegisterOutcome,
} from '@jackfield/ports';
import { createRoutedLegs } from '@jackfield/signalling';
import {
  createRecordingLog,
  createVirtualClock,
  documentedOutbox,
  eachDatabase,
  type OpenDatabase,
  type VirtualClock,
} from '@jackfield/testkit';
import { createEventLog, firstCursor } from '../../kernel/event-log.ts';
import { createOutbox, outboxMigrations } from '../../kernel/outbox.ts';
import { createUsage } from '../usage/index.ts';
import { readCarriers } from './configuration/read-carriers.ts';
import { createCarriers } from './create-carriers.ts';

const number = '+442079460100';
const account = 'MACARRIERS0000000000';
/** 0.60 a minute, billed by the second. */
const rates = {
  currency: 'USD',
  rates: [
    {
      prefix: '44',
      direction: 'outbound',
      perMinute: 60_000,
      initialSeconds: 1,
      incrementSeconds: 1,
    } as const,
    {
      prefix: '1800',
      direction: 'outbound',
      perMinute: 0,
      initialSeconds: 60,
      incrementSeconds: 60,
    } as const,
  ],
};

interface Options {
  readonly carriers: readonly object[];
  readonly database: Database;
  readonly clock: VirtualClock;
}

/** The feature between calls, which get the notices in `heard`, and signalling, which gets the requests in `dialled`. */
async function start({ carriers, database, clock }: Options) {
  const read = readCarriers(JSON.stringify({ carriers }));
  assert.ok(read.ok, JSON.stringify(read));
  const log = createRecordingLog();
  const outbox = documentedOutbox(createOutbox({ database, clock, log, newEventId: () => randomUUID() }));
  const feature = createCarriers({
    carriers: read.carriers,
    database,
    clock,
    log,
    outbox,
    metrics: createMetrics({ process: false }),
    secrets: createSecrets(new Uint8Array(32)),
    usage: createUsage(rates),
    // Alone on its database, as far as roles go.
    roles: { take: (_, holder) => holder?.begin?.() },
  });
  await database.migrate(feature.migrations);

  const dialled: DialRequest[] = [];
  const probes: { readonly uri: string; readonly done: (status: number | undefined) => void }[] = [];
  const registers: { readonly expires: number; readonly done: (outcome: RegisterOutcome) => void }[] = [];
  const below = new Map<string, LegListener>();
  const notify = (notice: LegNotice) => below.get(notice.leg)?.(notice);
  const requests: CarrierRequests = {
    register: ({ expiresSeconds }, done) => void registers.push({ expires: expiresSeconds, done }),
    probe: (uri, done) => void probes.push({ uri, done }),
  };
  const heard: LegNotice[] = [];
  const routed = createRoutedLegs({
    clock,
    log,
    routes: [feature.callRoutes],
    dial(request, listener) {
      dialled.push(request);
      below.set(request.leg, listener);
    },
    hangUp: (leg) => notify({ type: 'leg-ended', leg, end: { by: 'local' } }),
    nextAddress: () => undefined,
  });
  routed.listen((notice) => heard.push(notice));
  await feature.endIncarnation({ number: 0 });
  await feature.restore();
  feature.open(account, requests);
  const numbers = feature.numbers({ targetsFor: () => undefined });
  const eventLog = createEventLog(database);

  return {
    feature,
    dialled,
    probes,
    registers,
    heard,
    hangUp: routed.hangUp,
    notify,
    /** Dials the number and waits until a carrier is called or the leg is over. */
    async dial(leg: string, timeLimitSeconds = 60, to = number): Promise<LegEnd | undefined> {
      const targets = numbers.targetsFor(to)!;
      const spec = legSpec({ from: 'alice', callerName: '', to, timeLimitSeconds });
      assert.ok(routed.dial({ leg, spec, callee: to, targets }));
      await clock.advance(1);
      return this.endOf(leg);
    },
    endOf(leg: string): LegEnd | undefined {
      const notice = heard.find((each) => each.type === 'leg-ended' && each.leg === leg);
      return notice?.type === 'leg-ended' ? notice.end : undefined;
    },
    async reported(): Promise<readonly string[]> {
      await clock.advance(1);
      const events = await eventLog.after({ authId: account, isSubaccount: false }, firstCursor, 50);
      return events.map(({ type }) => type);
    },
  };
}

const alpha = {
  name: 'alpha',
  host: '192.0.2.1',
  prefixes: [{ prefix: '44' }],
  caps: { concurrent_calls: 10 },
};
const beta = { ...alpha, name: 'beta', host: '192.0.2.2', prefixes: [{ prefix: '44', priority: 2 }] };
const ended = (leg: string, end: LegEnd): LegNotice => ({ type: 'leg-ended', leg, end });

eachDatabase('Calls through carriers', (open: OpenDatabase) => {
  async function world(...carriers: readonly object[]) {
    const opened = await open(outboxMigrations);
    const writing = new Set<Promise<unknown>>();
    const database: Database = Object.assign(Object.create(opened), {
      transact(work: Parameters<Database['transact']>[0]) {
        const done = opened.transact(work).finally(() => writing.delete(done));
        writing.add(done);
        return done;
      },
    });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const clock = createVirtualClock({
      async settle() {
        for (let turns = 0; turns < 5; turns = writing.size === 0 ? turns + 1 : 0) await turn();
      },
    });
    return { clock, database, ...(await start({ carriers, database, clock })) };
  }

  it('are one leg for the caller, however many carriers were called', async () => {
    const w = await world(alpha, beta);
    assert.equal(await w.dial('one'), undefined);
    w.notify(ended('one', { by: 'rejected', sipStatus: 503 }));
    await w.clock.advance(1);
    assert.deepEqual(
      w.dialled.map(({ leg, targets }) => [leg, targets]),
      [
        ['one', [{ uri: `sip:${number}@192.0.2.1`, account: 'alpha' }]],
        ['one', [{ uri: `sip:${number}@192.0.2.2`, account: 'beta' }]],
      ],
    );
    w.notify({ type: 'leg-ringing', leg: 'one' });
    w.notify({ type: 'leg-answered', leg: 'one' });
    w.hangUp('one');
    assert.deepEqual(
      w.heard.map(({ type }) => type),
      ['leg-ringing', 'leg-answered', 'leg-ended'],
    );
    await w.feature.close();
  });

  it('go to the next carrier after the silence that the file allows', async () => {
    const w = await world({ ...alpha, ringing_within_seconds: 3 }, beta);
    await w.dial('one');
    await w.clock.advance(2990);
    assert.equal(w.dialled.length, 1);
    await w.clock.advance(20);
    assert.equal(w.dialled.length, 2);
    await w.feature.close();
  });

  it('pass a carrier over that does not answer OPTIONS, until it does', async () => {
    const w = await world(alpha, beta);
    w.probes[0]!.done(undefined);
    await w.dial('one');
    assert.equal(w.dialled[0]?.targets[0]?.account, 'beta');
    await w.clock.advance(10_000);
    w.probes.at(-1)!.done(200);
    await w.dial('two');
    assert.equal(w.dialled[1]?.targets[0]?.account, 'alpha');
    await w.feature.close();
  });

  it('go to a carrier that has answered 503 with Retry-After only after the others, until that time has passed', async () => {
    const w = await world(alpha, beta);
    await w.dial('one');
    w.notify(ended('one', { by: 'rejected', sipStatus: 503, retryAfterSeconds: 120 }));
    await w.dial('two');
    w.notify(ended('two', { by: 'rejected', sipStatus: 500 }));
    await w.clock.advance(120_000);
    await w.dial('three');
    assert.deepEqual(
      w.dialled.map(({ leg, targets }) => `${leg} ${targets[0]?.account}`),
      ['one alpha', 'one beta', 'two beta', 'two alpha', 'three alpha'],
    );
    await w.feature.close();
  });

  it('go to such a carrier all the same where it is alone', async () => {
    const w = await world(alpha);
    await w.dial('one');
    w.notify(ended('one', { by: 'rejected', sipStatus: 503, retryAfterSeconds: 120 }));
    assert.equal(await w.dial('two'), undefined);
    assert.equal(w.dialled.length, 2);
    await w.feature.close();
  });

  it('reserve their worst case: a call that could exceed the spend of an hour is refused before any carrier is called', async () => {
    // 92 s at 0.01 a second: a call to its limit of 60 s, and 32 s more, is 0.92.
    const w = await world({ ...alpha, caps: { spend_per_hour: '2.00' } });
    assert.equal(await w.dial('one'), undefined);
    assert.equal(await w.dial('two'), undefined);
    assert.deepEqual(await w.dial('three'), { by: 'not-carried', refusal: 'spend-per-hour' });
    assert.equal(w.dialled.length, 2);
    // The call was not used: its reservation is free again.
    w.notify(ended('one', { by: 'rejected', sipStatus: 486 }));
    assert.equal(await w.dial('four'), undefined);
    await w.feature.close();
  });

  it('go through no carrier with a capped spend where the number has no price', async () => {
    const w = await world({ ...alpha, caps: { spend_per_hour: '9.00' }, prefixes: [{ prefix: '' }] });
    assert.deepEqual(await w.dial('one', 60, '+4930123456'), { by: 'not-carried', refusal: 'no-route' });
    await w.feature.close();
  });

  it('go through a carrier with a capped spend where the price of the number is 0', async () => {
    const w = await world({ ...alpha, caps: { spend_per_hour: '9.00' }, prefixes: [{ prefix: '' }] });
    assert.equal(await w.dial('one', 60, '+18005551234'), undefined);
    assert.equal(w.dialled.length, 1);
    await w.feature.close();
  });

  it('count after a restart: the spend of the last hour, and calls whose end was not seen', async () => {
    const caps = { spend_per_hour: '3.00' };
    const w = await world({ ...alpha, caps });
    await w.dial('one');
    w.notify({ type: 'leg-answered', leg: 'one' });
    await w.clock.advance(50_000);
    w.notify(ended('one', { by: 'remote-bye' }));
    await w.dial('unfinished');
    await w.feature.close();
    await w.clock.advance(1);

    const again = await start({ carriers: [{ ...alpha, caps }], database: w.database, clock: w.clock });
    // 0.50 for the first, 0.92 for the other: 1.58 are left, and a third call of 0.92 leaves 0.66.
    assert.equal(await again.dial('three'), undefined);
    assert.deepEqual(await again.dial('four'), { by: 'not-carried', refusal: 'spend-per-hour' });
    await again.feature.close();

    await w.clock.advance(3_700_000);
    const later = await start({ carriers: [{ ...alpha, caps }], database: w.database, clock: w.clock });
    assert.equal(await later.dial('five'), undefined);
    await later.feature.close();
  });

  it('report registrations, reach and calls that a carrier did not carry to the operator’s account', async () => {
    const registration = { aor: 'sip:me@192.0.2.1' };
    const w = await world({ ...alpha, username: 'me', password: 'x', registration }, beta);
    w.registers[0]!.done({ type: 'registered', expiresSeconds: 600 });
    w.probes[1]!.done(503);
    await w.dial('one');
    w.notify(ended('one', { by: 'rejected', sipStatus: 500 }));
    w.registers[0]!.done({ type: 'refused', status: 403 });
    assert.deepEqual(await w.reported(), [
      'carrier.registered',
      'carrier.unreachable',
      'carrier.call-passed-over',
      'carrier.call-passed-over',
      'carrier.unregistered',
    ]);
    await w.clock.advance(61_000);
    w.probes.findLast(({ uri }) => uri.includes(beta.host))!.done(200);
    assert.equal((await w.reported()).at(-1), 'carrier.reachable');
    await w.feature.close();
  });
});
