import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answeredCall,
  onEmbeddedDatabase,
  openSimulatedWorld,
  type SimulatedWorld,
} from '@jackfield/testkit';

const urls = 'https://a.example/a.mp3';

/** More steps than the runner runs in one turn of the event loop: a later request waits for the next turn. */
function keepBusy({ node }: SimulatedWorld): void {
  const busy = node.platform.runner.define<number, 'next', { readonly do: 'again' }>({
    name: 'busy',
    machine: { step: (steps) => ({ state: steps + 1, effects: [{ do: 'again' }] }) },
    isEnded: (steps) => steps > 15_000,
    perform: (id) => busy.send(id, 'next'),
  });
  void busy.open('busy', 0, 'next');
}

const actions = ({ node }: SimulatedWorld) => node.platform.runner.census()['call-action'];

onEmbeddedDatabase('Sessions of live calls on a busy machine', (open) => {
  test('first orders at once share one session', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const leg = await answeredCall(world);
    keepBusy(world);
    const asked = ['1', '2', '3'].map(() => world.api('POST', `Call/${leg}/Play/`, { urls }));
    assert.deepEqual(
      (await Promise.all(asked)).map(({ status }) => status),
      [202, 202, 202],
    );
    assert.equal(actions(world)?.sessions, 1);
  });

  test('a leg that ends before its session has begun leaves nothing behind', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const leg = await answeredCall(world);
    keepBusy(world);
    const asked = world.api('POST', `Call/${leg}/Play/`, { urls });
    world.telephony.leave(leg);
    await asked;
    await world.advance(0);
    assert.deepEqual(world.node.media.orders.plays, []);
    assert.equal(actions(world)?.sessions, 0);
  });
});
