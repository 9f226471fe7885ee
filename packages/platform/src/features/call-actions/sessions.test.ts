import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase } from '@jackfield/testkit';
import type { SessionRunner } from '../../kernel/session-runner.ts';
import { openActionWorld } from './testing/action-world.ts';

const play = (name: string) =>
  ({
    type: 'begin-play',
    kind: 'play',
    play: { play: name, through: 'a' },
    order: { account: 'A', mainAccount: 'A', items: [], loop: 1, alone: false },
  }) as const;

/** More steps than the runner runs in one turn of the event loop: a later request waits for the next turn. */
function keepBusy(runner: SessionRunner): void {
  const busy = runner.define<number, 'next', { readonly do: 'again' }>({
    name: 'busy',
    machine: { step: (steps) => ({ state: steps + 1, effects: [{ do: 'again' }] }) },
    isEnded: (steps) => steps > 15_000,
    perform: (id) => busy.send(id, 'next'),
  });
  void busy.open('busy', 0, 'next');
}

onEmbeddedDatabase('Sessions of live calls on a busy machine', (open) => {
  test('two first orders at once share one session', async () => {
    const world = await openActionWorld(open);
    const leg = world.leg();
    keepBusy(world.runner);
    const replies = await Promise.all(['1', '2', '3'].map((name) => world.sessions.ask(leg, play(name))));
    assert.deepEqual(replies, ['done', 'done', 'done']);
    assert.deepEqual([...world.playing.keys()], ['3']);
  });

  test('a leg that ends before its session has begun leaves nothing behind', async () => {
    const world = await openActionWorld(open);
    const leg = world.leg();
    keepBusy(world.runner);
    const asked = world.sessions.ask(leg, play('1'));
    await world.hangUp(leg);
    await asked;
    await world.runner.idle();
    assert.equal(world.playing.size, 0);
    assert.equal(world.runner.census()['call-action']?.sessions, 0);
  });
});
