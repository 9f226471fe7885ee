import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EgressOutcome } from '@jackfield/ports';
import { eachDatabase, type OpenDatabase } from '@jackfield/testkit';
import { answer, ok, openWorld } from './testing/callbacks-world.ts';

const timedOut: EgressOutcome = { problem: { kind: 'read-timeout', sentence: 'no answer within 40000 ms' } };
const schedule = [60, 120, 240];
const unordered = (url: string) => ({ url, method: 'POST', schedule, isUnordered: true }) as const;

function rules(open: OpenDatabase): void {
  test('unordered events of a resource are each sent at once, and retried 60, 120 and 240 s after their own attempts', async () => {
    const world = await openWorld(open, () => answer(500));
    const emit = (n: number) => world.emit('', { callback: unordered('http://a.example/'), payload: { n } });
    await emit(1);
    await world.advance(10_000);
    await emit(2);
    await world.advance(600_000);
    assert.deepEqual(world.numbers(), [
      '1 at 0',
      '2 at 10000',
      '1 at 60000',
      '2 at 70000',
      '1 at 180000',
      '2 at 190000',
      '1 at 420000',
      '2 at 430000',
    ]);
    await world.close();
  });

  test('a receiver that hangs defers no retry of its session, of other sessions, or of other resources of the host', async () => {
    const hung: PromiseWithResolvers<EgressOutcome>[] = [];
    const world = await openWorld(open, ({ url }) => {
      if (url.endsWith('/ordered')) return ok;
      if (url.endsWith('/other')) return answer(503);
      const hanging = Promise.withResolvers<EgressOutcome>();
      hung.push(hanging);
      return hanging.promise;
    });
    const { clock } = world.api;
    const until = async (condition: () => boolean | Promise<boolean>) => {
      while (!(await condition())) {
        // A look at a real database during which time moved has armed the next look in the past.
        await clock.advance(0);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const isSent = (...expected: readonly string[]) =>
      until(() => expected.every((each) => world.numbers().includes(each)));
    /** Every request that hangs runs into its read timeout, and is recorded. */
    const timeOut = async () => {
      for (const { resolve } of hung.splice(0)) resolve(timedOut);
      await world.outbox.idle();
    };
    const emit = (path: string, resource: string, n: string, isOrdered = false) => {
      const url = `http://a.example/${path}`;
      const callback = isOrdered ? ({ url, method: 'POST' } as const) : unordered(url);
      void world.emit('', { callback, resource, payload: { n } });
    };

    emit('hangs', 'verify/1', 'queued');
    await isSent('queued at 0');
    // Its own session continues, as do another session and an ordered resource of the host.
    emit('hangs', 'verify/1', 'sent');
    emit('other', 'verify/2', 'other');
    emit('ordered', 'call/1', 'call', true);
    await isSent('queued at 0', 'sent at 0', 'other at 0', 'call at 0');

    await clock.advance(40_000);
    await timeOut();
    await clock.advance(20_000);
    await isSent('queued at 60000', 'sent at 60000', 'other at 60000');
    // The host was silent, and hangs now: ordered resources are not slowed down either.
    for (const n of [1, 2, 3]) emit('ordered', `call/${n}`, `call ${n}`, true);
    await isSent('call 1 at 60000', 'call 2 at 60000', 'call 3 at 60000');
    await clock.advance(40_000);
    await timeOut();
    await clock.advance(80_000);
    await isSent('queued at 180000', 'sent at 180000', 'other at 180000');
    await clock.advance(40_000);
    await timeOut();
    await clock.advance(200_000);
    await isSent('queued at 420000', 'sent at 420000', 'other at 420000');
    await timeOut();
    await world.advance(600_000);
    assert.equal(world.numbers().length, 3 * 4 + 4);
    await world.close();
  });
}

eachDatabase('unordered callbacks', rules);
