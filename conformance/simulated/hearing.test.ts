import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inSimulatedWorld, runsWithin, type SimulatedPhone } from '@jackfield/testkit';
import fc from 'fast-check';
import { type Checked, checkHearing, keyOf } from '../support/hearing-oracle.ts';
import { firstEvening, type Happening, RandomRoom } from '../support/random-room.ts';
import { roomsOfWalk } from '../support/walk-length.ts';

/** Where the hold music is weak, 300 Hz and more apart, and far from the beeps' 440 Hz. */
const tones = [1700, 2300, 2600, 2900, 3200, 3500];
const names = ['ann', 'bob', 'cid', 'dan', 'eve', 'fay'];
const rooms = roomsOfWalk(60);
const happeningsPerRoom = 15;

const who = fc.nat({ max: 59 });
const afterMs = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 60 }) },
  { weight: 4, arbitrary: fc.integer({ min: 100, max: 900 }) },
);
const rarely = fc.nat({ max: 4 }).map((n) => n === 0);
const usually = fc.nat({ max: 4 }).map((n) => n !== 0);
const joining = fc.record({
  type: fc.constant('join' as const),
  who,
  afterMs,
  role: fc.constantFrom('agent' as const, 'customer' as const, 'customer' as const, 'supervisor' as const),
  coach: usually,
  mute: rarely,
  hold: rarely,
  starts: usually,
  ringMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 400 })),
  by: fc.constantFrom('request' as const, 'document' as const, 'move' as const),
});
const leaving = fc.record({ type: fc.constantFrom('hang-up' as const, 'kick' as const), who, afterMs });
const activation = fc.record({ type: fc.constant('activate' as const), who, afterMs });
const switching = (...types: ('coach' | 'mute' | 'hold' | 'mute-all' | 'hold-all')[]) =>
  fc.record({ type: fc.constantFrom(...types), who, afterMs, on: fc.boolean() });
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 7, arbitrary: joining },
  { weight: 2, arbitrary: leaving },
  { weight: 5, arbitrary: switching('coach') },
  { weight: 4, arbitrary: switching('mute', 'hold') },
  { weight: 1, arbitrary: switching('mute-all', 'hold-all') },
  { weight: 1, arbitrary: activation },
);
// Three phones join at once, so that each hears another from the start.
const evening = fc.record({
  seed: fc.nat(),
  guests: fc.array(joining, { minLength: 3, maxLength: 3 }),
  happenings: fc.array(happening, { minLength: happeningsPerRoom - 5, maxLength: happeningsPerRoom }),
});

it('whatever happens in whatever order, a coach is heard by agents alone, and everybody hears what the table says', async (t) => {
  const music = await learnHoldMusic();
  const checked: Checked = { frames: 0, silences: 0, coachSilences: 0, voices: 0, music: 0 };
  let played = 0;
  await fc.assert(
    // A slow machine plays fewer rooms.
    fc.asyncProperty(
      evening,
      runsWithin(50_000, ({ seed, guests, happenings }) =>
        inSimulatedWorld({ seed }, async (world) => {
          const phones: SimulatedPhone[] = [];
          for (const [index, toneHz] of tones.entries())
            phones.push(await world.phone(names[index]!, { toneHz }));
          const room = new RandomRoom(world, phones);
          await room.play([...guests, ...happenings]);
          await room.end();
          checkHearing(phones, room.history, { music }, checked);
          played++;
        }),
      ),
    ),
    { numRuns: rooms, examples: [[firstEvening]] },
  );
  t.diagnostic(
    `${played} rooms: ${checked.frames} frames, silent as they must be ${checked.silences} times (a coach ` +
      `${checked.coachSilences} times), heard as they must be ${checked.voices} times, music ${checked.music} times`,
  );
  for (const [what, times] of Object.entries(checked)) assert.ok(times > 0, `${what}: none was checked`);
});

/** The hold music as a phone alone receives it; longer than any hold in a test. */
async function learnHoldMusic(): Promise<ReadonlySet<string>> {
  const frames = new Set<string>();
  await inSimulatedWorld({}, async (world) => {
    const phone = await world.phone('held');
    await world.api('POST', 'MultiPartyCall/name_music/Participant/', {
      role: 'customer',
      hold: true,
      from: '+12025550000',
      to: phone.username,
    });
    await world.advance(20_000);
    for (const { samples } of phone.call?.heard ?? []) {
      // Audio before the music is no part of it.
      if (samples.some((sample) => Math.abs(sample) > 8)) frames.add(keyOf(samples));
    }
    phone.hangUp();
  });
  return frames;
}
