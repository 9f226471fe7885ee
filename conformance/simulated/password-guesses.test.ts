import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventStreamOf, inSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';

/** The default of a server: `failuresBeforeBan` and `banMs` in `packages/signalling/src/defence/defence.ts`. */
const failures = 20;
const banMs = 300_000;

/** The statuses of so many attempts to register, which do not wait for each other. */
async function guess(world: SimulatedWorld, victim: string, count: number) {
  const guessers = Array.from({ length: count }, (_, n) =>
    world.gateway(victim, '10.0.3.1', { port: 6000 + n, password: `guess ${n}` }),
  );
  for (const each of guessers) each.register();
  await world.advance(40_000);
  const statuses = guessers.map(({ registration }) => registration);
  for (const each of guessers) each.close();
  return statuses;
}

describe('A source that guesses passwords', () => {
  it('is banned after its last failure, is reported, and is served again when the ban ends', () =>
    inSimulatedWorld({ seed: 311 }, async (world) => {
      const ann = await world.phone('ann');
      await guess(world, ann.username, failures + 1);
      assert.equal(world.node.edge.bannedSources(), 1);
      const bans = (await eventStreamOf(world)).filter(({ type }) => type === 'source.banned');
      assert.deepEqual(
        bans.map(({ data }) => data),
        [{ source_address: '10.0.3.1', reason: 'failed-logins', seconds: banMs / 1000, unreported_bans: 0 }],
      );

      const neighbour = world.gateway(ann.username, '10.0.3.1', { password: 'secret of ann' });
      neighbour.register();
      await world.advance(40_000);
      assert.equal(neighbour.registration, 'timeout', 'even the right password is dropped during the ban');

      ann.register();
      await world.until('a phone elsewhere registers meanwhile', () => ann.isRegistered);

      await world.advance(banMs);
      neighbour.register();
      await world.until('the ban has ended', () => neighbour.isRegistered, 5000);
      assert.equal(world.node.edge.bannedSources(), 0);
    }));

  it('is not banned for one failure less, and a phone behind its address goes on', () =>
    inSimulatedWorld({ seed: 312 }, async (world) => {
      const ann = await world.phone('ann');
      const statuses = await guess(world, ann.username, failures);
      assert.deepEqual(new Set(statuses), new Set([401]));
      assert.equal(world.node.edge.bannedSources(), 0);
      const right = world.gateway(ann.username, '10.0.3.1', { password: 'secret of ann' });
      right.register();
      await world.until('the right password registers', () => right.isRegistered);
    }));
});
