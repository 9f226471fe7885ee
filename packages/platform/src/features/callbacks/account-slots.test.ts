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
    await emitMany(world, world.main.authId, 'shared by others', 32);
    await emitMany(world, busy, 'shared', 40);
    // More than the account has slots for.
    await emitMany(world, busy, 'slow', 200, 8);
    await emit('http://shared0.example/last', { resource: 'last/1' });
    await world.advance(4_000);
    // Three quarters of the host's 32, then half of the 256 slots that the others have not.
    assert.equal(requests.length, 24 + (256 - 24) / 2);
    await world.advance(3_000);
    assert.ok(requests.some(({ url }) => url.endsWith('/last')));
  });

  test('callbacks of one account that hang hold back no other account at the same host', async () => {
    const { world, requests, emit } = await openCallbacks(open, ({ url }) =>
      url.endsWith('/') ? undefined : { status: 200 },
    );
    const { authId: hanging } = await world.subaccount();
    await emitMany(world, hanging, 'shared', 40);
    const answered = () => requests.filter(({ url }) => url.endsWith('/answered')).length;
    await emit('http://shared0.example/answered', { resource: 'answered/1' });
    await world.advance(1_000);
    assert.equal(answered(), 1);
    // Silent by now: the account has one request at a time there.
    await world.advance(60_000);
    const before = requests.length;
    for (let number = 2; number < 12; number++) {
      await emit('http://shared0.example/answered', { resource: `answered/${number}` });
    }
    await world.advance(1_000);
    assert.equal(answered(), 11);
    assert.equal(requests.length, before + 10);
  });

  test('several accounts whose receivers hang leave slots to others', async () => {
    const { world, requests, emit } = await openCallbacks(open, ({ url }) => ({
      status: 200,
      afterMs: url.includes('slow') ? 39_000 : 5,
    }));
    for (const name of ['slow-a', 'slow-b', 'slow-c', 'slow-d']) {
      const { authId } = await world.subaccount(name);
      await emitMany(world, authId, name, 200, 8);
    }
    await world.advance(1_000);
    await emit('http://live.example/', { resource: 'live/1' });
    await world.advance(1_000);
    assert.ok(requests.some(({ url }) => url.includes('live')));
    // Slots that are free again go to all of them.
    await world.advance(300_000);
    for (const name of ['slow-a', 'slow-b', 'slow-c', 'slow-d']) {
      assert.equal(requests.filter(({ url }) => url.includes(name)).length, 200, name);
    }
  });
}

type World = Awaited<ReturnType<typeof openCallbacks>>['world'];

/** Events of one account to hosts whose names begin with that of their resources. */
function emitMany(world: World, account: string, name: string, count: number, hosts = 1): Promise<void> {
  return world.node.emit(
    ...Array.from({ length: count }, (_, number) => ({
      type: 'happened',
      account,
      mainAccount: world.main.authId,
      resource: `${name}/${number}`,
      payload: {},
      callback: { url: `http://${name.split(' ')[0]}${number % hosts}.example/`, method: 'POST' as const },
    })),
  );
}

eachDatabase('callbacks of an account without a free slot', rules);
