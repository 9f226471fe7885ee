import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type DialEffect, type DialInput, dialResultOf, isDialOver } from './dial.ts';
import { isReplaceable } from './dial-machine.ts';
import { confirmTimer, ringTimer, soundPlay, timeLimitTimer } from './dial-names.ts';
import { Dialling } from './testing/dialling.ts';

const legs = ['b1', 'b2', 'b3'];
const anyLeg = fc.constantFrom(...legs, 's1', 's2', 's3');
const digit = fc.constantFrom('1', '2', '*');

const successors = ['s1', 's2', 's3'];

const anyInput: fc.Arbitrary<DialInput> = fc.oneof(
  {
    weight: 16,
    arbitrary: fc
      .constantFrom(...successors)
      .map((leg): DialInput => ({ type: 'leg-succeeding', leg, from: 'a', to: leg })),
  },
  { weight: 1, arbitrary: fc.constant<DialInput>({ type: 'begin' }) },
  { weight: 6, arbitrary: anyLeg.map((leg): DialInput => ({ type: 'leg-ringing', leg })) },
  { weight: 6, arbitrary: anyLeg.map((leg): DialInput => ({ type: 'leg-early', leg })) },
  { weight: 10, arbitrary: anyLeg.map((leg): DialInput => ({ type: 'leg-answered', leg })) },
  {
    weight: 6,
    arbitrary: fc.tuple(anyLeg, fc.constantFrom(3010, 3000, 4000, 5000)).map(
      ([leg, code]): DialInput => ({
        type: 'leg-ended',
        leg,
        end: { code, name: 'x', source: 'Carrier' },
        durationSeconds: 1,
      }),
    ),
  },
  {
    weight: 10,
    arbitrary: fc
      .tuple(fc.constantFrom('a', ...legs), digit)
      .map(([leg, each]): DialInput => ({ type: 'leg-digit', leg, digit: each })),
  },
  { weight: 4, arbitrary: fc.constant<DialInput>({ type: 'caller-answered' }) },
  { weight: 3, arbitrary: fc.constant<DialInput>({ type: 'caller-early' }) },
  { weight: 1, arbitrary: fc.constant<DialInput>({ type: 'give-up' }) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(
        'dial/b1/music',
        'dial/b1/ringback',
        'dial/b1/ringback-2',
        'dial/s1/ringback',
        ...legs.map(soundPlay),
      )
      .map((play): DialInput => ({ type: 'play-over', play })),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(ringTimer, timeLimitTimer, ...legs.map(confirmTimer))
      .map((key): DialInput => ({ type: 'timer-fired', key })),
  },
);

const anyWalk = fc.record({
  confirmKey: fc.constantFrom(null, '1'),
  confirmSound: fc.constantFrom(null, 'https://example.com/a.mp3'),
  dialMusic: fc.constantFrom(null, 'real', 'https://example.com/b.mp3'),
  hangupOnStar: fc.boolean(),
  aLegAnswered: fc.boolean(),
  destinations: fc.integer({ min: 1, max: 3 }),
  before: fc.array(anyInput, { maxLength: 1 }),
  after: fc.array(anyInput, { minLength: 10, maxLength: 60 }),
});

/** The state of the parts that carry the orders out. */
class Outside {
  readonly dialled = new Set<string>();
  readonly answered = new Set<string>();
  readonly ended = new Set<string>();
  readonly hungUp = new Set<string>();
  readonly plays = new Set<string>();
  readonly timers = new Set<string>();
  readonly reports = new Map<string, number>();
  callerAnswered: boolean;
  askedToAnswer = false;
  bridged: string | undefined;
  bridges = 0;
  /** The leg whose early media the caller hears. */
  overheard: string | undefined;
  overhearings = 0;
  callerListens: boolean;

  constructor(callerAnswered: boolean) {
    this.callerAnswered = callerAnswered;
    this.callerListens = callerAnswered;
  }

  /** Another leg was announced as the successor of the connected leg. */
  announced(leg: string): void {
    this.dialled.add(leg);
  }

  /** False for an impossible input: a notice of a leg after its end, a timer that does not run. */
  lets(input: DialInput): boolean {
    switch (input.type) {
      case 'leg-ringing':
      case 'leg-early':
      case 'leg-answered':
        // An answer may cross with our hang-up.
        return this.dialled.has(input.leg) && !this.ended.has(input.leg) && !this.answered.has(input.leg);
      case 'leg-ended':
        return this.dialled.has(input.leg) && !this.ended.has(input.leg);
      case 'leg-digit':
        return input.leg === 'a' || (this.answered.has(input.leg) && !this.ended.has(input.leg));
      case 'caller-answered':
        return this.askedToAnswer && !this.callerAnswered;
      case 'timer-fired':
        return this.timers.has(input.key);
      case 'play-over':
        return this.plays.has(input.play);
      default:
        return true;
    }
  }

  takeIn(input: DialInput): void {
    if (input.type === 'leg-answered') this.answered.add(input.leg);
    if (input.type === 'leg-ended') this.ended.add(input.leg);
    if (input.type === 'caller-answered') this.callerAnswered = true;
    if (input.type === 'caller-answered' || input.type === 'caller-early') this.callerListens = true;
    if (input.type === 'timer-fired') this.timers.delete(input.key);
    if (input.type === 'play-over') this.plays.delete(input.play);
  }

