import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimerFired } from '@jackfield/ports';
import fc from 'fast-check';
import { exampleRecording } from '../testing/example-recording.ts';
import { isOver, type Recording, type RecordingEffect, type RecordingInput } from './recording.ts';
import { recordingMachine } from './recording-machine.ts';

type Input = RecordingInput | TimerFired;

/** Steps through inputs at their instants; returns the last state and the effects, shortened. */
function run(start: Recording, ...inputs: readonly (readonly [number, Input])[]) {
  let state = start;
  const orders: string[] = [];
  const effects: RecordingEffect[] = [];
  for (const [now, input] of inputs) {
    const step = recordingMachine.step(state, input, now);
    state = step.state;
    effects.push(...step.effects);
    for (const effect of step.effects) {
      if (effect.do === 'emit' || effect.do === 'notify-owner') orders.push(`${effect.do} ${effect.event}`);
      else if (effect.do === 'start-timer') orders.push(`timer ${effect.at}`);
      else orders.push(effect.do);
    }
  }
  return { state, orders, effects };
}

const started: Input = { type: 'recorder-started' };
const stop: Input = { type: 'stop-asked' };
const pause: Input = { type: 'pause-asked' };
const resume: Input = { type: 'resume-asked' };
const timer: Input = { type: 'timer-fired', key: 'max-length' };
const completed: Input = { type: 'file-completed', file: { durationMs: 4000, bytes: 64_044 } };
const failed: Input = {
  type: 'recorder-failed',
  fault: { code: 'disk-full', sentence: 'the disk is full' },
};
const inspected = (durationMs?: number): Input => ({
  type: 'file-inspected',
  file: durationMs === undefined ? undefined : { durationMs, bytes: 44 + durationMs * 16 },
});
const restarted: Input = { type: 'process-restarted' };

test('a stopped recording is complete when its file is complete', () => {
  const { state, orders } = run(
    exampleRecording(),
    [1000, { type: 'ordered', tracks: [] }],
    [1100, started],
    [5100, stop],
    [5200, completed],
  );
  assert.deepEqual(orders, [
    'start-recorder',
    'emit started',
    'notify-owner started',
    'timer 61100',
    'cancel-timer',
    'stop-recorder',
    'emit completed',
    'notify-owner completed',
  ]);
  const { status, because, startedAt, endedAt, closedAt, durationMs, bytes } = state;
  assert.deepEqual(
    [status, because, startedAt, endedAt, closedAt],
    ['completed', 'stopped', 1100, 5100, 5200],
  );
  assert.deepEqual([durationMs, bytes], [4000, 64_044]);
});

test('max length does not run in a pause', () => {
  const { orders, state } = run(
    exampleRecording({ maxSeconds: 10 }),
    [0, started],
    [4000, pause],
    [4500, pause],
    [100_000, timer],
    [200_000, resume],
    [203_000, pause],
    [300_000, resume],
    [303_000, timer],
    [303_100, completed],
  );
  assert.deepEqual(
    orders.filter((order) => order.startsWith('timer')),
    ['timer 10000', 'timer 206000', 'timer 303000'],
  );
  assert.deepEqual([state.status, state.because, state.recordedMs], ['completed', 'max-length', 10_000]);
});

test('pause and stop during the opening of the file take effect when it is open', () => {
  assert.deepEqual(run(exampleRecording(), [0, pause], [1, started]).orders.slice(-4), [
    'pause-recorder',
    'cancel-timer',
    'emit paused',
    'notify-owner paused',
  ]);
  assert.equal(run(exampleRecording(), [0, pause], [1, resume], [2, started]).state.status, 'recording');
  const stopped = run(exampleRecording(), [0, stop], [1, started], [2, completed]);
  assert.deepEqual(stopped.orders.slice(-4), [
    'cancel-timer',
    'stop-recorder',
    'emit completed',
    'notify-owner completed',
  ]);
});

test('a recording that cannot start fails at once; a broken one fails after its file is inspected', () => {
  const never = run(exampleRecording(), [5, failed]);
  assert.deepEqual(never.orders, ['emit failed', 'notify-owner failed']);
  assert.deepEqual([never.state.status, never.state.durationMs, never.state.endedAt], ['failed', 0, 5]);
  for (const before of [
    [[1, started]],
    [
      [1, started],
      [2, pause],
    ],
    [
      [1, started],
      [2, stop],
    ],
  ] as const) {
    const broken = run(exampleRecording(), ...before, [9, failed], [10, failed], [11, inspected(700)]);
    assert.deepEqual(broken.orders.slice(-3), ['inspect-file', 'emit failed', 'notify-owner failed']);
    const { status, because, durationMs, fault } = broken.state;
    assert.deepEqual([status, because, durationMs, fault?.code], ['failed', 'failed', 700, 'disk-full']);
  }
});

