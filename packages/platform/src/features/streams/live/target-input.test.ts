import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EgressProblemKind } from '@jackfield/ports';
import { targetInput } from './target-input.ts';

const refusedWith = (kind: EgressProblemKind) => targetInput(1, { problem: { kind, sentence: 'no' } }, {});

test('an address that the guard refuses is final, a name that cannot be resolved is not', () => {
  assert.deepEqual(
    [refusedWith('refused'), refusedWith('unreachable'), refusedWith('connect-timeout')],
    [
      {
        type: 'target-refused',
        attempt: 1,
        fault: { code: 'address-refused', sentence: 'no' },
        isFinal: true,
      },
      { type: 'target-refused', attempt: 1, fault: { code: 'unreachable', sentence: 'no' }, isFinal: false },
      { type: 'target-refused', attempt: 1, fault: { code: 'unreachable', sentence: 'no' }, isFinal: false },
    ],
  );
});

test('a stream whose account is gone is not connected', () => {
  assert.deepEqual(targetInput(2, { addresses: ['192.0.2.1'], port: 443 }, undefined), {
    type: 'target-refused',
    attempt: 2,
    fault: { code: 'account-gone', sentence: 'its account is gone' },
    isFinal: true,
  });
});
