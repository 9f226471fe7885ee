import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createPostgresDatabase } from '@jackfield/adapters/database-postgres';
import type { Database } from '@jackfield/ports';
import { brokenInvariants, createRecordingLog, type History } from '@jackfield/testkit';
import { natsMissing } from '@jackfield/testkit/nats-server';
import { postgresMissing } from '@jackfield/testkit/postgres-server';
import { cleanUp } from './support/clean-up.ts';
import { Cluster } from './support/cluster.ts';
import { lengthOf, loudestToneDb, partOf, readWav, type Sound } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';
import type { PlatformProcess } from './support/platform-process.ts';
import { type RegisteredPhone, RegisteredPhones } from './support/registered-phones.ts';
import { SeenHistory } from './support/seen-history.ts';
import { WatchedRows } from './support/watched-rows.ts';

const skip = postgresMissing() ?? natsMissing() ?? missing('baresip', 'sox');

const [agentHz, customerHz, coachHz] = [440, 700, 1200];
const audible = -20;
/** A phone on a busy machine leaves gaps, whose edges hold a little of each frequency. */
const inaudible = -35;
const toneLengthS = 0.5;
/** The shortest stretch that counts as heard. */
const shortS = 0.2;
const overTcp = { transport: 'tcp' } as const;
/** Of audio, before and behind each fault. */
const partS = 1;
const stoppedMs = 20_000;

