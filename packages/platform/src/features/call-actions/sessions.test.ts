import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { answeredCall, type SimulatedWorld, worldOfSuite } from '@jackfield/testkit';

const urls = 'https://a.example/a.mp3';

/** More steps than the runner runs in one turn of the event loop: a later request waits for the next turn. */
function busySession({ node }: SimulatedWorld) {
  const busy = node.platform.runner.define<number, 'next', { readonly do: 'again' }>({
    name: 'busy',
    machine: { step: (steps) => ({ state: steps + 1, effects: [{ do: 'again' }] }) },
    isEnded: (steps) => steps > 15_000,
    perform: (id) => busy.send(id, 'next'),
  });
  return () => void busy.open('busy', 0, 'next');
}

const actions = ({ node }: SimulatedWorld) => node.platform.runner.census()['call-action'];

describe('Sessions of live calls on a busy machine', () => {
  const suite = worldOfSuite({ phones: 'none' });
  let keepBusy: () => void;
  before(() => {
    keepBusy = busySession(suite());
  });

  test('first orders at once share one session', async () => {
    const world = suite();
    const leg = await answeredCall(world);
    keepBusy();
    const asked = ['one', 'two', 'three'].map((text) =>
      world.api('POST', `Call/${leg}/Speak/`, { text, loop: true }),
    );
    assert.deepEqual(
      (await Promise.all(asked)).map(({ status }) => status),
      [202, 202, 202],
    );
    assert.equal(actions(world)?.sessions, 1);
    await world.advance(20);
    const heard = world.node.media.orders.plays.filter(({ sound }) => sound.kind === 'clip');
    assert.equal(heard.length, 1);
    assert.equal(world.node.spokenTo(leg).at(-1)?.text, 'three');
  });

  test('a leg that ends before its session has begun leaves nothing behind', async () => {
    const world = suite();
    const leg = await answeredCall(world);
    keepBusy();
    const asked = world.api('POST', `Call/${leg}/Play/`, { urls });
    world.telephony.leave(leg);
    await asked;
    await world.advance(0);
    assert.deepEqual(world.node.media.orders.plays, []);
    assert.equal(actions(world)?.sessions, 0);
  });
});
