import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  inSimulatedWorld,
  type PhoneCall,
  runsWithin,
  type SimulatedPhone,
  type SimulatedWorld,
  toneMeter,
} from '@jackfield/testkit';
import fc from 'fast-check';
import { document, exitUrl, room } from './testing/live-rooms.ts';

/** 300 Hz and more apart, and far from what the platform itself plays. */
const tones = [1700, 2300, 2600, 2900, 3200, 3500];
const soundUrl = 'https://customer.example.com/sound.wav';
const statusUrl = 'https://customer.example.com/status';
const key = '5';

type Action =
  | {
      readonly type: 'add';
      readonly phones: readonly number[];
      readonly role: 'agent' | 'customer' | 'supervisor';
      readonly asksForKey: boolean;
      readonly delays: readonly number[];
      readonly ringMs: number;
      readonly exits: boolean;
      readonly stayAlone: boolean;
    }
  | { readonly type: 'press'; readonly phone: number; readonly digit: string }
  | { readonly type: 'hang-up' | 'kick'; readonly phone: number }
  | { readonly type: 'end' };
type Timed = Action & { readonly afterMs: number };

const phone = fc.nat({ max: tones.length - 1 });
const afterMs = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 80 }),
  fc.integer({ min: 200, max: 1500 }),
);
const action: fc.Arbitrary<Timed> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('add' as const),
      phones: fc.uniqueArray(phone, { minLength: 1, maxLength: 3 }),
      role: fc.constantFrom('agent' as const, 'agent' as const, 'customer' as const, 'supervisor' as const),
      asksForKey: fc.boolean(),
      delays: fc.array(fc.constantFrom(0, 0, 1), { minLength: 3, maxLength: 3 }),
      ringMs: fc.constantFrom(0, 0, 30, 700),
      exits: fc.boolean(),
      stayAlone: fc.boolean(),
      afterMs,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('press' as const),
      phone,
      digit: fc.constantFrom(key, key, key, '4'),
      afterMs,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom('hang-up' as const, 'kick' as const), phone, afterMs }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('end' as const), afterMs }) },
);

/** One requested leg, and the call of its phone, if it arrived. */
interface Leg {
  readonly uuid: string;
  readonly request: string;
  readonly role: 'agent' | 'customer' | 'supervisor';
  readonly phone: SimulatedPhone;
  readonly callIndex: number;
  readonly asksForKey: boolean;
}

/** A multiparty call that is driven through the API, and all phones that were added to it. */
class Evening {
  readonly legs: Leg[] = [];
  readonly rooms = new Set<string>();
  readonly #world: SimulatedWorld;
  readonly #phones: readonly SimulatedPhone[];

  constructor(world: SimulatedWorld, phones: readonly SimulatedPhone[]) {
    this.#world = world;
    this.#phones = phones;
  }

  async happen(action: Timed): Promise<void> {
    switch (action.type) {
      case 'add':
        await this.#add(action);
        break;
      case 'press': {
        const { call } = this.#phones[action.phone]!;
        if (call?.isUp) call.press(action.digit);
        break;
      }
      case 'hang-up':
        this.#phones[action.phone]!.hangUp();
        break;
      case 'kick': {
        const members: readonly { member_id: string }[] =
          (await this.#world.api('GET', `${room}Participant/`)).body.objects ?? [];
        const member = members[action.phone % Math.max(1, members.length)];
        if (member !== undefined) await this.#world.api('DELETE', `${room}Participant/${member.member_id}/`);
        break;
      }
      case 'end':
        await this.#world.api('DELETE', room);
    }
    await this.#world.advance(action.afterMs);
  }

  async #add({ phones, role, asksForKey, delays, ringMs, exits, stayAlone }: Action & { type: 'add' }) {
    const free = phones.map((at) => this.#phones[at]!).filter((each) => this.#isFree(each));
    const called = role === 'agent' ? free : free.slice(0, 1);
    if (called.length === 0) return;
    for (const each of called) each.behaviour = { does: 'answer', ringMs };
    const callCounts = called.map(({ calls }) => calls.length);
    const { status, body } = await this.#world.api('POST', `${room}Participant/`, {
      role,
      from: '+12025550199',
      to: called.map(({ username }) => username).join('<'),
      delay_dial: delays.slice(0, called.length).join('<'),
      stay_alone: stayAlone,
      enter_sound: 'none',
      exit_sound: 'none',
      status_callback_url: statusUrl,
      ...(asksForKey ? { confirm_key: key, confirm_key_sound_url: soundUrl } : {}),
      ...(exits ? { on_exit_action_url: exitUrl } : {}),
    });
    assert.ok(status === 201 || status === 409, JSON.stringify(body));
    if (status !== 201) return;
    const { mpc_uuid } = (await this.#world.api('GET', room)).body;
    if (mpc_uuid !== undefined) this.rooms.add(mpc_uuid);
    body.calls.forEach(({ call_uuid: uuid }: { call_uuid: string }, index: number) => {
      this.legs.push({
        uuid,
        request: body.request_uuid,
        role,
        phone: called[index]!,
        callIndex: callCounts[index]!,
        asksForKey,
      });
    });
  }

