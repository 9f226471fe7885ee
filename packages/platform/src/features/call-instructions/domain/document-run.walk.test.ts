import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { destination } from './dial/testing/dialling.ts';
import type { RunInput } from './document-run.ts';
import type { Instruction } from './instruction.ts';
import { Outside } from './testing/outside.ts';
import {
  actionUrl,
  dial,
  fallbackUrl,
  getDigits,
  getInput,
  leg,
  multiparty,
  play,
  record,
  ScriptedRun,
  speak,
  stream,
  wait,
} from './testing/scripted-run.ts';

const two = [destination('bob'), destination('+12025550100', { kind: 'number', sendDigits: '1' })];

const lasting = fc.constantFrom<Instruction>(
  speak,
  play,
  wait(2_000, { silence: false, beep: true }),
  wait(5_000, { minSilenceMs: 1_000 }),
  getDigits({ numDigits: 2 }),
  getDigits({
    retries: 3,
    validDigits: '12',
    invalidDigitsSound: 'https://example.com/no.mp3',
    redirect: false,
  }),
  getInput({ numDigits: 2 }),
  record({ playBeep: true }),
  record({ recordSession: true, redirect: false }),
  record({ startOnDialAnswer: true }),
  dial({ destinations: two }),
  dial({ destinations: two, dialMusic: 'https://example.com/music.mp3', callback: actionUrl, action: null }),
  dial({ destinations: two, confirmKey: '1', confirmSound: 'https://example.com/c.mp3', hangupOnStar: true }),
  multiparty(),
  multiparty({ onExitAction: actionUrl }),
  { element: 'PreAnswer', children: [speak, wait(1_000)] as never },
  { element: 'DTMF', digits: '12', isAsync: false },
  stream(),
  stream({ keepCallAlive: true }),
);
const leaving = fc.constantFrom<Instruction>(
  { element: 'Redirect', request: actionUrl },
  { element: 'Hangup', reason: null, scheduleSeconds: 5 },
  { element: 'Hangup', reason: 'busy', scheduleSeconds: 0 },
);
const element = fc.oneof({ weight: 20, arbitrary: lasting }, { weight: 1, arbitrary: leaving });

type Action =
  | { readonly type: 'document'; readonly elements: readonly Instruction[] }
  | {
      readonly type: 'fault' | 'digit' | 'voice' | 'play-over' | 'timer' | 'recorded' | 'streamed' | 'b-leg';
      readonly pick: number;
    }
  | { readonly type: PlainAction };
type PlainAction = 'early' | 'answered' | 'transfer' | 'returned' | 'refused' | 'ended' | 'taken';

const pick = fc.integer({ min: 0, max: 7 });
const picked = (type: Extract<Action, { pick: number }>['type']) =>
  pick.map((each): Action => ({ type, pick: each }));
const plain = (type: PlainAction) => fc.constant<Action>({ type });

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .array(element, { minLength: 1, maxLength: 8, size: 'max' })
      .map((elements): Action => ({ type: 'document', elements })),
  },
  { weight: 1, arbitrary: picked('fault') },
  { weight: 12, arbitrary: picked('digit') },
  { weight: 5, arbitrary: picked('voice') },
  { weight: 12, arbitrary: picked('play-over') },
  { weight: 12, arbitrary: picked('timer') },
  { weight: 6, arbitrary: picked('recorded') },
  { weight: 4, arbitrary: picked('streamed') },
  { weight: 30, arbitrary: picked('b-leg') },
  { weight: 3, arbitrary: plain('early') },
  { weight: 12, arbitrary: plain('answered') },
  { weight: 3, arbitrary: plain('transfer') },
  { weight: 6, arbitrary: plain('returned') },
  { weight: 2, arbitrary: plain('refused') },
  { weight: 1, arbitrary: plain('ended') },
  { weight: 1, arbitrary: plain('taken') },
);

const normal = { code: 4000, name: 'Normal Hangup', source: 'Caller' } as const;

