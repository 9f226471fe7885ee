import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase, type OpenDatabase } from '@jackfield/testkit';
import { openCallbacks } from './testing/callbacks-world.ts';

function rules(open: OpenDatabase): void {
  test('events of an account without a free slot hold back no other account at a host that they wait for', async () => {
    const { world, requests, emit } = await openCallbacks(open, ({ url }) => ({
      status: 200,
      afterMs: url.includes('shared') ? 5_000 : 60_000,
    }));
    const { authId: busy } = await world.subaccount();
    const emitted = (account: string, name: string, count: number, hosts = 1) =>
      world.node.emit(
        ...Array.from({ length: count }, (_, number) => ({
          type: 'happened',
          account,
          mainAccount: world.main.authId,
          resource: `${name}/${number}`,
          payload: {},
          callback: {
            url: `http://${name.split(' ')[0]}${number % hosts}.example/`,
            method: 'POST' as const,
          },
        })),
      );
    await emitted(world.main.authId, 'shared by others', 32);
    await emitted(busy, 'shared', 40);
    // More than the account has slots for.
    await emitted(busy, 'slow', 200, 8);
    await emit('http://shared0.example/last', { resource: 'last/1' });
    await world.advance(4_000);
    assert.equal(requests.length, 32 + 128);
    await world.advance(3_000);
    assert.ok(requests.some(({ url }) => url.endsWith('/last')));
  });
}

eachDatabase('callbacks of an account without a free slot', rules);
