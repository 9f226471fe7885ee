import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Direction, directionOf, meet, receives, sends } from './direction.ts';

const directions: readonly Direction[] = ['sendrecv', 'sendonly', 'recvonly', 'inactive'];

describe('The direction of media (RFC 3264 §5.1)', () => {
  for (const [direction, isSending, isReceiving] of [
    ['sendrecv', true, true],
    ['sendonly', true, false],
    ['recvonly', false, true],
    ['inactive', false, false],
  ] as const) {
    it(`${direction} ${isSending ? 'sends' : 'does not send'} and ${isReceiving ? 'receives' : 'does not receive'}`, () => {
      assert.deepEqual([sends(direction), receives(direction)], [isSending, isReceiving]);
      assert.equal(directionOf(isSending, isReceiving), direction);
    });
  }
});

describe('Our direction against that of the peer (RFC 3264 §6.1)', () => {
  /** In the order of `directions`: the row is ours, the column theirs. */
  const table: Readonly<Record<Direction, readonly Direction[]>> = {
    sendrecv: ['sendrecv', 'recvonly', 'sendonly', 'inactive'],
    sendonly: ['sendonly', 'inactive', 'sendonly', 'inactive'],
    recvonly: ['recvonly', 'recvonly', 'inactive', 'inactive'],
    inactive: ['inactive', 'inactive', 'inactive', 'inactive'],
  };
  for (const ours of directions) {
    for (const [column, theirs] of directions.entries()) {
      const expected = table[ours][column]!;
      it(`${ours} against ${theirs} is ${expected}`, () => assert.equal(meet(ours, theirs), expected));
    }
  }

  it('never sends to a side that does not receive, and needs no further answer', () => {
    for (const ours of directions) {
      for (const theirs of directions) {
        const met = meet(ours, theirs);
        assert.equal(sends(met) && !receives(theirs), false);
        assert.equal(receives(met) && !sends(theirs), false);
        assert.equal(meet(met, theirs), met);
      }
    }
  });
});