/** Real processes and real phones. */
describe('a supervisor who coaches while nodes and servers fail', { skip, timeout: 360_000 }, () => {
  let cluster: Cluster;
  let phones: RegisteredPhones;
  let database: Database;

  before(async () => {
    cluster = await Cluster.start();
    phones = new RegisteredPhones();
    database = createPostgresDatabase({ url: cluster.databaseUrl, log: createRecordingLog() });
  });
  after(() =>
    cleanUp(
      () => phones?.stop(),
      () => database?.close(),
      () => cluster?.stop(),
    ),
  );

  const heardBy = async ({ phone }: RegisteredPhone): Promise<Sound> => readWav(await phone.heard());

  /** Resolves when the phone has heard the coach behind this second of its call. */
  async function coached(agent: RegisteredPhone, fromS: number): Promise<void> {
    for (;;) {
      const heard = await heardBy(agent).catch(() => undefined);
      if (heard !== undefined && lengthOf(heard) >= fromS + partS) {
        const part = partOf(heard, fromS, Number.POSITIVE_INFINITY);
        if (loudestToneDb(part, coachHz, toneLengthS) > audible) return;
      }
      await pause(50);
    }
  }

  /** Resolves when the phone has heard anything for so long, with how long it was. */
  async function heardFor(member: RegisteredPhone, atLeastS: number): Promise<number> {
    for (;;) {
      const seconds = await heardBy(member).then(lengthOf, () => 0);
      if (seconds >= atLeastS) return seconds;
      await pause(50);
    }
  }

  const coachedFromNow = async (agent: RegisteredPhone) => coached(agent, lengthOf(await heardBy(agent)));

  /** Resolves when one of these nodes has ended and taken over what a dead node left. */
  async function takenOver(nodes: readonly PlatformProcess[], die: () => Promise<void>): Promise<void> {
    const froms = nodes.map(({ log }) => log.all.length);
    await die();
    const isTakeover = ({ message }: Record<string, unknown>) =>
      /left is ended or taken over/.test(String(message));
    await Promise.any(
      nodes.map(({ log }, number) => log.until('the takeover', isTakeover, { from: froms[number]! })),
    );
  }

  async function withoutNats(
    nodes: readonly PlatformProcess[],
    meanwhile: () => Promise<void>,
  ): Promise<void> {
    const froms = nodes.map(({ log }) => log.all.length);
    await cluster.nats.down();
    await meanwhile();
    await cluster.nats.up();
    const isConnected = ({ message }: Record<string, unknown>) => /^connected to NATS/.test(String(message));
    await Promise.all(
      nodes.map(({ log }, number) => log.until('NATS', isConnected, { from: froms[number]! })),
    );
  }

  /** What the phones heard in their whole calls: enough for a verdict, and whether the coach was in it. */
  async function hearing(
    customer: RegisteredPhone,
    coach: RegisteredPhone,
  ): Promise<Pick<History, 'participations' | 'heard'>> {
    const [heard, coachHeard] = [await heardBy(customer), await heardBy(coach)];
    assert.ok(loudestToneDb(heard, agentHz, toneLengthS) > audible, 'the customer hears the agent');
    assert.ok(loudestToneDb(coachHeard, customerHz, toneLengthS) > audible, 'the coach hears the customer');
    const always = { from: 0, to: Number.POSITIVE_INFINITY };
    const participations: History['participations'] = [
      { phone: 'agent', role: 'agent', isCoach: false, ...always },
      { phone: 'customer', role: 'customer', isCoach: false, ...always },
      { phone: 'coach', role: 'supervisor', isCoach: true, ...always },
    ];
    const isLeaked = loudestToneDb(heard, coachHz, shortS) >= inaudible;
    const at = lengthOf(heard) * 1_000;
    return { participations, heard: [{ listener: 'customer', at, speakers: isLeaked ? ['coach'] : [] }] };
  }

  /** The legs of three phones in one multiparty call. */
  async function callAll(
    home: PlatformProcess,
    agent: RegisteredPhone,
    customer: RegisteredPhone,
    coach: RegisteredPhone,
  ): Promise<readonly string[]> {
    const reported = {
      status_callback_url: cluster.customer.serve('/room', ''),
      status_callback_events: 'mpc-state-changes,participant-state-changes',
    };
    return [
      ...(await addToRoom(home, 'coached', agent.username, reported)),
      ...(await addToRoom(home, 'coached', customer.username, { role: 'customer' })),
      ...(await addToRoom(home, 'coached', coach.username, { role: 'supervisor', coach_mode: true })),
    ];
  }

  it('no customer hears the coach, and the history breaks no invariant: NATS and PostgreSQL restart, and each node but one dies', async () => {
    const [home, second, third]: PlatformProcess[] = await Promise.all(
      ['one', 'two', 'three'].map((name) => cluster.join(name)),
    );
    assert.ok(home && second && third);
    const watched = await WatchedRows.begin(cluster.databaseUrl);
    const seen = new SeenHistory(cluster, database);
    for (const [first, other] of [
      [home, second],
      [second, third],
      [third, home],
    ] as const)
      await seen.callAt(first, other);
    const agent = await phones.start(second, 'agent', agentHz, overTcp);
    const customer = await phones.start(third, 'customer', customerHz, overTcp);
    const coach = await phones.start(third, 'coach', coachHz, overTcp);
    const calledAt = performance.now();
    const legs = await callAll(home, agent, customer, coach);
    await joinedRoom(home, 'coached', 3);
    await coached(agent, 0);
    await seen.look(home, second, third);

    await withoutNats([home, second, third], () => coachedFromNow(agent));
    await cluster.postgres.crashAndRestart();
    await home.until('the database', 'Call/?status=live', ({ calls }) => calls?.length === 6);
    await coachedFromNow(agent);
    await seen.look(home, second, third);

    // The node with the connection of the agent, for longer than a node may be silent.
    const stoppedAt = performance.now();
    await takenOver([home, third], async () => second.signal('SIGSTOP'));
    await coachedFromNow(agent);
    await seen.look(home, third);
    await pause(stoppedMs - (performance.now() - stoppedAt));
    await cluster.kill(second, 'SIGCONT');
    const isTakenOver = (line: object) =>
      /another process has taken over node two/.test(JSON.stringify(line));
    assert.ok(second.log.all.some(isTakenOver), 'the node ends itself when it wakes');
    await seen.look(home, third);

    // The observer of that, and the node with the connections of the other two.
    const fourth = await cluster.join('four');
    await takenOver([home, fourth], () => cluster.kill(third));
    await coachedFromNow(agent);
    await seen.look(home, fourth);

    // To the home of their calls, over new connections.
    const inRoom = [agent, customer, coach];
    for (const { phone } of inRoom) phone.hangUp();
    await Promise.all(inRoom.map(({ phone }) => phone.closed()));
    const upMs = performance.now() - calledAt;
    await home.until('the end of the room', 'Call/?status=live', ({ calls }) => calls?.length === 1);
    for (const [number, member] of inRoom.entries())
      seen.billed(legs[number]!, lengthOf(await heardBy(member)) * 1_000, upMs);

    // The home of a call whose phone is connected to the successor.
    const late = await phones.start(fourth, 'late', agentHz, overTcp);
    const rings = performance.now();
    const lastCall = await cluster.callAt(home, { to: late.username });
    await late.phone.established();
    const attempts = [{ phone: 'late', rangAfterMs: performance.now() - rings }];
    const lastHeardS = await heardFor(late, partS);
    await takenOver([fourth], () => cluster.kill(home));
    seen.billed(lastCall, lastHeardS * 1_000, performance.now() - rings);
    await late.phone.closed();
    await seen.look(fourth);
    await fourth.untilQuiet(40_000);

    const called = Object.fromEntries([...inRoom, late].map(({ username, phone }) => [username, phone]));
    const parts = await seen.parts(called, [fourth]);
    const heard = await hearing(customer, coach);
    const history = { ...parts, ...(await watched.parts()), ...heard, attempts };
    assert.deepEqual(brokenInvariants(history), []);
    // What was judged: the calls of all, three nodes that were ended, and what each of them wrote before.
    assert.equal(history.events.filter(({ type }) => type === 'call.ended').length, 7);
    assert.equal(history.ends.length, 3);
    for (const { incarnation } of history.ends)
      assert.ok(history.writes.some((each) => each.incarnation === incarnation));
  });
});