  obey(effect: DialEffect): void {
    switch (effect.do) {
      case 'dial-leg':
        assert.ok(!this.dialled.has(effect.leg), 'a leg is dialled once');
        this.dialled.add(effect.leg);
        return;
      case 'hang-up-leg':
        assert.ok(this.dialled.has(effect.leg) && !this.ended.has(effect.leg), 'only a live leg is hung up');
        assert.ok(!this.hungUp.has(effect.leg), 'a leg is hung up once');
        assert.notEqual(this.bridged, effect.leg, 'no leg is hung up inside a bridge');
        assert.notEqual(this.overheard, effect.leg, 'nor while the caller hears it');
        this.hungUp.add(effect.leg);
        return;
      case 'answer-caller':
        assert.ok(!this.askedToAnswer && !this.callerAnswered, 'the caller is answered once');
        this.askedToAnswer = true;
        return;
      case 'bridge':
        this.bridges += 1;
        assert.equal(this.bridged ?? this.overheard, undefined, 'one bridge after the other');
        assert.ok(this.callerAnswered && this.answered.has(effect.leg), 'both have answered');
        assert.ok(!this.ended.has(effect.leg) && !this.hungUp.has(effect.leg));
        assert.equal(this.plays.size, 0, 'nothing is played into the conversation');
        this.bridged = effect.leg;
        return;
      case 'overhear': {
        this.overhearings += 1;
        assert.equal(this.bridged ?? this.overheard, undefined, 'one after the other');
        assert.ok(this.callerListens, 'the caller can hear');
        assert.ok(this.dialled.has(effect.leg), 'only a live leg is heard');
        assert.ok(!this.ended.has(effect.leg) && !this.hungUp.has(effect.leg));
        const toCaller = [...this.plays].filter((play) => !play.endsWith('/confirm'));
        assert.deepEqual(toCaller, [], 'nothing is played over it');
        this.overheard = effect.leg;
        return;
      }
      case 'unbridge':
        assert.notEqual(this.bridged ?? this.overheard, undefined, 'only a bridge is undone');
        this.bridged = undefined;
        this.overheard = undefined;
        return;
      case 'play':
        assert.ok(!this.plays.has(effect.play), 'a play has its name alone');
        assert.ok(effect.to.every((leg) => leg === 'a' || this.answered.has(leg)));
        this.plays.add(effect.play);
        return;
      case 'stop-play':
        assert.ok(this.plays.delete(effect.play), 'only what plays is stopped');
        return;
      case 'start-timer':
        assert.ok(!this.timers.has(effect.key), 'no timer is moved');
        this.timers.add(effect.key);
        return;
      case 'cancel-timer':
        assert.ok(this.timers.delete(effect.key), 'only what runs is cancelled');
        return;
      case 'report': {
        const { DialAction, DialBLegUUID } = effect.parameters;
        const about = `${DialAction} ${DialBLegUUID}`;
        this.reports.set(about, (this.reports.get(about) ?? 0) + 1);
        assert.ok(!this.reports.has(`hangup ${DialBLegUUID}`) || DialAction === 'hangup');
      }
    }
  }
}

describe('a dial, for any inputs in any order', () => {
  it('ends or hangs up every leg once, bridges one after the other, and is over once with nothing left', () => {
    let bridged = 0;
    let over = 0;
    let overheard = 0;
    let replaced = 0;
    fc.assert(
      fc.property(anyWalk, ({ before, after, destinations, aLegAnswered, ...changes }) => {
        const dialling = new Dialling(changes, destinations, { aLegAnswered });
        const outside = new Outside(aLegAnswered);
        for (const input of [...before, { type: 'begin' } as const, ...after]) {
          if (!outside.lets(input)) continue;
          const wasOver = isDialOver(dialling.state);
          outside.takeIn(input);
          if (input.type === 'leg-succeeding') {
            if (outside.dialled.has(input.leg) || !isReplaceable(dialling.state)) continue;
            outside.announced(input.leg);
          }
          dialling.after(1).feed(input);
          for (const effect of dialling.effects) outside.obey(effect);
          if (wasOver) assert.deepEqual(dialling.effects, [], 'what is over says nothing more');
          const isOver = isDialOver(dialling.state);
          if (!isOver) {
            const isDead = [...outside.dialled].every(
              (leg) => outside.ended.has(leg) || outside.hungUp.has(leg),
            );
            assert.ok(outside.dialled.size === 0 || !isDead, 'it lives exactly as long as one of its legs');
            const isAwaited = dialling.state.legs.some(({ phase }) => phase === 'succeeding');
            assert.ok(
              outside.dialled.size === 0 || outside.timers.size > 0 || outside.askedToAnswer || isAwaited,
            );
            continue;
          }
          assert.equal(outside.bridged, undefined);
          assert.equal(outside.overheard, undefined);
          assert.equal(outside.timers.size, 0, 'no timer is left');
          assert.equal(outside.plays.size, 0, 'no sound is left');
          for (const leg of outside.dialled) {
            assert.ok(outside.ended.has(leg) || outside.hungUp.has(leg), `${leg} was left alive`);
            assert.equal(outside.reports.get(`hangup ${leg}`), 1);
          }
          const result = dialResultOf(dialling.state);
          if (outside.bridges > 0) assert.equal(result.DialStatus, 'completed');
        }
        bridged += outside.bridges;
        overheard += outside.overhearings;
        replaced += Math.max(0, outside.bridges - 1);
        over += isDialOver(dialling.state) ? 1 : 0;
      }),
      { numRuns: 10_000 },
    );
    // The walk must reach conversations.
    assert.ok(
      bridged > 20 && over > 100 && replaced > 10 && overheard > 20,
      `${overheard} overheard, ${bridged} bridged, ${replaced} replaced, ${over} over`,
    );
  });
});
