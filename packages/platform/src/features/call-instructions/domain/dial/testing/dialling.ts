import { type CallEnd, legSpec } from '@jackfield/ports';
import type { Dial, DialDestination } from '../../instruction.ts';
import { type DialContext, type DialEffect, type DialInput, type DialState, newDial } from '../dial.ts';
import { stepDial } from '../dial-machine.ts';

const start = 1_000_000;

const element: Dial = {
  element: 'Dial',
  action: null,
  redirect: true,
  timeoutSeconds: 30,
  timeLimitSeconds: 3600,
  callerId: null,
  callerName: null,
  hangupOnStar: false,
  callback: { url: 'https://example.com/dial', method: 'POST' },
  confirmSound: null,
  confirmKey: null,
  confirmTimeoutSeconds: 10,
  dialMusic: null,
  digitsMatch: [],
  digitsMatchBLeg: [],
  sipHeaders: {},
  destinations: [],
};

/** A phone that a Dial element names. */
export function destination(to: string, changes: Partial<DialDestination> = {}): DialDestination {
  const { sipHeaders, sendDigits, sendOnPreanswer } = legSpec({ from: '', callerName: '', to });
  return { kind: 'user', to, callerId: null, sipHeaders, sendDigits, sendOnPreanswer, ...changes };
}

/** A dial of legs `b1`, `b2`…, fed one input after another; the effects of the last step are kept. */
export class Dialling {
  state: DialState;
  effects: readonly DialEffect[] = [];
  now = start;

  constructor(changes: Partial<Dial> = {}, destinations = 1, context: Partial<DialContext> = {}) {
    const named = Array.from({ length: destinations }, (_, index) => destination(`phone${index + 1}`));
    this.state = newDial(
      { ...element, destinations: named, ...changes },
      {
        aLeg: 'a',
        aLegAnswered: false,
        callerId: '+12025550199',
        callerName: 'Ada',
        legs: (changes.destinations ?? named).map((_, index) => `b${index + 1}`),
        ...context,
      },
    );
  }

  feed(...inputs: readonly DialInput[]): this {
    for (const input of inputs) {
      const step = stepDial(this.state, input, this.now);
      this.state = step.state;
      this.effects = step.effects;
    }
    return this;
  }

  begin(): this {
    return this.feed({ type: 'begin' });
  }

  ring(leg = 'b1'): this {
    return this.feed({ type: 'leg-ringing', leg });
  }

  early(leg = 'b1'): this {
    return this.feed({ type: 'leg-early', leg });
  }

  answer(leg = 'b1'): this {
    return this.feed({ type: 'leg-answered', leg });
  }

  callerAnswers(): this {
    return this.feed({ type: 'caller-answered' });
  }

  /** Begins, answers on both sides. */
  bridge(leg = 'b1'): this {
    return this.begin().answer(leg).callerAnswers();
  }

  press(leg: string, digits: string): this {
    return this.feed(...[...digits].map((digit): DialInput => ({ type: 'leg-digit', leg, digit })));
  }

  lose(leg: string, code = 4000, durationSeconds = 0): this {
    const end: CallEnd = { code, name: `cause ${code}`, source: 'Call recipient' };
    return this.feed({ type: 'leg-ended', leg, end, durationSeconds });
  }

  fire(key: string): this {
    return this.feed({ type: 'timer-fired', key });
  }

  after(seconds: number): this {
    this.now += seconds * 1000;
    return this;
  }

  /** Effects of the last step in words, without reports. */
  get orders(): readonly string[] {
    return this.effects.flatMap((effect) => {
      switch (effect.do) {
        case 'dial-leg':
        case 'bridge':
        case 'overhear':
          return [`${effect.do} ${effect.leg}`];
        case 'hang-up-leg':
          return [`hang-up ${effect.leg} ${effect.end.code}`];
        case 'play':
        case 'stop-play':
          return [`${effect.do} ${effect.play}`];
        case 'start-timer':
          return [`start ${effect.key} ${(effect.at - this.now) / 1000}`];
        case 'cancel-timer':
          return [`cancel ${effect.key}`];
        case 'report':
          return [];
        default:
          return [effect.do];
      }
    });
  }

  get reported(): readonly Readonly<Record<string, string>>[] {
    return this.effects.flatMap((effect) => (effect.do === 'report' ? [effect.parameters] : []));
  }

  /** DialAction and leg of the reports of the last step. */
  get actions(): readonly string[] {
    return this.reported.map(({ DialAction, DialBLegUUID }) => `${DialAction} ${DialBLegUUID}`);
  }
}
