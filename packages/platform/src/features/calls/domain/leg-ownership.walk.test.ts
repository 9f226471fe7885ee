import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callEnds } from '@jackfield/ports';
import fc from 'fast-check';
import { exampleLeg } from '../testing/example-leg.ts';
import { type CallLeg, type CallLegInput, isLegOver } from './call-leg.ts';
import { callLegMachine } from './call-leg-machine.ts';
import type { LegOwner } from './leg-owner.ts';

const people = ['ann', 'bob', 'cec'];
const who = fc.constantFrom(...people).map((id): LegOwner => ({ kind: 'test', id }));

/** What happens between owners comes most often; an end only now and then, since nothing follows it. */
const input: fc.Arbitrary<CallLegInput> = fc.oneof(
  { weight: 3, arbitrary: who.map((owner): CallLegInput => ({ type: 'take', owner })) },
  { weight: 6, arbitrary: who.map((borrower): CallLegInput => ({ type: 'lend', borrower })) },
  {
    weight: 9,
    arbitrary: who.map((borrower): CallLegInput => ({ type: 'give-back', borrower, fields: {} })),
  },
  {
    weight: 12,
    arbitrary: fc.constantFrom<CallLegInput>(
      { type: 'leg-digit', digit: '5' },
      { type: 'leg-voice', speaking: true },
      { type: 'leg-ringing' },
      { type: 'leg-early' },
      { type: 'leg-answered' },
      { type: 'ring' },
      { type: 'answer' },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<CallLegInput>(
      { type: 'hang-up', end: callEnds(4000, 'API Request') },
      { type: 'timer-fired', key: 'time-limit' },
      { type: 'leg-ended', end: { by: 'remote-bye' } },
    ),
  },
);

/** Once, somewhere in between: a taker accepts the offer, or the offer fails. */
const decision: fc.Arbitrary<CallLegInput> = fc.oneof(
  { weight: 4, arbitrary: who.map((owner): CallLegInput => ({ type: 'offer-taken', owner })) },
  {
    weight: 1,
    arbitrary: fc.constant<CallLegInput>({
      type: 'offer-refused',
      status: 500,
      end: callEnds(5010, 'Error'),
    }),
  },
);

interface Heard {
  readonly by: string;
  readonly type: string;
}

/** Steps the machine as the runner does: nothing reaches a leg that is over. */
function walk(start: CallLeg, inputs: readonly CallLegInput[], seen: (step: Walked) => void) {
  let leg = start;
  for (const each of inputs) {
    if (isLegOver(leg)) break;
    const { state, effects } = callLegMachine.step(leg, each, 1_000);
    const heard = effects.flatMap((effect): Heard[] =>
      effect.do === 'notify-owner' ? [{ by: effect.owner.id, type: effect.notice.type }] : [],
    );
    const events = effects.flatMap((effect) => (effect.do === 'emit' ? [effect.event] : []));
    const replies = effects.flatMap((effect) => (effect.do === 'reply' ? [effect.reply] : []));
    const departures = effects.filter((effect) => effect.do === 'leave').length;
    seen({ input: each, before: leg, after: state, heard, events, replies, departures });
    leg = state;
  }
  return leg;
}

interface Walked {
  readonly input: CallLegInput;
  readonly before: CallLeg;
  readonly after: CallLeg;
  readonly heard: readonly Heard[];
  readonly events: readonly string[];
  readonly replies: readonly boolean[];
  readonly departures: number;
}

/**
 * The rules of public-api.ts as a second, plainer program: who hears what after an input. Undefined for inputs whose notices hang on
 * the phase of the leg; the borrower, else the owner gets those notices.
 */
function rulesOf(start: CallLeg): (input: CallLegInput, isOver: boolean) => readonly string[] | undefined {
  let owner = start.owner?.id;
  let borrower: string | undefined;
  let isOpen = start.missed !== null;
  const missed: string[] = [];
  const known = (notice: string) => {
    if (isOpen) missed.push(notice);
    return (borrower ?? owner) === undefined ? [] : [`${borrower ?? owner} ${notice}`];
  };
  let isAnswered = false;
  let isLeaving = false;
  let isEarly = start.phase !== 'answered';
  return (input, isOver) => {
    switch (input.type) {
      case 'offer-taken': {
        if (!isOpen) return isOver ? [] : [`${input.owner.id} leg-taken`];
        isOpen = false;
        owner = input.owner.id;
        return missed.map((notice) => `${owner} ${notice}`);
      }
      case 'offer-refused':
        isOpen = false;
        isLeaving = true;
        return [];
      case 'take': {
        if (isOver) return [];
        const losers = [borrower, owner].filter((id) => id !== input.owner.id);
        owner = input.owner.id;
        borrower = undefined;
        isOpen = false;
        return [
          ...losers.flatMap((id) => (id === undefined ? [] : [`${id} leg-taken`])),
          `${owner} leg-given`,
        ];
      }
      case 'lend':
        if (!isOver && owner !== undefined) borrower ??= input.borrower.id;
        return [];
      case 'give-back':
        if (isOver || borrower === undefined || borrower !== input.borrower.id) return [];
        borrower = undefined;
        return [`${owner} leg-returned`];
      case 'leg-digit':
      case 'leg-voice':
        return isOver ? [] : known(input.type);
      case 'leg-early':
        return isOver || !isEarly ? [] : known(input.type);
      case 'leg-answered': {
        const isNews = !isOver && !isAnswered && !isLeaving;
        isAnswered = true;
        isEarly = false;
        return isNews ? known(input.type) : [];
      }
      case 'hang-up':
      case 'timer-fired':
        isLeaving ||= !isOver;
        return [];
      case 'leg-ended': {
        if (isOver) return [];
        if (isOpen) missed.push('leg-ended');
        const hearers = [borrower, owner].flatMap((id) => (id === undefined ? [] : [`${id} leg-ended`]));
        borrower = undefined;
        return hearers;
      }
      case 'leg-ringing':
        return undefined;
      default:
        return [];
    }
  };
}

const ended: CallLegInput = { type: 'leg-ended', end: { by: 'remote-bye' } };
const lives = fc.oneof(
  fc.array(input, { maxLength: 30, size: 'max' }).map((inputs) => ({
    start: exampleLeg({ direction: 'outbound', phase: 'dialling', owner: { kind: 'test', id: 'ann' } }),
    inputs: [...inputs, ended],
  })),
  fc
    .tuple(
      fc.array(input, { maxLength: 12, size: 'max' }),
      decision,
      fc.array(input, { maxLength: 12, size: 'max' }),
    )
    .map(([before, decided, after]) => ({
      start: exampleLeg({ direction: 'inbound', phase: 'offered', owner: null, missed: [] }),
      inputs: [...before, decided, ...after, ended],
    })),
);

describe('a leg that is offered, taken, lent and given back in any order', () => {
  it('has one owner at its end, which is notified of it exactly once and of nothing later', () => {
    fc.assert(
      fc.property(lives, ({ start, inputs }) => {
        const ends = new Map<string, number>();
        const heard: Heard[] = [];
        const last = walk(start, inputs, (step) => {
          for (const each of step.heard) {
            heard.push(each);
            if (each.type === 'leg-ended') ends.set(each.by, (ends.get(each.by) ?? 0) + 1);
          }
        });
        assert.ok(isLegOver(last));
        if (last.owner !== null) {
          const atBorrower = [...ends.keys()].filter((id) => id !== last.owner!.id);
          assert.ok((ends.get(last.owner.id) ?? 0) >= 1, 'the owner gets the end');
          assert.ok(atBorrower.length <= 1, 'besides the owner only a borrower gets it');
          assert.deepEqual(heard.at(-1)?.by === last.owner.id || heard.at(-1)?.type === 'leg-taken', true);
        }
      }),
    );
  });

  it('notifies exactly its owner or borrower, by the rules alone', () => {
    fc.assert(
      fc.property(lives, ({ start, inputs }) => {
        const expected = rulesOf(start);
        walk(start, inputs, ({ input: each, before, heard }) => {
          const named = heard.map(({ by, type }) => `${by} ${type}`);
          const rule = expected(each, before.phase === 'ended');
          if (rule !== undefined) assert.deepEqual(named, rule, each.type);
        });
      }),
    );
  });

  it('replies to each take and loan, with false when it has ended or is lent', () => {
    fc.assert(
      fc.property(lives, ({ start, inputs }) => {
        walk(start, inputs, ({ input: each, before, after, replies }) => {
          const isAsked = ['take', 'lend', 'offer-taken'].includes(each.type);
          assert.equal(replies.length, isAsked ? 1 : 0);
          if (each.type === 'take') assert.equal(replies[0], before.phase !== 'ended');
          if (each.type === 'lend') {
            const isFree = before.phase !== 'ended' && before.owner !== null && before.borrower === null;
            assert.equal(replies[0], isFree);
            assert.equal(after.borrower, isFree ? each.borrower : before.borrower);
          }
        });
      }),
    );
  });

  it('emits its answer at most once and its end exactly once, the end last, and leaves once', () => {
    fc.assert(
      fc.property(lives, ({ start, inputs }) => {
        const events: string[] = [];
        let departures = 0;
        const last = walk(start, inputs, (step) => {
          events.push(...step.events);
          departures += step.departures;
        });
        assert.ok(isLegOver(last));
        assert.equal(departures, 1);
        assert.equal(events.filter((event) => event === 'ended').length, 1);
        assert.ok(events.filter((event) => event === 'answered').length <= 1);
        assert.equal(events.at(-1), 'ended');
      }),
    );
  });
});

describe('an owner that takes its own leg', () => {
  it('reclaims it from the borrower, which gets leg-taken; the owner gets leg-given alone', () => {
    const ann: LegOwner = { kind: 'test', id: 'ann' };
    const lent = exampleLeg({ phase: 'answered', owner: ann, borrower: { kind: 'test', id: 'bob' } });
    const heard: Heard[] = [];
    walk(lent, [{ type: 'take', owner: ann }], (step) => void heard.push(...step.heard));
    assert.deepEqual(heard, [
      { by: 'bob', type: 'leg-taken' },
      { by: 'ann', type: 'leg-given' },
    ]);
  });
});

describe('a borrower that takes its leg for good', () => {
  it('gets leg-given alone; the owner gets leg-taken', () => {
    const bob: LegOwner = { kind: 'test', id: 'bob' };
    const lent = exampleLeg({ phase: 'answered', owner: { kind: 'test', id: 'ann' }, borrower: bob });
    const heard: Heard[] = [];
    walk(lent, [{ type: 'take', owner: bob }], (step) => void heard.push(...step.heard));
    assert.deepEqual(heard, [
      { by: 'ann', type: 'leg-taken' },
      { by: 'bob', type: 'leg-given' },
    ]);
  });
});

describe('an offered leg without an owner', () => {
  const offered = exampleLeg({ direction: 'inbound', phase: 'offered', owner: null, missed: [] });
  const ann: LegOwner = { kind: 'test', id: 'ann' };

  function heardBy(inputs: readonly CallLegInput[]) {
    const heard: string[] = [];
    const last = walk(offered, inputs, (step) => void heard.push(...step.heard.map(({ type }) => type)));
    return { heard, last };
  }

  it('stays when its caller gives up, until its taker has got the end', () => {
    const { heard, last } = heardBy([
      { type: 'leg-ended', end: { by: 'remote-cancel' } },
      { type: 'offer-taken', owner: ann },
    ]);
    assert.deepEqual(heard, ['leg-ended']);
    assert.ok(isLegOver(last));
    assert.deepEqual(last.end, callEnds(1000, 'Caller'));
  });

  it('sends its owner the earlier notices in order', () => {
    const { heard } = heardBy([
      { type: 'leg-answered' },
      { type: 'leg-digit', digit: '1' },
      { type: 'offer-taken', owner: ann },
      { type: 'leg-digit', digit: '2' },
    ]);
    assert.deepEqual(heard, ['leg-answered', 'leg-digit', 'leg-digit']);
  });

  it('is taken before its taker has answered: the taker gets leg-taken and nothing else', () => {
    const taken: Heard[] = [];
    const inputs: CallLegInput[] = [
      { type: 'take', owner: { kind: 'test', id: 'bob' } },
      { type: 'offer-taken', owner: ann },
      { type: 'leg-digit', digit: '1' },
    ];
    walk(offered, inputs, (step) => void taken.push(...step.heard));
    assert.deepEqual(taken, [
      { by: 'bob', type: 'leg-given' },
      { by: 'ann', type: 'leg-taken' },
      { by: 'bob', type: 'leg-digit' },
    ]);
  });
});
