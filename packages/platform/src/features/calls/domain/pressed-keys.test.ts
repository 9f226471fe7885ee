import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeySource } from '@jackfield/ports';
import { exampleLeg } from '../testing/example-leg.ts';
import type { CallLeg } from './call-leg.ts';
import { callLegMachine } from './call-leg-machine.ts';

type Press = readonly [digit: string, as: KeySource, at: number, durationMs?: number];

/** The keys that the owner of an answered leg gets. */
function emitted(presses: readonly Press[]): string {
  let leg: CallLeg = exampleLeg({ phase: 'answered', answeredAt: 0 });
  let digits = '';
  for (const [digit, as, at, durationMs = 100] of presses) {
    const step = callLegMachine.step(leg, { type: 'leg-digit', digit, heard: { as, durationMs } }, at);
    leg = step.state;
    for (const effect of step.effects) {
      if (effect.do === 'notify-owner' && effect.notice.type === 'leg-digit') digits += effect.notice.digit;
    }
  }
  assert.ok(leg.pressedKeys.length <= 32);
  return digits;
}

test('a key that comes as event and as INFO is reported once, whichever comes first', () => {
  assert.equal(
    emitted([
      ['5', 'event', 1000],
      ['5', 'info', 1030],
    ]),
    '5',
  );
  assert.equal(
    emitted([
      ['5', 'info', 1000],
      ['5', 'event', 2500, 200],
    ]),
    '5',
  );
});

test('keys that are pressed again are reported again: each half has one other half', () => {
  const twice: Press[] = [
    ['1', 'event', 1000],
    ['1', 'event', 1200],
    ['1', 'info', 1250],
    ['1', 'info', 1300],
    ['2', 'info', 1400],
    ['2', 'event', 1410],
    ['1', 'event', 1600],
    ['1', 'info', 1700],
  ];
  assert.equal(emitted(twice), '1121');
});

test('a key that is held long is one key, although its INFO was sent when it was pressed and its events end seconds later', () => {
  assert.equal(
    emitted([
      ['9', 'info', 1000],
      ['9', 'event', 6000, 5000],
    ]),
    '9',
  );
});

test('each key of a phone that sends in one way only is reported', () => {
  for (const as of ['event', 'info'] as const) {
    assert.equal(
      emitted(Array.from({ length: 40 }, (_, n): Press => ['7', as, 1000 + 10 * n])),
      '7'.repeat(40),
    );
  }
});

test('the same key in the other way is a new key after more than two seconds, or after another digit', () => {
  assert.equal(
    emitted([
      ['3', 'event', 1000],
      ['3', 'info', 3101, 100],
    ]),
    '33',
  );
  assert.equal(
    emitted([
      ['3', 'event', 1000],
      ['4', 'info', 1001],
    ]),
    '34',
  );
});
