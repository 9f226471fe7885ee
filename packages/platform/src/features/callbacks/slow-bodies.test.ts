import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase, type OpenDatabase } from '@jackfield/testkit';
import { openCallbacks } from './testing/callbacks-world.ts';

function rules(open: OpenDatabase): void {
  test('the next callback of a resource follows the status of the answer before, and waits for no body', async () => {
    const { world, emit, numbers, log } = await openCallbacks(open, () => ({ status: 200, bodyMs: 30_000 }));
    for (const n of [1, 2, 3]) await emit('http://a.example/', { payload: { n } });
    await world.advance(900);
    assert.deepEqual(numbers(), ['1 at 0 s', '2 at 0 s', '3 at 0 s']);
    const { objects } = await log('?status=delivered');
    assert.equal(objects.length, 3);
    await world.advance(60_000);
  });

  test('a body that goes on holds its slot at the host', async () => {
    const { world, requests, emit } = await openCallbacks(open, () => ({ status: 200, bodyMs: 30_000 }));
    for (let number = 0; number < 30; number++) await emit('http://a.example/', { resource: `r/${number}` });
    await world.advance(20_000);
    assert.equal(requests.length, 24);
    await world.advance(15_000);
    assert.equal(requests.length, 30);
    await world.advance(60_000);
  });

  test('an error status is judged without its body', async () => {
    const { world, emit, numbers } = await openCallbacks(open, () => ({ status: 503, bodyMs: 30_000 }));
    await emit('http://a.example/#rp=5xx');
    await world.advance(60_000);
    assert.deepEqual(numbers(), ['1 at 0 s', '1 at 1 s']);
  });

  test('the end of the process cuts bodies that go on, and their callbacks are not sent again', async () => {
    const { world, requests, emit, log } = await openCallbacks(open, () => ({ status: 200, bodyMs: 30_000 }));
    await emit('http://a.example/');
    await world.advance(100);
    await world.restart({ isGraceful: true });
    await world.advance(60_000);
    assert.equal(requests.length, 1);
    assert.equal((await log('?status=delivered')).objects.length, 1);
  });
}

eachDatabase('callbacks whose answers have slow bodies', rules);
