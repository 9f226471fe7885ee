import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallEnd } from '@jackfield/ports';
import { createKeyedQueue } from '../../../kernel/keyed-queue.ts';
import type { LiveLeg } from '../../calls/index.ts';
import type { RunOnLeg } from './run-on-leg.ts';
import { createTransfer } from './transfer.ts';

const viewer = { authId: 'MA1', main: 'MA1', parent: null, isSubaccount: false } as const;
const request = (url: string) => ({ url, method: 'POST' }) as const;
const both = { aLeg: request('https://example.com/one'), bLeg: request('https://example.com/two') };

function answeredLeg(leg: string): LiveLeg {
  return {
    leg,
    account: 'MA1',
    mainAccount: 'MA1',
    direction: 'outbound',
    owner: { kind: 'direct-call', id: 'a' },
    from: '+12025550199',
    to: '+12025550100',
    callerName: '',
    phase: 'answered',
    initiatedAt: 0,
    answeredAt: 0,
    requestUuid: leg,
    parentLeg: null,
    headers: {},
    isPrivate: false,
  };
}

/** Both legs of a direct call are transferred, and the B leg cannot be moved although nothing showed it before. */
async function transferred(moveB: () => ReturnType<RunOnLeg>) {
  const hungUp: (readonly [leg: string, end: CallEnd])[] = [];
  const logged: string[] = [];
  const log = (_: object, message: string) => void logged.push(message);
  const transfer = createTransfer({
    sessions: { peek: () => undefined, ask: async () => undefined },
    calls: { peek: answeredLeg, partnerOf: () => 'b', hangUp: (leg, end) => void hungUp.push([leg, end]) },
    log: { debug: log, info: log, warn: log, error: log },
    queue: createKeyedQueue(),
    runOnLeg: async ({ leg }) => (leg === 'a' ? 'begun' : moveB()),
  });
  return { answer: await transfer(viewer, 'a', both), hungUp, logged };
}

test('a second leg that cannot be moved behind the first is hung up, and the answer names the first alone', async () => {
  const { answer, hungUp } = await transferred(async () => 'busy');
  assert.deepEqual(answer, { ok: true, value: ['a'] });
  assert.deepEqual(
    hungUp.map(([leg, { code, source }]) => [leg, code, source]),
    [['b', 4000, 'API Request']],
  );
});

test('a second leg whose move fails is hung up and logged: a request that has moved the first is not answered with 5xx', async () => {
  const { answer, hungUp, logged } = await transferred(async () => {
    throw new Error('on purpose');
  });
  assert.deepEqual(answer, { ok: true, value: ['a'] });
  assert.deepEqual([hungUp.length, logged], [1, ['second leg of a transfer not moved']]);
});
