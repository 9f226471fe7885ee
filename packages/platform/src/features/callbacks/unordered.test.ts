import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase, type OpenDatabase } from '@jackfield/testkit';
import { ok, openCallbacks } from './testing/callbacks-world.ts';

const schedule = [60, 120, 240];
const unordered = (url: string) => ({ url, method: 'POST', schedule, isUnordered: true }) as const;

function rules(open: OpenDatabase): void {
  test('unordered events of a resource are each sent at once, and retried 60, 120 and 240 s after their own attempts', async () => {
    const { world, emit, numbers } = await openCallbacks(open, () => ({ status: 500 }));
    const emitted = (n: number) => emit('', { callback: unordered('http://a.example/'), payload: { n } });
    await emitted(1);
    await world.advance(10_000);
    await emitted(2);
    await world.advance(600_000);
    assert.deepEqual(numbers(), [
      '1 at 0 s',
      '2 at 10 s',
      '1 at 60 s',
      '2 at 70 s',
      '1 at 180 s',
      '2 at 190 s',
      '1 at 420 s',
      '2 at 430 s',
    ]);
  });

  test('a receiver that hangs defers no retry of its session, of other sessions, or of other resources of the host', async () => {
    const { world, emit, numbers } = await openCallbacks(open, ({ url }) => {
      if (url.endsWith('/ordered')) return ok;
      return url.endsWith('/other') ? { status: 503 } : undefined;
    });
    const emitted = (path: string, resource: string, n: string, isOrdered = false) => {
      const url = `http://a.example/${path}`;
      const callback = isOrdered ? ({ url, method: 'POST' } as const) : unordered(url);
      return emit('', { callback, resource, payload: { n } });
    };
    const all = (second: number, ...names: string[]) => names.map((n) => `${n} at ${second} s`);

    await emitted('hangs', 'verify/1', 'queued');
    // Its own session continues, as do another session and an ordered resource of the host.
    await emitted('hangs', 'verify/1', 'sent');
    await emitted('other', 'verify/2', 'other');
    await emitted('ordered', 'call/1', 'call', true);
    await world.advance(60_500);
    // The host was silent, and hangs now: ordered resources are not slowed down either.
    for (const n of [1, 2, 3]) await emitted('ordered', `call/${n}`, `call ${n}`, true);
    await world.advance(500_000);
    assert.deepEqual(
      numbers().toSorted(),
      [
        ...all(0, 'queued', 'sent', 'other', 'call'),
        ...all(60, 'queued', 'sent', 'other', 'call 1', 'call 2', 'call 3'),
        ...all(180, 'queued', 'sent', 'other'),
        ...all(420, 'queued', 'sent', 'other'),
      ].toSorted(),
    );
  });
}

eachDatabase('unordered callbacks', rules);