test('after a crash a recording is complete with the audio in its file, and failed without a file', () => {
  const live = exampleRecording({ status: 'recording', startedAt: 2000, runningSince: 2000 });
  const whole = run(live, [90_000, restarted], [90_100, inspected(5000)]);
  assert.deepEqual(whole.orders, ['inspect-file', 'emit completed', 'notify-owner completed']);
  const { status, because, startedAt, endedAt, durationMs } = whole.state;
  assert.deepEqual(
    [status, because, startedAt, endedAt, durationMs],
    ['completed', 'stopped', 2000, 7000, 5000],
  );
  const gone = run(live, [90_000, restarted], [90_100, inspected()]);
  assert.deepEqual([gone.state.status, gone.state.because], ['failed', 'failed']);
  const never = run(exampleRecording(), [90_000, restarted], [90_100, inspected(0)]);
  assert.equal(never.state.status, 'failed');
  // The reason and the end that were written before the crash stand.
  const ending = { ...live, status: 'finishing', because: 'max-length', endedAt: 6500 } as const;
  const { state } = run(ending, [90_000, restarted], [90_100, inspected(5000)]);
  assert.deepEqual([state.status, state.because, state.endedAt], ['completed', 'max-length', 6500]);
  const broken = { ...live, status: 'finishing', because: 'failed', endedAt: 6500 } as const;
  assert.equal(run(broken, [90_000, restarted], [90_100, inspected(5000)]).state.status, 'failed');
});

test('tracks that are requested during the opening of the file apply when it is open', () => {
  const track = { said: ['leg'], heard: [] };
  const { effects } = run(
    exampleRecording(),
    [1000, { type: 'retrack-asked', tracks: [track] }],
    [1100, started],
  );
  assert.deepEqual(
    effects.find((effect) => effect.do === 'retrack'),
    { do: 'retrack', tracks: [track] },
  );
});

test('each event carries its number and the state of its moment', () => {
  const { effects } = run(exampleRecording({ pauseAsked: true }), [1100, started], [2000, stop]);
  assert.deepEqual(
    effects.flatMap((effect) =>
      effect.do === 'emit' ? [[effect.event, effect.recording.sequence, effect.recording.status]] : [],
    ),
    [
      ['started', 1, 'recording'],
      ['paused', 2, 'paused'],
    ],
  );
});

test('channels have the members with their times in the file', () => {
  const member = (channel: number, memberId: number) => ({
    channel,
    memberId,
    callUuid: `leg-${memberId}`,
    role: 'agent',
  });
  const membersChanged = (...members: ReturnType<typeof member>[]): Input => ({
    type: 'members-changed',
    members,
  });
  const { state } = run(
    exampleRecording({ channels: [] }),
    [1000, membersChanged(member(1, 7))],
    [1100, started],
    [3100, membersChanged(member(1, 7), member(2, 8))],
    [4100, pause],
    [5000, membersChanged(member(2, 8))],
    [9100, resume],
    [10_100, membersChanged(member(1, 9), member(2, 8))],
    [11_100, stop],
    [11_200, completed],
  );
  assert.deepEqual(
    state.channels?.map(({ channel, memberId, fromMs, toMs }) => [channel, memberId, fromMs, toMs]),
    [
      [1, 7, 0, 3000],
      [2, 8, 2000, 4000],
      [1, 9, 4000, 4000],
    ],
  );
});

test('random inputs cause at most one end, no effect after it, and no command to a recorder that has not started', () => {
  const input = fc.constantFrom<Input>(
    started,
    stop,
    pause,
    resume,
    timer,
    completed,
    failed,
    inspected(300),
    inspected(),
    { type: 'discard-asked' },
    { type: 'retrack-asked', tracks: [] },
  );
  fc.assert(
    fc.property(fc.array(input, { maxLength: 20 }), (inputs) => {
      let state = exampleRecording();
      let ends = 0;
      let runs = false;
      for (const [now, each] of inputs.entries()) {
        const wasOver = isOver(state);
        const { state: after, effects } = recordingMachine.step(state, each, 1000 + now);
        if (wasOver) assert.deepEqual([after, effects], [state, []]);
        for (const effect of effects) {
          if (effect.do === 'emit' && effect.event === 'started') runs = true;
          if (effect.do === 'emit' && ['completed', 'failed'].includes(effect.event)) ends++;
          if (['pause-recorder', 'resume-recorder', 'retrack', 'stop-recorder'].includes(effect.do))
            assert.ok(runs);
          if (effect.do === 'stop-recorder') runs = false;
        }
        assert.equal(after.runningSince !== null, after.status === 'recording');
        if (isOver(after))
          assert.ok(after.endedAt !== null && after.closedAt !== null && after.because !== null);
        state = after;
      }
      assert.equal(ends, isOver(state) ? 1 : 0);
    }),
  );
});