/** Undefined for an input that cannot happen now. */
function inputOf(each: Action, run: ScriptedRun, outside: Outside): RunInput | undefined {
  const at = 'pick' in each ? each.pick : 0;
  const one = <Item>(items: Iterable<Item>): Item | undefined => {
    const list = [...items];
    return list[at % list.length];
  };
  switch (each.type) {
    case 'document':
    case 'fault': {
      const fetch = one(outside.fetches);
      if (fetch === undefined) return undefined;
      return each.type === 'document'
        ? { type: 'document-fetched', fetch, elements: outside.plan(each.elements), warnings: [] }
        : { type: 'document-failed', fetch, fault: 'xml', sentence: 'no' };
    }
    case 'digit':
      return { type: 'leg-digit', leg, digit: '12#*9112'.charAt(at) };
    case 'voice':
      return { type: 'leg-voice', leg, speaking: at % 2 === 0 };
    case 'play-over': {
      const over = one(outside.plays);
      return over === undefined ? undefined : { type: 'play-over', play: over, sentences: [] };
    }
    case 'timer': {
      const key = one(outside.timers);
      return key === undefined ? undefined : { type: 'timer-fired', key };
    }
    case 'recorded': {
      const recording = one(outside.recordings);
      return recording === undefined ? undefined : overOf(recording);
    }
    case 'streamed': {
      const streamed = one(outside.streams);
      return streamed === undefined ? undefined : { type: 'stream-ended', stream: streamed };
    }
    case 'b-leg': {
      const bLeg = one([...outside.legs].filter(([, isLive]) => isLive).map(([name]) => name));
      if (bLeg === undefined) return undefined;
      if (at < 3) return { type: 'leg-answered', leg: bLeg };
      if (at === 3) return { type: 'leg-ringing', leg: bLeg };
      if (at === 4) return { type: 'leg-early', leg: bLeg };
      if (at < 6) return { type: 'leg-digit', leg: bLeg, digit: '1' };
      return at === 6
        ? { type: 'leg-ended', leg: bLeg, end: normal, durationSeconds: 1 }
        : { type: 'leg-taken', leg: bLeg };
    }
    case 'early':
      return run.run.asked === 'early' ? { type: 'leg-early', leg } : undefined;
    case 'answered':
      return run.run.asked === 'answered' ? { type: 'leg-answered', leg } : undefined;
    case 'transfer':
      return { type: 'transfer', request: actionUrl, kept: null };
    case 'returned':
      return outside.isLent ? { type: 'leg-returned', leg, fields: { MemberID: '1' } } : undefined;
    case 'refused':
      return outside.isLent ? { type: 'join-refused', join: run.run.joins, sentence: 'full' } : undefined;
    case 'ended':
      return { type: 'leg-ended', leg, end: normal, durationSeconds: 9 };
    case 'taken':
      return { type: 'leg-taken', leg };
  }
}

function overOf(recording: string): RunInput {
  return {
    type: 'recording-over',
    recording,
    url: `https://files/${recording}`,
    outcome: 'completed',
    because: 'stopped',
    durationMs: 1_000,
    startedAt: 0,
    endedAt: 1_000,
    fault: null,
  };
}

interface Walk {
  readonly isAnswered: boolean;
  readonly hasFallback: boolean;
  readonly actions: readonly Action[];
}

function walk(
  { isAnswered, hasFallback, actions }: Walk,
  check: (run: ScriptedRun, outside: Outside) => void,
) {
  const outside = new Outside();
  const run = new ScriptedRun(isAnswered ? 'answered' : 'none', hasFallback ? { fallback: fallbackUrl } : {});
  outside.feed(run, { type: 'begin' });
  for (const each of actions) {
    const input = inputOf(each, run, outside);
    if (input === undefined || run.run.phase === 'over') continue;
    run.after(300);
    outside.feed(run, input);
    check(run, outside);
  }
  return { run, outside };
}

const anyWalk = fc.record({
  isAnswered: fc.boolean(),
  hasFallback: fc.boolean(),
  actions: fc.array(action, { maxLength: 100, size: 'max' }),
});
const runs = { numRuns: 500 };

describe('a run of documents, for any inputs in any order', () => {
  it('leaves no play, recording, ringing leg or fetch once it leaves its leg', () => {
    fc.assert(
      fc.property(anyWalk, (each) => {
        walk(each, ({ run }, outside) => {
          if (['leaving', 'closing', 'over'].includes(run.phase)) outside.assertQuiet();
        });
      }),
      runs,
    );
  });

  it('hangs its leg up at most once, and never after it has ended or was taken', () => {
    fc.assert(
      fc.property(anyWalk, (each) => {
        let hangUps = 0;
        walk(each, ({ run }, outside) => {
          assert.ok(outside.hangUps <= 1);
          if (run.phase === 'closing' || run.phase === 'over') assert.ok(outside.hangUps === hangUps);
          hangUps = outside.hangUps;
        });
      }),
      runs,
    );
  });

  it('is over as soon as its leg has ended and its files are complete', () => {
    fc.assert(
      fc.property(anyWalk, (each) => {
        const { run, outside } = walk(each, () => {});
        if (run.run.phase !== 'over' && run.run.phase !== 'closing') {
          outside.feed(run, { type: 'leg-ended', leg, end: normal, durationSeconds: 9 });
        }
        for (const recording of outside.recordings) outside.feed(run, overOf(recording));
        assert.equal(run.run.phase, 'over');
        outside.assertQuiet();
        const { effects } = run.feed({ type: 'leg-ended', leg, end: normal, durationSeconds: 9 });
        assert.deepEqual(effects, []);
      }),
      runs,
    );
  });

  it('waits for an input or a timer at any time while it is live', () => {
    fc.assert(
      fc.property(anyWalk, (each) => {
        walk(each, ({ run }, outside) => {
          if (run.phase === 'fetching') assert.equal(outside.fetches.size, 1);
          if (run.phase === 'running') assert.notEqual(run.current, null);
        });
      }),
      runs,
    );
  });
});
