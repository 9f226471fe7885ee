import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnswerSound, Detection, DetectionEvent } from './detection.ts';
import { newDetection } from './detection.ts';
import { detectionMachine } from './detection-machine.ts';

/** A detection that hears these sounds at these times, in ms from the answer, until that time. */
function heard(
  sounds: readonly (readonly [number, AnswerSound])[],
  { untilMs = 70_000, hangsUp = false, timeMs = 5_000 } = {},
) {
  const leg = { leg: 'leg-1', account: 'MA1', mainAccount: 'MA1', parameters: {} };
  let detection: Detection = newDetection(leg, { hangsUp, timeMs, callback: null }, 0);
  const timers = new Map<string, number>();
  const events: DetectionEvent[] = [];
  const orders: string[] = [];
  const send = (input: Parameters<typeof detectionMachine.step>[1], now: number) => {
    const { state, effects } = detectionMachine.step(detection, input, now);
    detection = state;
    for (const effect of effects) {
      if (effect.do === 'start-timer') timers.set(effect.key, effect.at);
      else if (effect.do === 'cancel-timer') timers.delete(effect.key);
      else if (effect.do === 'emit') events.push(effect.event);
      else orders.push(effect.do === 'watch' ? `watch ${effect.watched}` : effect.do);
    }
  };
  const fireUntil = (now: number) => {
    for (;;) {
      const due = [...timers].filter(([, at]) => at <= now).sort((one, other) => one[1] - other[1])[0];
      if (due === undefined) return;
      timers.delete(due[0]);
      send({ type: 'timer-fired', key: due[0] }, due[1]);
    }
  };
  send({ type: 'begin' }, 0);
  for (const [at, sound] of sounds) {
    fireUntil(at);
    send({ type: 'sound', sound }, at);
  }
  fireUntil(untilMs);
  const verdicts = events.flatMap((event) => (event.type === 'decided' ? [event.verdict] : []));
  assert.equal(verdicts.length, 1, 'it decides once');
  return { ...verdicts[0]!, events, orders, timers, phase: detection.phase };
}

describe('the detection of answering machines', () => {
  it('takes a short hello and silence for a person, 0.8 s after the hello', () => {
    const { isMachine, reason, afterMs, orders, phase } = heard([
      [500, 'voice'],
      [1_200, 'pause'],
    ]);
    assert.deepEqual([isMachine, reason, afterMs, phase], [false, 'greeting-over', 1_800, 'over']);
    assert.deepEqual(orders, ['watch true', 'notify', 'watch false']);
  });

  it('waits longer behind longer talk, because announcements pause between sentences', () => {
    const sounds = [
      [500, 'voice'],
      [2_400, 'pause'],
      [3_100, 'voice'],
    ] as const;
    const { isMachine, reason, afterMs } = heard(sounds);
    assert.deepEqual([isMachine, reason, afterMs], [true, 'long-greeting', 3_100]);
  });

  it('takes 2.5 s of talk for a machine, and then waits for its beep', () => {
    const { isMachine, afterMs, events, orders, phase, timers } = heard([
      [300, 'voice'],
      [6_000, 'pause'],
      [6_800, 'tone'],
      [7_000, 'beep'],
    ]);
    assert.deepEqual([isMachine, afterMs, phase, timers.size], [true, 2_800, 'over', 0]);
    assert.deepEqual(events.at(-1), { type: 'beeped', afterMs: 7_000 });
    assert.deepEqual(orders, ['watch true', 'notify', 'notify', 'watch false']);
  });

  it('takes a tone after few words for a machine', () => {
    const { isMachine, reason, events } = heard([
      [300, 'voice'],
      [1_400, 'pause'],
      [1_900, 'tone'],
      [2_200, 'beep'],
    ]);
    assert.deepEqual([isMachine, reason], [true, 'beep']);
    assert.equal(events.at(-1)?.type, 'beeped');
  });

  it('takes a tone before any word for a ringing tone, and silence for a person', () => {
    const { isMachine, reason, afterMs } = heard([
      [500, 'tone'],
      [1_500, 'beep'],
    ]);
    assert.deepEqual([isMachine, reason, afterMs], [false, 'silence', 3_500]);
  });

  it('hangs a machine up, notifies no document and listens no longer', () => {
    const { orders, phase } = heard([[300, 'voice']], { hangsUp: true });
    assert.deepEqual([orders, phase], [['watch true', 'watch false', 'hang-up'], 'over']);
  });

  it('does not hang a person up', () => {
    const sounds = [
      [300, 'voice'],
      [1_000, 'pause'],
    ] as const;
    assert.ok(!heard(sounds, { hangsUp: true }).orders.includes('hang-up'));
  });

  it('is over at its time: without a decision a person has answered', () => {
    const { isMachine, reason, afterMs } = heard([[1_900, 'voice']], { timeMs: 2_000 });
    assert.deepEqual([isMachine, reason, afterMs], [false, 'time-over', 2_000]);
  });

  it('waits a minute for the beep at most', () => {
    const { phase, orders } = heard([[0, 'voice']], { untilMs: 62_500 });
    assert.deepEqual([phase, orders.at(-1)], ['over', 'watch false']);
  });
});