  /** The last packets of its last call are gone, and no request waits to call it. */
  #isFree(phone: SimulatedPhone): boolean {
    const last = this.legs.filter((leg) => leg.phone === phone).at(-1);
    if (last === undefined) return true;
    const call = phone.calls[last.callIndex];
    return call?.endedAt !== undefined && this.#world.now() - call.endedAt > 500;
  }

  async over(): Promise<void> {
    await this.#world.advance(1500);
    await this.#world.api('DELETE', room);
    await this.#world.until('all participants have left', () =>
      this.#phones.every(({ calls }) => calls.every(({ end }) => end !== undefined)),
    );
    await this.#world.advance(500);
  }

  async check(): Promise<number> {
    const joined = new Map<string, boolean>();
    for (const uuid of this.rooms) {
      const of = `MultiPartyCall/uuid_${uuid}/Participant/`;
      for (let offset = 0; ; offset += 20) {
        const { body } = await this.#world.api('GET', `${of}?offset=${offset}`);
        for (const { member_id, call_uuid } of body.objects) {
          joined.set(call_uuid, (await this.#world.api('GET', `${of}${member_id}/`)).body.join_time !== null);
        }
        if (body.meta.next === null) break;
      }
    }
    const winners = new Set<string>();
    for (const leg of this.legs) {
      const call = leg.phone.calls[leg.callIndex];
      const isIn = joined.get(leg.uuid);
      assert.notEqual(isIn, undefined, 'every requested leg has a record');
      if (isIn) {
        assert.ok(!winners.has(leg.request), 'one of several phones called together joins');
        winners.add(leg.request);
      }
      if (call === undefined) continue;
      const record = (await this.#world.api('GET', `Call/${leg.uuid}/`)).body;
      assert.notEqual(record.end_time, null, 'every leg has ended');
      if (!isIn) this.#unheard(leg, call, record.hangup_cause_name);
      if (isIn && leg.role === 'supervisor') this.#heardByNoCustomer(leg, call);
    }
    this.#reportedOnce([...joined.values()].filter(Boolean).length);
    return [...joined.values()].filter((isIn) => !isIn).length;
  }

  #unheard(leg: Leg, call: PhoneCall, cause: string): void {
    for (const other of this.#phones) {
      if (other === leg.phone) continue;
      const voice = toneMeter(other.toneHz);
      assert.ok(
        !call.heard.some(({ samples }) => voice(samples) > -40),
        `hears another member, and ended with ${cause}`,
      );
      for (const theirs of other.calls) this.#notHeard(leg.phone, call, theirs, cause);
    }
  }

  /** Every supervisor here coaches. */
  #heardByNoCustomer(leg: Leg, call: PhoneCall): void {
    for (const other of this.legs) {
      const theirs = other.phone.calls[other.callIndex];
      if (other.role === 'agent' || other.phone === leg.phone || theirs === undefined) continue;
      this.#notHeard(leg.phone, call, theirs, `a coach is heard by a ${other.role}`);
    }
  }

  #notHeard(speaker: SimulatedPhone, call: PhoneCall, theirs: PhoneCall, what: string): void {
    const voice = toneMeter(speaker.toneHz);
    const until = call.endedAt ?? Number.POSITIVE_INFINITY;
    const from = call.answeredAt ?? until;
    const heard = theirs.heard.some(({ at, samples }) => at >= from && at <= until && voice(samples) > -40);
    assert.ok(!heard, what);
  }

  #reportedOnce(joined: number): void {
    const reported = this.#world.customer.requests.filter(({ url }) => url === statusUrl);
    const count = (name: string) => reported.filter(({ fields }) => fields.EventName === name).length;
    assert.equal(new Set(reported.map(({ eventId }) => eventId)).size, reported.length);
    assert.deepEqual(['ParticipantJoin', 'ParticipantExit', 'MPCStart', 'MPCEnd'].map(count), [
      joined,
      joined,
      this.rooms.size,
      this.rooms.size,
    ]);
  }
}

it('any phones in any order: only joined participants are heard and hear, and each leaves once', async (t) => {
  let [evenings, strangers] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.array(action, { minLength: 8, maxLength: 25 }),
      // A slow machine plays fewer evenings.
      runsWithin(20_000, (seed, actions) =>
        inSimulatedWorld({ seed }, async (world) => {
          world.customer.serve(soundUrl, JSON.stringify({ frequencyHz: 700, durationMs: 300 }));
          world.customer.serve(exitUrl, document(`<Play>${soundUrl}</Play>`));
          const phones: SimulatedPhone[] = [];
          for (const [at, toneHz] of tones.entries())
            phones.push(await world.phone(`phone${at}`, { toneHz }));
          const evening = new Evening(world, phones);
          for (const each of actions) await evening.happen(each);
          await evening.over();
          strangers += await evening.check();
          evenings++;
        }),
      ),
    ),
    { numRuns: 12 },
  );
  t.diagnostic(`${evenings} evenings, ${strangers} phones that were called and did not join`);
  assert.ok(evenings > 0 && strangers > 0);
});
