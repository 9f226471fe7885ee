import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  inSimulatedWorld,
  type PhoneCall,
  type SimulatedPhone,
  type SimulatedWorld,
  seededRandom,
} from '@jackfield/testkit';
import { callInto, joined, unlinked } from '../support/linked-callers.ts';
import { cluster, nodeAt } from '../support/simulated-nodes.ts';
import { shareWith } from '../support/simulated-room.ts';
import { roomsOfWalk } from '../support/walk-length.ts';

const steps = 14;
const runSeed = Number(process.env.TEST_SEED ?? 1);

/** A coached multiparty call whose members are at three nodes, and five phones that call and transfer at random. */
class Walk {
  readonly #world: SimulatedWorld;
  readonly #random: () => number;
  readonly done: string[] = [];
  phones: readonly SimulatedPhone[] = [];
  #coach: SimulatedPhone | undefined;
  #customer: PhoneCall | undefined;
  #inRoom: readonly PhoneCall[] = [];

  constructor(world: SimulatedWorld, random: () => number) {
    this.#world = world;
    this.#random = random;
  }

  async begin(): Promise<void> {
    const phones: SimulatedPhone[] = [];
    for (const name of ['agent', 'coach', 'customer', 'dan', 'eve'])
      phones.push(await this.#world.phone(name));
    this.phones = phones;
    for (const [number, attributes] of [
      { role: 'agent' },
      { role: 'supervisor', coachMode: 'true' },
      { role: 'customer' },
    ].entries()) {
      await callInto(this.#world, nodeAt(this.#world, number), phones[number]!, attributes);
      await joined(this.#world, number + 1);
    }
    this.#inRoom = phones.slice(0, 3).map(({ call }) => call!);
    [, this.#coach] = phones;
    this.#customer = this.#inRoom[2];
  }

  step(): void {
    const [act] = this.#any([this.#dial, this.#dial, this.#join, this.#join, this.#blind, this.#hangUp]);
    act?.call(this);
  }

  /** The customer of the multiparty call never hears its coach. */
  checkCoach(since: number): void {
    const frames = this.#customer!.heard.filter(({ at }) => at >= since);
    assert.equal(shareWith(frames, this.#coach!.toneHz), 0, this.done.join('; '));
  }

  /** Whom a call outside of the multiparty call hears, that one hears as well, and no second one. */
  checkPairs(since: number): void {
    const heardBy = (phone: SimulatedPhone) => {
      const calls = up(phone).filter((call) => !this.#inRoom.includes(call));
      return calls.map(({ heard }) => {
        const frames = heard.filter(({ at }) => at >= since);
        return this.phones.filter(({ toneHz }) => shareWith(frames, toneHz) > 0);
      });
    };
    const all = new Map(this.phones.map((phone) => [phone, heardBy(phone)] as const));
    for (const [phone, calls] of all) {
      for (const heard of calls) {
        assert.ok(heard.length <= 1, `${phone.username} hears two: ${this.done.join('; ')}`);
        const isHeard = heard.every((other) => all.get(other)!.some((each) => each.includes(phone)));
        assert.ok(isHeard, `${heard[0]?.username} does not hear ${phone.username}: ${this.done.join('; ')}`);
      }
    }
  }

  #any<Thing>(things: readonly Thing[]): readonly [Thing | undefined, readonly Thing[]] {
    const thing = things[Math.floor(this.#random() * things.length)];
    return [thing, things.filter((each) => each !== thing)];
  }

  /** The coach calls no customer, and a phone has at most three calls. */
  #dial(): void {
    const free = this.phones.filter((phone) => up(phone).length < 3 && phone !== this.#coach);
    const [caller, others] = this.#any(free);
    const [callee] = this.#any(others);
    if (caller === undefined || callee === undefined) return;
    const number = Math.floor(this.#random() * 3);
    caller.registrar = { ...caller.registrar, address: `10.0.0.${number + 1}` };
    caller.dial(callee.username);
    this.done.push(`${caller.username} calls ${callee.username} at ${number}`);
  }

  #join(): void {
    // A call of the multiparty call is refused.
    const isOutside = this.#random() < 0.8;
    const callsOf = (each: SimulatedPhone) =>
      isOutside ? up(each).filter((call) => !this.#inRoom.includes(call)) : up(each);
    const [phone] = this.#any(this.phones.filter((each) => callsOf(each).length >= 2));
    if (phone === undefined) return;
    const [first, rest] = this.#any(callsOf(phone));
    const [second] = this.#any(rest);
    first?.transfer(second!);
    this.done.push(`${phone.username} joins two of its calls`);
  }

  #blind(): void {
    const [phone, others] = this.#any(this.phones.filter((each) => up(each).length > 0));
    const [to] = this.#any(others.filter((each) => each !== this.#coach));
    const [call] = this.#any(phone === undefined ? [] : up(phone));
    if (to === undefined) return;
    call?.transfer(`sip:${to.username}@sip.example.com`);
    this.done.push(`${phone?.username} transfers a call to ${to.username}`);
  }

  #hangUp(): void {
    const [call] = this.#any(this.phones.flatMap(up).filter((each) => !this.#inRoom.includes(each)));
    call?.hangUp();
    this.done.push('a call is hung up');
  }
}

const up = ({ calls }: SimulatedPhone) => calls.filter(({ isUp }) => isUp);

async function play(world: SimulatedWorld, random: () => number, isImpaired: boolean): Promise<void> {
  const { bus } = cluster(world);
  const walk = new Walk(world, random);
  await walk.begin();
  const began = world.now();
  if (isImpaired) bus.impair({ lossRate: 0.1, duplicateRate: 0.2, delayMs: 5, jitterMs: 40 });
  for (let step = 0; step < steps; step++) {
    walk.step();
    // A next step may meet an unfinished one.
    await world.advance(Math.floor(random() * 1_500));
  }
  bus.impair({});
  // A link that was not acknowledged is given up after ten seconds, and a phone's request after 32 s (RFC 3261 §17.1.1.2).
  await world.advance(35_000);
  const since = world.now();
  await world.advance(400);
  walk.checkCoach(began);
  walk.checkPairs(since);
  for (const phone of walk.phones) phone.hangUp();
  const calls = walk.phones.flatMap((phone) => phone.calls);
  await world.until('every call is over', () => calls.every(({ end }) => end !== undefined), 40_000);
  await unlinked(world);
  await world.advance(35_000);
}

describe('phones that call and transfer at random beside a coached multiparty call of three nodes', () => {
  for (let run = 0; run < roomsOfWalk(4); run++) {
    const seed = runSeed * 1_000 + run;
    it(`the customer never hears the coach, and each call has two parties that hear each other (seed ${seed})`, () =>
      inSimulatedWorld({ seed, nodes: 3 }, (world) => play(world, seededRandom(seed), run % 2 === 1)));
  }
});
