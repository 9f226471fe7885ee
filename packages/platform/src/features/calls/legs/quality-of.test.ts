import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callLegMachine } from '../domain/call-leg-machine.ts';
import { exampleLeg, silent } from '../testing/example-leg.ts';
import { qualityOf } from './quality-of.ts';

test('a leg without agreed audio has no quality, a leg with silent audio has no MOS', () => {
  assert.equal(qualityOf(undefined), null);
  assert.equal(qualityOf(silent), null);
  const { codec, suite, packetsReceived, mos } = qualityOf({ ...silent, codec: 'PCMA' })!;
  assert.deepEqual([codec, suite, packetsReceived, mos], ['PCMA', null, 0, null]);
});

test('the end of a leg brings its quality into the state that is recorded', () => {
  const quality = qualityOf({ ...silent, codec: 'G722', jitterMs: 1.26, remoteFractionLost: 0.25 });
  const leg = exampleLeg({ phase: 'answered', answeredAt: 1 });
  const { state } = callLegMachine.step(
    leg,
    { type: 'leg-ended', end: { by: 'remote-bye' }, quality },
    5_000,
  );
  assert.equal(state.quality, quality);
  assert.deepEqual([quality?.jitterMs, quality?.remoteLossPercent], [1.3, 25]);
});
