import type { Instant, Machine, RegisterOutcome, Step } from '@jackfield/ports';

/** A carrier beside its calls: whether it answers, and whether we are registered with it. */
export interface CarrierLife {
  /** Null for a carrier that nobody registers with. */
  readonly expiresSeconds: number | null;
  /** 0 asks never. */
  readonly probeSeconds: number;
  readonly registration: 'none' | 'asking' | 'registered' | 'failed';
  /** Failures in a row. */
  readonly failures: number;
  /** Unknown until the first answer, and used like one that answers. */
  readonly reach: 'unknown' | 'reachable' | 'unreachable';
  readonly isClosed: boolean;
}

export type CarrierLifeInput =
  | { readonly type: 'opened' }
  | { readonly type: 'register-settled'; readonly outcome: RegisterOutcome; readonly chance: number }
  | { readonly type: 'probe-settled'; readonly status: number | undefined }
  | { readonly type: 'timer-fired'; readonly key: CarrierTimer }
  | { readonly type: 'closed' };

export type CarrierTimer = 'register' | 'probe';

export type CarrierLifeEffect =
  | { readonly do: 'register'; readonly expiresSeconds: number }
  | { readonly do: 'probe' }
  | { readonly do: 'start-timer'; readonly key: CarrierTimer; readonly at: Instant }
  | { readonly do: 'cancel-timer'; readonly key: CarrierTimer }
  | { readonly do: 'tell'; readonly event: CarrierEvent };

export type CarrierEvent =
  | { readonly name: 'registered'; readonly expiresSeconds: number }
  | { readonly name: 'unregistered'; readonly reason: string }
  | { readonly name: 'reachable' }
  | { readonly name: 'unreachable' };

type LifeStep = Step<CarrierLife, CarrierLifeEffect>;

/** RFC 3261 §10.2.4 leaves it to us: with a fifth left, a refresh can fail and be repeated before the binding ends. */
const refreshAt = 0.8;
/** RFC 5626 §4.5: the first wait and the longest, of which half to all is waited. */
const firstWaitMs = 30_000;
const longestWaitMs = 1_800_000;
/** A carrier that is out is asked more often, so that it is in soon. */
const probeUnreachableSeconds = 10;
/** RFC 3261 §21.4.9, §21.5.4: whoever stands before the carrier answers for it, or it says itself that it takes nothing now. */
const unreachableStatuses: readonly (number | undefined)[] = [undefined, 408, 503];

export function newCarrierLife(expiresSeconds: number | undefined, probeSeconds: number): CarrierLife {
  return {
    expiresSeconds: expiresSeconds ?? null,
    probeSeconds,
    registration: 'none',
    failures: 0,
    reach: 'unknown',
    isClosed: false,
  };
}

export const carrierLifeMachine: Machine<CarrierLife, CarrierLifeInput, CarrierLifeEffect> = { step };

function step(life: CarrierLife, input: CarrierLifeInput, now: Instant): LifeStep {
  if (life.isClosed) return { state: life, effects: [] };
  switch (input.type) {
    case 'opened':
      return {
        state: life.expiresSeconds === null ? life : { ...life, registration: 'asking' },
        effects: [
          ...(life.expiresSeconds === null ? [] : [register(life.expiresSeconds)]),
          ...(life.probeSeconds === 0 ? [] : [{ do: 'probe' } as const]),
        ],
      };
    case 'register-settled':
      return registerSettled(life, input.outcome, input.chance, now);
    case 'probe-settled':
      return probeSettled(life, input.status, now);
    case 'timer-fired':
      if (input.key === 'probe') return { state: life, effects: [{ do: 'probe' }] };
      return { state: life, effects: [register(life.expiresSeconds ?? 0)] };
    case 'closed':
      return closed(life);
  }
}

function registerSettled(
  life: CarrierLife,
  outcome: RegisterOutcome,
  chance: number,
  now: Instant,
): LifeStep {
  if (outcome.type === 'registered') {
    const { expiresSeconds } = outcome;
    return {
      state: { ...life, registration: 'registered', failures: 0 },
      effects: [
        { do: 'start-timer', key: 'register', at: now + Math.max(1000, expiresSeconds * refreshAt * 1000) },
        ...(life.registration === 'registered'
          ? []
          : [{ do: 'tell', event: { name: 'registered', expiresSeconds } } as const]),
      ],
    };
  }
  if (outcome.type === 'refused' && outcome.status === 423 && life.failures === 0) {
    // RFC 3261 §10.2.8: once more at once, with what the registrar takes.
    const expiresSeconds = Math.min(
      Math.max(outcome.minExpiresSeconds ?? 0, life.expiresSeconds ?? 0),
      86_400,
    );
    return { state: { ...life, expiresSeconds, failures: 1 }, effects: [register(expiresSeconds)] };
  }
  const failures = life.failures + 1;
  const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures - 1, 10)) * (0.5 + chance / 2);
  const reason = outcome.type === 'refused' ? `status ${outcome.status}` : 'no answer';
  return {
    state: { ...life, registration: 'failed', failures },
    effects: [
      { do: 'start-timer', key: 'register', at: now + Math.round(wait) },
      ...(life.registration === 'failed'
        ? []
        : [{ do: 'tell', event: { name: 'unregistered', reason } } as const]),
    ],
  };
}

function probeSettled(life: CarrierLife, status: number | undefined, now: Instant): LifeStep {
  const reach = unreachableStatuses.includes(status) ? 'unreachable' : 'reachable';
  const pause =
    reach === 'reachable' ? life.probeSeconds : Math.min(life.probeSeconds, probeUnreachableSeconds);
  const isNews = reach !== life.reach && !(life.reach === 'unknown' && reach === 'reachable');
  return {
    state: { ...life, reach },
    effects: [
      { do: 'start-timer', key: 'probe', at: now + pause * 1000 },
      ...(isNews ? [{ do: 'tell', event: { name: reach } } as const] : []),
    ],
  };
}

function closed(life: CarrierLife): LifeStep {
  return {
    state: { ...life, isClosed: true, registration: 'none' },
    effects: [
      { do: 'cancel-timer', key: 'register' },
      { do: 'cancel-timer', key: 'probe' },
      ...(life.registration === 'registered' ? [register(0)] : []),
    ],
  };
}

function register(expiresSeconds: number): CarrierLifeEffect {
  return { do: 'register', expiresSeconds };
}
