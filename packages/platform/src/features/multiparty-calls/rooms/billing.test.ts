import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createUsage, type RateTable } from '../../usage/index.ts';
import type { MultipartyCall, MultipartyCallInput } from '../domain/multiparty-call.ts';
import { multipartyCallMachine } from '../domain/multiparty-call-machine.ts';
import { Room, requested } from '../domain/testing/room.ts';
import { withBills } from './billing.ts';

const table: RateTable = {
  currency: 'USD',
  rates: [
    { prefix: '', direction: 'both', perMinute: 1000, initialSeconds: 30, incrementSeconds: 6 },
    { prefix: 'sip', direction: 'both', perMinute: 300, initialSeconds: 60, incrementSeconds: 60 },
  ],
};
const usage = createUsage(table);
const machine = withBills(multipartyCallMachine, usage);

/** A call in which two talk, after these inputs. */
function callAfter(
  ...inputs: readonly (readonly [atMs: number, input: MultipartyCallInput])[]
): MultipartyCall {
  const rate = usage.rateOf('outbound', '+12025550100');
  const room = Room.created('active', { rate });
  let call = room.call;
  const start = room.now;
  const talk: readonly (readonly [number, MultipartyCallInput])[] = [
    [0, { type: 'leg-answered', leg: 'leg-1' }],
    [0, { type: 'add-participant', rivals: [requested(2, { rate: usage.rateOf('inbound', 'sip') })] }],
    [0, { type: 'leg-answered', leg: 'leg-2' }],
  ];
  for (const [atMs, input] of [...talk, ...inputs]) call = machine.step(call, input, start + atMs).state;
  return call;
}

describe('bills of participants', () => {
  it('a participant has no bill before it leaves', () => {
    const call = callAfter();
    assert.ok(call.participants.every(({ bill }) => bill === null));
    assert.deepEqual(call.billed, { seconds: 0, units: 0 });
  });

  it('a participant is billed by the rate of its leg, and the call by the sum', () => {
    const call = callAfter([61_200, { type: 'end' }]);
    // 61 s: 30 and six times 6; and two minutes.
    assert.deepEqual(
      call.participants.map(({ bill }) => bill),
      [
        { seconds: 66, units: 1100 },
        { seconds: 120, units: 600 },
      ],
    );
    assert.deepEqual(call.billed, { seconds: 186, units: 1700 });
  });

  it('a participant who left before is counted once', () => {
    const add = { type: 'add-participant', rivals: [requested(3)] } as const;
    const gone = { type: 'leg-ended', leg: 'leg-2' } as const;
    const call = callAfter(
      [1000, add],
      [1000, { type: 'leg-answered', leg: 'leg-3' }],
      [2000, gone],
      [3000, gone],
      [4000, { type: 'end' }],
    );
    assert.equal(call.billed.seconds, 60 + 30 + 60);
  });

  it('a participant that joined is billed, however short; one without a join is free', () => {
    assert.equal(callAfter([100, { type: 'leg-ended', leg: 'leg-2' }]).billed.seconds, 60 + 30);
    const pending = { type: 'add-participant', rivals: [requested(3)] } as const;
    const call = callAfter([0, pending], [5000, { type: 'leg-ended', leg: 'leg-3' }]);
    assert.deepEqual(call.participants.find(({ memberId }) => memberId === 3)?.bill, {
      seconds: 0,
      units: 0,
    });
  });
});
