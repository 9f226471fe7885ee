import type { Clock, Instant } from '@jackfield/ports';
import type { Fault, FaultOptions } from './api.ts';
import { msOf } from './duration.ts';
import { type FaultName, faultNames } from './fault-names.ts';
import { checkOptions } from './options.ts';
import { TestingError } from './testing-error.ts';

/** Faults of a world, by name. */
export interface Faults {
  start(name: FaultName, options?: FaultOptions): Fault;
  isOn(name: FaultName): boolean;
  /** How late the answers or messages of this fault are; 0 while it is off. */
  lateMs(name: FaultName): number;
  /** The fault as it was at an earlier instant; undefined when it was off. */
  at(name: FaultName, when: Instant): { readonly byMs: number } | undefined;
  endAll(): void;
}

export interface FaultsDeps {
  readonly clock: Pick<Clock, 'now' | 'startTimer'>;
  losePackets(rate: number): void;
}

interface Going {
  readonly name: FaultName;
  readonly from: Instant;
  until: Instant;
  readonly byMs: number;
  readonly cancel: (() => void) | undefined;
}

/** Every fault has `for`. */
const ownOptions: Partial<Readonly<Record<FaultName, readonly string[]>>> = {
  'packet-loss': ['rate'],
  'receiver-slow': ['by'],
  'sms-late': ['by'],
};

export function createFaults({ clock, losePackets }: FaultsDeps): Faults {
  const going = new Map<FaultName, Going>();
  const all: Going[] = [];

  function end(name: FaultName, which = going.get(name)): void {
    if (which === undefined || going.get(name) !== which) return;
    which.cancel?.();
    which.until = clock.now();
    going.delete(name);
    if (name === 'packet-loss') losePackets(0);
  }

  return {
    start(name, options = {}) {
      if (!faultNames.includes(name)) {
        throw new TestingError(
          'unknown-fault',
          `There is no fault ${JSON.stringify(name)}: use ${faultNames.join(', ')}.`,
        );
      }
      checkOptions(options, ['for', ...(ownOptions[name] ?? [])], name);
      const { rate = 0.05, by = '10 s' } = options;
      if (!(rate >= 0 && rate <= 1)) {
        throw new TestingError('bad-option', `rate is ${rate}: use a number from 0 to 1.`);
      }
      end(name);
      const byMs = msOf(by, 'by');
      const forMs = options.for === undefined ? undefined : msOf(options.for, 'for');
      const cancel = forMs === undefined ? undefined : clock.startTimer(clock.now() + forMs, () => end(name));
      const started: Going = { name, from: clock.now(), until: Number.POSITIVE_INFINITY, byMs, cancel };
      going.set(name, started);
      all.push(started);
      if (name === 'packet-loss') losePackets(rate);
      return { name, end: () => end(name, started) };
    },
    isOn: (name) => going.has(name),
    lateMs: (name) => going.get(name)?.byMs ?? 0,
    at: (name, when) => all.findLast((each) => each.name === name && when >= each.from && when < each.until),
    endAll() {
      for (const name of [...going.keys()]) end(name);
    },
  };
}
