import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toneLevel } from '../dsp/tone-level.ts';
import { createEngineRig, type TonePhone } from './testing/phones.ts';

/** One tone per leg, 300 Hz apart, so that a frame of 20 ms distinguishes them. */
const tones = [500, 800, 1100, 1400, 1700, 2000];

const edges = fc.array(fc.array(fc.nat(tones.length - 1), { maxLength: tones.length }), {
  minLength: tones.length,
  maxLength: tones.length,
});
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('hear' as const), mix: fc.nat(1), edges }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), leg: fc.nat(tones.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('come' as const), leg: fc.nat(tones.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const), mix: fc.nat(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), frames: fc.integer({ min: 1, max: 16 }) }),
  },
);

/**
 * The oracle keeps its own table, by the definition of the port: the last set-hearing that names a leg makes it a
 * member there. An edge exists while both ends are open members. The test checks every sent frame, and also the first
 * one after a change.
 */
for (const phases of [1, 4]) {
  test(`no frame carries a talker without an edge, in any order of changes, and every edge is heard (${phases} phases)`, () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 3, maxLength: 14 }), (steps) => {
        const rig = createEngineRig({ phases });
        const phones: (TonePhone | undefined)[] = tones.map((hz, k) => rig.phone(`leg-${k}`, hz));
        const homes = new Map<number, number>();
        const tables = [new Map<number, number[]>(), new Map<number, number[]>()];
        const heardFor = new Map<string, number>();
        for (const mix of [0, 1]) rig.engine.apply({ do: 'open-mix', mix: `m${mix}` }, rig.nowMs());

        const allowed = (listener: number, talker: number): boolean => {
          const home = homes.get(listener);
          return (
            home !== undefined &&
            homes.get(talker) === home &&
            phones[talker] !== undefined &&
            tables[home]!.get(listener)!.includes(talker)
          );
        };
        const run = (frames: number): void => {
          for (let frame = 0; frame < frames; frame++) {
            const heardBefore = phones.map((phone) => phone?.heardCount);
            rig.run(1);
            assert.equal(rig.engine.countLeaks(), 0);
            phones.forEach((listener, l) => {
              // When a leg moves to another phase, one frame is more than 20 ms after the last.
              if (listener === undefined || listener.heardCount === heardBefore[l]) return;
              const samples = rig.lastHeard(listener, 1);
              tones.forEach((hz, t) => {
                const level = toneLevel(samples, 8000, hz);
                const key = `${l}<${t}`;
                if (allowed(l, t)) {
                  const times = (heardFor.get(key) ?? 0) + 1;
                  heardFor.set(key, times);
                  // The latch and the jitter buffer of a new leg need their first packets.
                  if (times > 5) assert.ok(level > -30, `leg ${l} should hear leg ${t}: ${level} dB`);
                } else {
                  heardFor.delete(key);
                  assert.ok(!(level > -38), `leg ${l} hears leg ${t} without an edge: ${level} dB`);
                }
              });
            });
          }
        };

        run(3);
        for (const now of steps) {
          switch (now.do) {
            case 'hear': {
              // Legs with an odd number and no edges are left out, so that both members and strangers occur.
              const members = now.edges.flatMap((hears, k) =>
                hears.length === 0 && k % 2 ? [] : [{ k, hears }],
              );
              for (const [k, home] of homes) if (home === now.mix) homes.delete(k);
              tables[now.mix]!.clear();
              for (const { k, hears } of members) {
                homes.set(k, now.mix);
                tables[now.mix]!.set(k, hears);
              }
              rig.engine.apply({ do: 'open-mix', mix: `m${now.mix}` }, rig.nowMs());
              rig.engine.apply(
                {
                  do: 'set-hearing',
                  mix: `m${now.mix}`,
                  members: members.map(({ k, hears }) => ({
                    leg: `leg-${k}`,
                    hears: hears.map((other) => `leg-${other}`),
                  })),
                },
                rig.nowMs(),
              );
              break;
            }
            case 'leave': {
              const phone = phones[now.leg];
              if (phone !== undefined) rig.hangUp(phone);
              // A leg that was never open keeps its membership; a leg that closes loses it.
              if (phone !== undefined) homes.delete(now.leg);
              phones[now.leg] = undefined;
              for (const key of heardFor.keys()) if (key.includes(`${now.leg}`)) heardFor.delete(key);
              break;
            }
            case 'come':
              phones[now.leg] ??= rig.phone(`leg-${now.leg}`, tones[now.leg]!);
              break;
            case 'close':
              rig.engine.apply({ do: 'close-mix', mix: `m${now.mix}` }, rig.nowMs());
              for (const [k, home] of homes) if (home === now.mix) homes.delete(k);
              break;
            case 'wait':
              run(now.frames);
          }
          if (now.do !== 'wait') run(2);
        }
        for (const phone of phones) if (phone !== undefined) rig.hangUp(phone);
        for (const mix of [0, 1]) rig.engine.apply({ do: 'close-mix', mix: `m${mix}` }, rig.nowMs());
        assert.deepEqual(rig.engine.census(), {
          legs: 0,
          mixes: 0,
          plays: 0,
          clips: 0,
          audiences: 0,
          captures: 0,
        });
      }),
      { numRuns: 60 },
    );
  });
}
