import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SoundClip } from '@jackfield/ports';
import fc from 'fast-check';
import { createLoadedClips, type TakenClip } from './loaded-clips.ts';

const never = new AbortController().signal;
const clip = (samples: number): SoundClip => ({ sampleRate: 8_000, samples: new Int16Array(samples) });
const someTurns = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

/** Keeps `room` clips and refuses more, as an engine does whose memory is used up. */
function engineOf(room: number) {
  const loaded = new Set<string>();
  return {
    loaded,
    async loadClip(name: string) {
      await Promise.resolve();
      if (loaded.size >= room) throw new RangeError('it exceeds what may be kept');
      loaded.add(name);
    },
    async growClip(name: string) {
      await this.loadClip(name);
    },
    dropClip(name: string) {
      assert.ok(loaded.delete(name), `${name} was loaded`);
    },
  };
}

test('a full engine drops idle clips for a new one, and never a clip in use', async () => {
  const engine = engineOf(2);
  const clips = createLoadedClips(engine, 1_000_000);
  const take = (key: string) => clips.take(key, never, async () => clip(800));
  const [one, two] = [await take('one'), await take('two')];
  assert.equal(one.durationMs, 100);
  await assert.rejects(take('three'), RangeError);
  one.free();
  one.free();
  const three = await take('three');
  assert.deepEqual([...engine.loaded], [two.name, three.name]);
  assert.deepEqual(clips.census(), { used: 2, idle: 0, idleBytes: 0 });
});

test('a failed load rejects all waiting takers and is not kept', async () => {
  const engine = engineOf(9);
  const clips = createLoadedClips(engine, 1_000_000);
  const broken = () => Promise.reject(new Error('no sound'));
  const asked = [clips.take('a', never, broken), clips.take('a', never, broken)];
  for (const one of asked) await assert.rejects(one, /no sound/);
  assert.equal((await clips.take('a', never, async () => clip(8))).durationMs, 1);
});

test('a load is aborted when its last taker leaves, and a clip that arrives later is dropped', async () => {
  const engine = engineOf(9);
  const clips = createLoadedClips(engine, 1_000_000);
  const stops = [new AbortController(), new AbortController()];
  let isGivenUp = false;
  const made = Promise.withResolvers<SoundClip>();
  const asked = stops.map(({ signal }) =>
    clips.take('a', signal, (whole) => {
      whole.addEventListener('abort', () => {
        isGivenUp = true;
      });
      return made.promise;
    }),
  );
  const refused = asked.map((one) => assert.rejects(one, { code: 'withdrawn' }));
  stops[0]!.abort();
  assert.equal(isGivenUp, false);
  stops[1]!.abort();
  assert.equal(isGivenUp, true);
  made.resolve(clip(8));
  await Promise.all(refused);
  await someTurns();
  assert.equal(engine.loaded.size, 0);
  assert.deepEqual(clips.census(), { used: 0, idle: 0, idleBytes: 0 });
});

test('random takes, frees and withdrawals drop no clip in use and leave none behind', async () => {
  const actions = fc.array(fc.tuple(fc.constantFrom('take', 'free', 'stop', 'turn'), fc.nat(5)), {
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(actions, async (done) => {
      const engine = engineOf(100);
      const clips = createLoadedClips(engine, 32);
      const taken: TakenClip[] = [];
      const stops: AbortController[] = [];
      const pending: Promise<void>[] = [];
      for (const [what, choice] of done) {
        if (what === 'take') {
          const stop = new AbortController();
          stops.push(stop);
          const wait = clips.take(`${choice}`, stop.signal, async () => clip(choice * 2 + 1));
          pending.push(
            wait.then(
              (one) => void taken.push(one),
              (error) => assert.equal(error.code, 'withdrawn'),
            ),
          );
        } else if (what === 'free') taken.splice(choice, 1)[0]?.free();
        else if (what === 'stop') stops[choice]?.abort();
        else await Promise.resolve();
        for (const one of taken) assert.ok(engine.loaded.has(one.name));
        assert.ok(clips.census().idleBytes <= 32);
      }
      await Promise.all(pending);
      for (const one of taken) one.free();
      await someTurns();
      assert.equal(clips.census().used, 0);
      assert.equal(engine.loaded.size, clips.census().idle);
      clips.clear();
      assert.equal(engine.loaded.size, 0);
    }),
    { numRuns: 300 },
  );
});
