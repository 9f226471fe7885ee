import assert from 'node:assert/strict';
import type { Database, Read } from '@jackfield/ports';
import {
  type ApiAnswer,
  type BrokenInvariant,
  brokenInvariants,
  createWatchedWrites,
  type History,
  openSimulatedWorld,
  recordedHistory,
  type SimulatedPhone,
  type SimulatedWorld,
  seededRandom,
  toneMeter,
  type WatchedWrites,
} from '@jackfield/testkit';
import { sql } from 'kysely';
import { WalkCalls } from './cluster-walk-calls.ts';
import { WalkFaults } from './cluster-walk-faults.ts';
import { type Name, names, roles, room, WalkJoins } from './cluster-walk-joins.ts';
import { linksOf } from './linked-callers.ts';

/** What a run has really done: a run without faults, or in which no coach was heard, shows nothing. */
export interface WalkCounts {
  takeovers: number;
  coachFrames: number;
  customerFrames: number;
  callbacks: number;
  bills: number;
  heardSeconds: number;
  refusals: number;
  /** Legs in multiparty calls of other nodes, each time that they were counted. */
  links: number;
  /** Of phones whose BYE nothing could keep from the home node. */
  hangUps: number;
}

export interface WalkOutcome {
  readonly broken: readonly BrokenInvariant[];
  readonly counts: WalkCounts;
}

const stepsOfWalk = 16;
/** After the last fault: 13 s until a hanging node is succeeded, 32 s for a BYE that waits for its phone. */
const healedMs = 60_000;
/** Where the hold music is weak: it reaches −35 dB there. */
const [coachHz, ...otherHz] = [1700, 2300, 2600, 2900] as const;
const audibleDb = -31;

/** Three nodes, four phones and random faults; `interpose` plants a fault into the databases of all nodes. */
export async function walkCluster(
  seed: number,
  interpose: (database: Database) => Database = (database) => database,
): Promise<WalkOutcome> {
  let opened: SimulatedWorld | undefined;
  const watched = createWatchedWrites(() => opened?.now() ?? 0);
  const random = seededRandom(seed * 7919);
  const clocks = [{}, { skewMs: Math.round((random() - 0.5) * 60_000) }, { driftPpm: random() * 400 - 200 }];
  const world = await openSimulatedWorld({
    seed,
    nodes: 3,
    census: 'by-test',
    faults: { clocks },
    interpose: (database) => watched.watch(interpose(database)),
  });
  opened = world;
  try {
    const walk = new ClusterWalk(world, new WalkFaults(world, watched.ends, clocks, random), random);
    await walk.begin();
    for (let step = 0; step < stepsOfWalk; step++) await walk.step();
    const { writes, ends } = watched;
    const history = await walk.end(ends);
    return {
      broken: brokenInvariants({ ...history, writes, ends, bills: await walk.bills(ends) }),
      counts: { ...walk.counts, takeovers: ends.length },
    };
  } finally {
    await world.close().catch(() => {});
  }
}

class ClusterWalk {
  readonly counts: WalkCounts = {
    takeovers: 0,
    coachFrames: 0,
    customerFrames: 0,
    callbacks: 0,
    bills: 0,
    heardSeconds: 0,
    refusals: 0,
    links: 0,
    hangUps: 0,
  };
  readonly #world: SimulatedWorld;
  readonly #random: () => number;
  readonly #faults: WalkFaults;
  readonly #joins: WalkJoins;
  readonly #phones = new Map<Name, SimulatedPhone>();
  readonly #calls: WalkCalls;
  readonly #accepted: string[] = [];
  readonly #sightings: History['sightings'][number][] = [];
  readonly #liveRooms: History['liveRooms'][number][] = [];
  readonly #keyed: History['keyed'][number][] = [];
  readonly #keys: { readonly key: string; readonly from: string }[] = [];
  #isHealed = false;

  constructor(world: SimulatedWorld, faults: WalkFaults, random: () => number) {
    this.#world = world;
    this.#random = random;
    this.#faults = faults;
    this.#joins = new WalkJoins(world, random);
    this.#calls = new WalkCalls(() => [...this.#phones.values()], this.#faults);
  }

