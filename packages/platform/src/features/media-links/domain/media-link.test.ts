import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimerFired } from '@jackfield/ports';
import { callEnds } from '@jackfield/ports';
import { arrivalTimer, partingTimer } from './link-orders.ts';
import { type MediaLink, type MediaLinkInput, mediaLinkMachine, newMediaLink } from './media-link.ts';

const named = {
  link: 'l',
  leg: 'ann',
  node: 'two',
  fields: { MemberID: '10' },
  isTaken: false,
  exitDocument: null,
  endOfLoss: callEnds(4020, 'Service'),
};
const end = callEnds(4000, 'Caller');
const timer = (key: string): TimerFired => ({ type: 'timer-fired', key });
const order = (number: number, fields = {}): MediaLinkInput => ({
  type: 'order',
  number,
  order: { order: 'give-back', fields },
});

/** The state after these inputs, and what the last one did without timers. */
function after(...inputs: readonly (MediaLinkInput | TimerFired)[]) {
  let state: MediaLink = newMediaLink(named);
  let done: readonly { readonly do: string }[] = [];
  for (const input of inputs) {
    const step = mediaLinkMachine.step(state, input, 1000);
    state = step.state;
    done = step.effects.filter((effect) => !effect.do.endsWith('-timer'));
  }
  return { phase: state.phase, did: done.map((effect) => effect.do), effects: done };
}

for (const [title, inputs, phase, did] of [
  ['a leg is bridged when it is lent', [{ type: 'lent' }], 'linked', ['bridge', 'send']],
  ['and not twice', [{ type: 'lent' }, { type: 'lent' }], 'linked', []],
  ['a leg that is not lent leaves', [{ type: 'not-lent' }], 'parting', ['close-audio', 'send']],
  ['an order before the loan is refused: it comes again', [order(1)], 'lending', ['reply']],
  ['the room gives it back', [{ type: 'lent' }, order(1)], 'over', ['close-audio', 'give-back', 'reply']],
  ['a number is not skipped', [{ type: 'lent' }, order(2)], 'linked', ['reply']],
  [
    'the room hangs it up',
    [{ type: 'lent' }, { type: 'order', number: 1, order: { order: 'hang-up', end } }],
    'over',
    ['close-audio', 'hang-up', 'reply'],
  ],
  [
    'the outcome of a transfer reaches its phone',
    [{ type: 'lent' }, { type: 'order', number: 1, order: { order: 'transfer-status', status: 200 } }],
    'linked',
    ['report-transfer', 'reply'],
  ],
  [
    'another conversation of the node takes it for good',
    [{ type: 'lent' }, { type: 'order', number: 1, order: { order: 'taken' } }],
    'linked',
    ['take', 'reply'],
  ],
  [
    'a document runs on a taken leg that leaves',
    [{ type: 'lent' }, { type: 'order', number: 1, order: { order: 'run-document', document: {} } }],
    'over',
    ['close-audio', 'run-document', 'reply'],
  ],
  [
    'the room presses keys',
    [{ type: 'lent' }, { type: 'order', number: 1, order: { order: 'send-digits', digits: '1' } }],
    'linked',
    ['send-digits', 'reply'],
  ],
  [
    'the room lasts longer than a call by default',
    [{ type: 'lent' }, { type: 'order', number: 1, order: { order: 'extend', seconds: 20_000 } }],
    'linked',
    ['extend', 'reply'],
  ],
  [
    'and presses them once',
    [
      { type: 'lent' },
      { type: 'order', number: 1, order: { order: 'send-digits', digits: '1' } },
      { type: 'order', number: 1, order: { order: 'send-digits', digits: '1' } },
    ],
    'linked',
    ['reply'],
  ],
  [
    'the phone hangs up, and "linked" is acknowledged first',
    [{ type: 'lent' }, { type: 'leg-ended', end }],
    'parting',
    ['close-audio'],
  ],
  [
    'and then the end is sent',
    [{ type: 'lent' }, { type: 'leg-ended', end }, { type: 'acknowledged', number: 1 }],
    'parting',
    ['send'],
  ],
  [
    'and with its acknowledgement the link is over',
    [
      { type: 'lent' },
      { type: 'leg-ended', end },
      { type: 'acknowledged', number: 1 },
      { type: 'acknowledged', number: 2 },
    ],
    'over',
    [],
  ],
  [
    'or with the end of the patience',
    [{ type: 'lent' }, { type: 'leg-taken' }, timer(partingTimer)],
    'over',
    [],
  ],
  [
    'a key of the phone is sent on',
    [{ type: 'lent' }, { type: 'acknowledged', number: 1 }, { type: 'leg-digit', digit: '5' }],
    'linked',
    ['send'],
  ],
  [
    'a dead room gives it back',
    [{ type: 'lent' }, { type: 'node-gone' }],
    'over',
    ['close-audio', 'give-back-lost'],
  ],
  [
    'so does a room that has forgotten the link',
    [{ type: 'lent' }, { type: 'unknown-there' }],
    'over',
    ['close-audio', 'give-back-lost'],
  ],
  [
    'and audio that does not come',
    [{ type: 'lent' }, { type: 'audio-lost' }],
    'parting',
    ['close-audio', 'give-back-lost'],
  ],
  [
    'a room that never says that it got "linked" gives it back',
    [{ type: 'lent' }, { type: 'not-acknowledged' }, timer(arrivalTimer)],
    'parting',
    ['close-audio', 'give-back-lost', 'send'],
  ],
  [
    'a room that said so keeps it',
    [{ type: 'lent' }, { type: 'acknowledged', number: 1 }, timer(arrivalTimer)],
    'linked',
    [],
  ],
  [
    'and so it is while a key is on its way',
    [
      { type: 'lent' },
      { type: 'acknowledged', number: 1 },
      { type: 'leg-digit', digit: '5' },
      timer(arrivalTimer),
    ],
    'linked',
    [],
  ],
  [
    'a leg that has left by then is not given back',
    [{ type: 'lent' }, { type: 'leg-taken' }, timer(arrivalTimer)],
    'parting',
    [],
  ],
  [
    'a link that parts needs no room',
    [{ type: 'lent' }, { type: 'leg-taken' }, { type: 'node-gone' }],
    'over',
    [],
  ],
  ['it looks whether the room lives', [{ type: 'lent' }, timer('look')], 'linked', ['look']],
] as const satisfies readonly (readonly [
  string,
  readonly (MediaLinkInput | TimerFired)[],
  string,
  readonly string[],
])[])
  test(`media link: ${title}`, () => {
    const { phase: reached, did: seen } = after(...inputs);
    assert.deepEqual([reached, seen], [phase, did]);
  });

test('media link: an order that was not acknowledged is repeated with its number', () => {
  const { effects } = after({ type: 'lent' }, { type: 'not-acknowledged' }, timer('repeat'));
  assert.deepEqual(effects, [{ do: 'send', number: 1, order: { order: 'linked' } }]);
});
