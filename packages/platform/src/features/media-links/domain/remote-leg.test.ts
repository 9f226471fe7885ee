import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimerFired } from '@jackfield/ports';
import { callEnds } from '@jackfield/ports';
import type { LiveLeg } from '../../calls/index.ts';
import { arrivalTimer, type OrderOfLeg, partingTimer } from './link-orders.ts';
import { newRemoteLeg, type RemoteLeg, type RemoteLegInput, remoteLegMachine } from './remote-leg.ts';

const owner = { kind: 'room', id: 'r' };
const end = callEnds(4000, 'Caller');
const timer = (key: string): TimerFired => ({ type: 'timer-fired', key });
const order = (number: number, given: OrderOfLeg): RemoteLegInput => ({
  type: 'order',
  number,
  order: given,
});
const lend: RemoteLegInput = { type: 'lend', borrower: owner };
const take: RemoteLegInput = { type: 'take', owner: { kind: 'room', id: 'other' } };
const linked = order(1, { order: 'linked' });
const giveBack: RemoteLegInput = { type: 'give-back', fields: {} };

/** The state after these inputs, and what the last one did without timers: with the reply, or the notice to the owner. */
function after(...inputs: readonly (RemoteLegInput | TimerFired)[]) {
  let state: RemoteLeg = newRemoteLeg({ link: 'l', node: 'one', leg: { leg: 'ann' } as LiveLeg });
  let did: readonly string[] = [];
  for (const input of inputs) {
    const step = remoteLegMachine.step(state, input, 1000);
    state = step.state;
    did = step.effects
      .filter((effect) => !effect.do.endsWith('-timer'))
      .map((effect) => {
        if (effect.do === 'reply') return `reply ${effect.reply}`;
        return effect.do === 'notify-owner' ? effect.notice.type : effect.do;
      });
  }
  return [state.phase, did];
}

for (const [title, inputs, phase, did] of [
  ['it is lent once', [lend, lend], 'here', ['reply false']],
  ['it is taken at its join', [take], 'here', ['reply true']],
  ['and given when its audio comes', [take, linked], 'here', ['leg-given', 'reply true']],
  ['or not at all', [take, timer(arrivalTimer)], 'over', ['leg-taken', 'close-audio']],
  [
    'a conversation of the same node takes it from another one, and its home learns so',
    [lend, linked, take],
    'here',
    ['leg-taken', 'leg-given', 'send', 'reply true'],
  ],
  ['or as soon as it is linked', [lend, take, linked], 'here', ['leg-given', 'send', 'reply true']],
  [
    'its phone gets the outcome of its transfer before the leg is hung up',
    [take, linked, { type: 'report-transfer', status: 200 }, { type: 'hang-up', end }],
    'parting',
    ['leg-ended', 'close-audio'],
  ],
  [
    'its owner hangs it up, for which it has ended',
    [take, linked, { type: 'hang-up', end }],
    'parting',
    ['leg-ended', 'close-audio', 'send'],
  ],
  ['once', [take, linked, { type: 'hang-up', end }, { type: 'hang-up', end }], 'parting', []],
  ['it is not taken when it has left', [lend, linked, giveBack, take], 'parting', ['reply false']],
  [
    'its document runs at its home',
    [take, linked, { type: 'run-document', document: {} }],
    'parting',
    ['close-audio', 'send'],
  ],
  [
    'its room lasts longer than a call by default, and its home learns so',
    [lend, linked, { type: 'extend', seconds: 20_000 }],
    'here',
    ['send'],
  ],
  ['orders of the room wait until it is linked', [lend, giveBack], 'parting', ['close-audio']],
  ['and follow then', [lend, giveBack, linked], 'parting', ['send', 'reply true']],
  ['it leaves its room in silence', [lend, linked, giveBack], 'parting', ['close-audio', 'send']],
  [
    'and is over when its home knows',
    [lend, linked, giveBack, { type: 'acknowledged', number: 1 }],
    'over',
    [],
  ],
  ['or when the patience ends', [lend, giveBack, timer(partingTimer)], 'over', []],
  ['a leg that is never linked leaves', [lend, timer(arrivalTimer)], 'over', ['leg-taken', 'close-audio']],
  ['a linked one stays', [lend, linked, timer(arrivalTimer)], 'here', []],
  [
    'a key reaches the room and its streams',
    [lend, linked, order(2, { order: 'digit', digit: '5' })],
    'here',
    ['leg-digit', 'press', 'reply true'],
  ],
  [
    'once',
    [lend, linked, order(2, { order: 'digit', digit: '5' }), order(2, { order: 'digit', digit: '5' })],
    'here',
    ['reply true'],
  ],
  ['and in its order', [lend, linked, order(3, { order: 'digit', digit: '5' })], 'here', ['reply false']],
  [
    'its call has ended',
    [lend, linked, order(2, { order: 'left', because: 'ended', end })],
    'over',
    ['leg-ended', 'close-audio', 'reply true'],
  ],
  [
    'another owner has it',
    [lend, linked, order(2, { order: 'left', because: 'taken' })],
    'over',
    ['leg-taken', 'close-audio', 'reply true'],
  ],
  [
    'its audio is lost',
    [lend, linked, { type: 'audio-lost' }],
    'parting',
    ['leg-taken', 'close-audio', 'send'],
  ],
  [
    'its home has heard no audio',
    [lend, linked, order(2, { order: 'left', because: 'lost' })],
    'over',
    ['leg-taken', 'close-audio', 'reply true'],
  ],
  ['its home is dead', [lend, linked, { type: 'node-gone' }], 'over', ['leg-ended', 'close-audio']],
  [
    'its home has linked it anew',
    [lend, linked, { type: 'superseded' }],
    'over',
    ['leg-taken', 'close-audio'],
  ],
  ['the room refuses it', [{ type: 'not-admitted' }], 'over', ['close-audio']],
  ['a leg that parts is no concern of its room', [lend, linked, giveBack, { type: 'node-gone' }], 'over', []],
] as const satisfies readonly (readonly [
  string,
  readonly (RemoteLegInput | TimerFired)[],
  string,
  readonly string[],
])[])
  test(`remote leg: ${title}`, () => {
    assert.deepEqual(after(...inputs), [phase, did]);
  });

test('remote leg: keys of a stream that sends them without end wait in orders of 400 at most, and go on as these are acknowledged', () => {
  const press: RemoteLegInput = { type: 'send-digits', digits: '1'.repeat(64) };
  const step = (state: RemoteLeg, input: RemoteLegInput) => remoteLegMachine.step(state, input, 1000).state;
  const start = newRemoteLeg({ link: 'l', node: 'one', leg: { leg: 'ann' } as LiveLeg });
  const full = [lend, linked, ...Array.from({ length: 100 }, () => press)].reduce(step, start);
  assert.equal(full.sent.waiting.length, 6);
  const next = [{ type: 'acknowledged', number: 1 } as const, press, press].reduce(step, full);
  assert.deepEqual([next.sent.waiting.length, next.sent.lastNumber], [6, 7]);
});
