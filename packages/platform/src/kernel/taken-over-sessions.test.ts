import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TakenOverSessions } from './taken-over-sessions.ts';

/** Rows of an ended incarnation, and what a successor has resumed. */
function successor(rows: Set<string>) {
  const resumed: string[] = [];
  let claim = async () => {};
  const sessions = new TakenOverSessions<string>({ transact: () => claim() as Promise<never> });
  return {
    resumed,
    take(commit: () => Promise<void>) {
      claim = commit;
      return sessions.take({
        read: async () => [...rows],
        idOf: (id) => id,
        resume: (id) => resumed.push(id),
        claim: async () => {},
      });
    },
  };
}

test('a claim that was committed although its answer was lost leaves no row without a session', async () => {
  const rows = new Set(['one', 'two']);
  const { resumed, take } = successor(rows);
  const lost = async () => {
    rows.clear();
    throw new Error('the connection was lost');
  };
  await assert.rejects(take(lost));
  await take(() => assert.fail('nothing is left to claim'));
  assert.deepEqual(resumed, ['one', 'two']);
});

test('a takeover that is repeated resumes no session twice, although the row still says that it is alive', async () => {
  const rows = new Set(['one']);
  const { resumed, take } = successor(rows);
  await assert.rejects(take(() => Promise.reject(new Error('the database is away'))));
  rows.add('two');
  await take(async () => rows.clear());
  assert.deepEqual(resumed, ['one', 'two']);
});

test('a session that comes back from a second successor is resumed again', async () => {
  const { resumed, take } = successor(new Set(['one']));
  await take(async () => {});
  await take(async () => {});
  assert.deepEqual(resumed, ['one', 'one']);
});