  async begin(): Promise<void> {
    const tones = { sue: coachHz, ann: otherHz[0], bob: otherHz[1], cid: otherHz[2] };
    for (const name of names) {
      const phone = await this.#world.phone(name, { toneHz: tones[name] });
      phone.behaviour = () => ({ does: 'answer', ringMs: Math.floor(this.#random() * 1_500) });
      this.#phones.set(name, phone);
    }
    this.#world.customer.serveOthers(({ eventId }) => {
      if (!this.#isHealed && this.#random() < 0.15) return { status: 500 };
      if (eventId !== '') this.#accepted.push(eventId);
      return '';
    });
    for (const name of names) await this.#join(name);
    await this.#world.advance(3_000);
  }

  /** One action or fault, and some time. */
  async step(): Promise<void> {
    const choice = this.#random();
    if (choice < 0.35) await this.#faults.next();
    else if (choice < 0.6) await this.#join(this.#one(names));
    else if (choice < 0.7) this.#calls.hangUp(this.#phoneOf(this.#one(names)));
    else if (choice < 0.8) this.#phoneOf('ann').dial(this.#phoneOf('bob').username);
    else await this.#change();
    await this.#look();
    await this.#world.advance(this.#random() ** 2 * 12_000);
  }

  /** Heals everything, lets time pass, and gives what is left. */
  async end(ends: WatchedWrites['ends']): Promise<Partial<History>> {
    this.#faults.heal();
    this.#isHealed = true;
    for (const name of names) await this.#registered(this.#phoneOf(name));
    await this.#world.advance(healedMs);
    const { liveRows, running } = await recordedHistory(this.#read);
    const lost = await this.#calls.lostByes(ends);
    const phones: History['leftovers']['phones'][number][] = [];
    for (const name of names) phones.push(await this.#calls.leftIn(name, this.#phoneOf(name), lost));
    await this.#look();
    const leftovers = { liveRows, running, phones, census: {} };
    await this.#hangUpAll();
    const attempts: History['attempts'][number][] = [];
    for (const name of names) attempts.push(await this.#attempt(name));
    await this.#hangUpAll();
    await this.#world.until('the last callbacks', () => this.#areDelivered(), 900_000);
    await this.#world.advance(70_000);
    await this.#look();
    const { events } = await recordedHistory(this.#read);
    this.counts.callbacks = this.#accepted.length;
    return {
      events,
      accepted: this.#accepted,
      sightings: this.#sightings,
      liveRooms: this.#liveRooms,
      keyed: this.#keyed,
      effects: await this.#effects(),
      ...this.#hearing(),
      leftovers: { ...leftovers, census: this.#world.census() },
      attempts,
    };
  }

  async bills(ends: WatchedWrites['ends']): Promise<History['bills']> {
    const bills = await this.#calls.bills(ends);
    this.counts.bills = bills.length;
    this.counts.hangUps = this.#calls.certainHangUps;
    this.counts.heardSeconds = bills.reduce((sum, { heardMs }) => sum + heardMs / 1_000, 0);
    return bills;
  }

  get #read(): Read {
    return this.#faults.read;
  }

  #one<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#random() * values.length)]!;
  }

  #phoneOf(name: Name): SimulatedPhone {
    return this.#phones.get(name) ?? assert.fail(name);
  }

  /** With an Idempotency-Key, now and then through several nodes. */
  async #join(name: Name): Promise<void> {
    const phone = this.#phoneOf(name);
    if (phone.calls.some(({ end }) => end === undefined)) return this.#move(name);
    const number = this.#keys.length;
    const [key, from] = [`key-${number}`, `+1202555${String(1_000 + number)}`];
    this.#keys.push({ key, from });
    this.#calls.dials(from);
    const { path, body, answered } = this.#joins.begin(name, from, phone.username);
    for (let times = this.#random() < 0.3 ? 2 : 1; times > 0; times--) {
      const headers = { 'idempotency-key': key };
      const answer = await this.#world.call('POST', path, { body, headers });
      this.#judged(answer, 201, 404, 409);
      answered(answer);
      this.#keyed.push({ key, status: answer.status, body: JSON.stringify(answer.body) });
    }
  }

  async #move(name: Name): Promise<void> {
    const { path, body } = this.#joins.move(name) ?? {};
    if (path !== undefined) this.#judged(await this.#world.call('POST', path, { body }), 201, 404, 409);
  }

  /** Mutes, puts on hold or removes a participant. */
  async #change(): Promise<void> {
    const { status, body } = await this.#world.api('GET', `${room}Participant/`);
    if (status !== 200 || body.objects.length === 0) return;
    const member = `${room}Participant/${this.#one<{ member_id: string }>(body.objects).member_id}/`;
    if (this.#random() < 0.2) this.#judged(await this.#world.api('DELETE', member), 204, 404);
    else {
      const change = { [this.#one(['mute', 'hold'])]: this.#random() < 0.5 };
      this.#judged(await this.#world.api('POST', member, change), 202, 404);
    }
  }

  /** The only other answers are 503, after which the request may be repeated, and none of a node that ended meanwhile. */
  #judged({ status, body, headers }: ApiAnswer, ...usual: readonly number[]): void {
    if (usual.includes(status) || status === 502) return;
    assert.equal(status, 503, JSON.stringify(body));
    assert.ok(headers['retry-after'] !== undefined, JSON.stringify(body));
    this.counts.refusals++;
  }

  /** What each request shows of the legs, and which multiparty calls live. */
  async #look(): Promise<void> {
    await this.#calls.look();
    for (const node of this.#faults.running) this.counts.links += linksOf(node)[1];
    const { rows: legs } = await sql<{ call_uuid: string }>`SELECT call_uuid FROM calls`.execute(this.#read);
    for (const { call_uuid: leg } of legs) {
      const { status, body } = await this.#world.api('GET', `Call/${leg}/`);
      if (status !== 200) continue;
      const { end_time, call_duration, hangup_cause_code, hangup_source } = body;
      const end = end_time ? `${end_time} ${call_duration} ${hangup_cause_code} ${hangup_source}` : undefined;
      this.#sightings.push({ leg, end });
    }
    const { rows } = await sql<History['liveRooms'][number][number]>`
      SELECT account, friendly_name AS name, mpc_uuid AS uuid FROM multiparty_calls WHERE ended_at IS NULL`.execute(
      this.#read,
    );
    this.#liveRooms.push(rows);
  }

  async #registered(phone: SimulatedPhone): Promise<void> {
    const node = this.#one(this.#faults.running);
    phone.registrar = { ...phone.registrar, address: `10.0.0.${this.#faults.nodes.indexOf(node) + 1}` };
    phone.register();
    await this.#world.until('the registration', () => phone.registration !== undefined, 40_000);
    // A node that was fenced may have been chosen: it has ended since.
    if (!phone.isRegistered) await this.#registered(phone);
  }

  async #attempt(name: Name): Promise<History['attempts'][number]> {
    const phone = this.#phoneOf(name);
    const invites = phone.invites;
    const [at, answer_url] = [this.#world.now(), 'https://customer.example/answer'];
    const body = { from: '+12025550000', to: `sip:${phone.username}@sip.example.com`, answer_url };
    const { status } = await this.#world.api('POST', 'Call/', body);
    if (status !== 201) return { phone: name, rangAfterMs: undefined };
    const rang = () => phone.invites > invites;
    await this.#world.until(`${name} rings`, rang, 12_000).catch(() => {});
    return { phone: name, rangAfterMs: rang() ? this.#world.now() - at : undefined };
  }

  async #hangUpAll(): Promise<void> {
    assert.equal((await this.#world.api('DELETE', 'Call/')).status, 204);
    await this.#world.advance(2_000);
    for (const phone of this.#phones.values()) phone.hangUp();
    await this.#world.advance(2_000);
  }

  async #areDelivered(): Promise<boolean> {
    await this.#world.advance(1_000);
    const { rows } = await sql`
      SELECT 1 FROM outbox WHERE delivered_at IS NULL AND abandoned_at IS NULL LIMIT 1`.execute(this.#read);
    return rows.length === 0;
  }

  async #effects(): Promise<History['effects']> {
    const { rows } = await sql<{ call_uuid: string; from_number: string }>`
      SELECT call_uuid, from_number FROM calls`.execute(this.#read);
    return this.#keys.flatMap(({ key, from }) =>
      rows.flatMap(({ call_uuid: id, from_number }) =>
        from_number.replace(/^\+/, '') === from.slice(1) ? [{ key, id }] : [],
      ),
    );
  }

  /** Sue coaches in each of her calls, and Cid is a customer in each of his. */
  #hearing(): Pick<History, 'heard' | 'participations'> {
    const meter = toneMeter(coachHz);
    const always = { from: 0, to: Infinity };
    const heard = names.flatMap((listener) =>
      this.#phoneOf(listener)
        .calls.flatMap((call) => call.heard)
        .flatMap(({ at, samples }) => {
          if (listener === 'cid') this.counts.customerFrames++;
          return listener !== 'sue' && meter(samples) > audibleDb
            ? [{ listener, at, speakers: ['sue'] }]
            : [];
        }),
    );
    this.counts.coachFrames = heard.filter(({ listener }) => roles[listener] === 'agent').length;
    const participations = names.map((phone) => ({
      phone,
      role: roles[phone],
      isCoach: phone === 'sue',
      ...always,
    }));
    return { heard, participations };
  }
}
