import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  inSimulatedWorld,
  runsWithin,
  type SimulatedPhone,
  type SimulatedWorld,
  toneMeter,
} from '@jackfield/testkit';
import fc from 'fast-check';
import { heardWithinMs, takesEffectMs } from '../support/hearing-oracle.ts';
import { firstEvening, type Happening, RandomRoom } from '../support/random-room.ts';
import { roomsOfWalk } from '../support/walk-length.ts';

/** Far from the beeps' 440 Hz, and where the hold music is weak. */
const tones = [1700, 2300, 2600, 2900, 3200];
const names = ['ann', 'bob', 'cid', 'dan', 'eve'];
const rooms = roomsOfWalk(25);

/** Of the phones' −22 dB the hold music reaches −35 at their frequencies; many beeps at once take 8 from a voice. */
const heardDb = -31;
const audibleDb = -34;

const who = fc.nat({ max: 59 });
const afterMs = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 100, max: 1200 }));
const joining = fc.record({
  type: fc.constant('join' as const),
  who,
  afterMs,
  role: fc.constantFrom('agent' as const, 'customer' as const, 'supervisor' as const),
  coach: fc.nat({ max: 3 }).map((n) => n !== 0),
  mute: fc.constant(false),
  hold: fc.constant(false),
  starts: fc.constant(true),
  ringMs: fc.integer({ min: 0, max: 300 }),
  by: fc.constant('request' as const),
});
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 5, arbitrary: joining },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constantFrom('hang-up' as const, 'kick' as const), who, afterMs }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constantFrom('coach' as const, 'mute' as const, 'hold' as const, 'mute-all' as const),
      who,
      afterMs,
      on: fc.boolean(),
    }),
  },
);
const evening = fc.record({
  seed: fc.nat(),
  guests: fc.array(joining, { minLength: 3, maxLength: 3 }),
  happenings: fc.array(happening, { minLength: 6, maxLength: 12 }),
});

interface Entry {
  readonly listener: { readonly member_id: string; readonly role: string };
  readonly speaker: { readonly member_id: string; readonly role: string };
  readonly coaching: boolean;
  readonly from_ms: number;
  readonly to_ms: number | null;
}

it('the history of hearing is what the phones received: nothing was heard that it lacks, and all that it has was heard', async (t) => {
  const checked = { entries: 0, heard: 0, owed: 0, coached: 0 };
  let played = 0;
  await fc.assert(
    // A slow machine plays fewer rooms.
    fc.asyncProperty(
      evening,
      runsWithin(40_000, ({ seed, guests, happenings }) =>
        inSimulatedWorld({ seed }, async (world) => {
          const phones: SimulatedPhone[] = [];
          for (const [index, toneHz] of tones.entries()) {
            phones.push(await world.phone(names[index]!, { toneHz }));
          }
          const room = new RandomRoom(world, phones);
          await room.play([...guests, ...happenings]);
          await room.end();
          check(phones, phonesByMember(room), await historyOf(world), checked);
          played++;
        }),
      ),
    ),
    { numRuns: rooms, examples: [[firstEvening]] },
  );
  t.diagnostic(`${played} rooms: ${JSON.stringify(checked)}`);
  for (const [what, times] of Object.entries(checked)) assert.ok(times > 0, `${what}: none was checked`);
});

/** Every participant, by member_id, and the phone that it was. */
function phonesByMember({ history }: RandomRoom): ReadonlyMap<string, number> {
  const phoneOf = new Map<string, number>();
  for (const { people } of history) {
    people.forEach((person, index) => {
      if (person !== undefined && person.memberId !== '') phoneOf.set(person.memberId, index);
    });
  }
  return phoneOf;
}

/** Of all calls of this name, page by page. */
async function historyOf(world: SimulatedWorld): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  const calls = (await world.api('GET', 'MultiPartyCall/?friendly_name=random')).body.objects;
  for (const { mpc_uuid: uuid } of calls as readonly { mpc_uuid: string }[]) {
    let next: string | null = `MultiPartyCall/uuid_${uuid}/Hearing/History/`;
    while (next !== null) {
      const { status, body }: Awaited<ReturnType<SimulatedWorld['api']>> = await world.api('GET', next);
      assert.equal(status, 200);
      entries.push(...body.objects);
      next = body.meta.next;
    }
  }
  return entries;
}

function check(
  phones: readonly SimulatedPhone[],
  phoneOf: ReadonlyMap<string, number>,
  entries: readonly Entry[],
  checked: { entries: number; heard: number; owed: number; coached: number },
): void {
  const meters = phones.map(({ toneHz }) => toneMeter(toneHz));
  const byPair = new Map<string, Entry[]>();
  for (const entry of entries) {
    checked.entries++;
    if (entry.coaching) {
      checked.coached++;
      assert.equal(entry.speaker.role, 'supervisor');
      assert.equal(entry.listener.role, 'agent', 'a coach is heard by agents alone');
    }
    const { to_ms: to } = entry;
    assert.ok(to !== null && to >= entry.from_ms, 'whatever has begun has ended with the call');
    const [listener, speaker] = [entry.listener, entry.speaker].map(({ member_id: id }) => phoneOf.get(id));
    assert.ok(listener !== undefined && speaker !== undefined && listener !== speaker);
    const pair = `${listener}/${speaker}`;
    byPair.set(pair, [...(byPair.get(pair) ?? []), entry]);
  }
  phones.forEach((phone, listener) => {
    for (const { at, samples } of phone.calls.flatMap(({ heard }) => heard)) {
      meters.forEach((meter, speaker) => {
        if (speaker === listener) return;
        const level = meter(samples);
        const known = byPair.get(`${listener}/${speaker}`) ?? [];
        const pair = () => `phone ${listener} at ${at}: phone ${speaker} at ${level.toFixed(1)} dB`;
        if (level > heardDb) {
          checked.heard++;
          const isKnown = known.some(
            ({ from_ms: from, to_ms: to }) => from <= at && to! + takesEffectMs >= at,
          );
          if (!isKnown) throw new Error(`${pair()}, of which the history knows nothing`);
        }
        const isOwed = known.some(({ from_ms: from, to_ms: to }) => from + heardWithinMs <= at && at < to!);
        if (!isOwed) return;
        checked.owed++;
        if (level < audibleDb) throw new Error(`${pair()}, who the history says could be heard`);
      });
    }
  });
}
