import type { Instant, Machine, RegisterOutcome, Step } from '@jackfield/ports';

/** Our link to a carrier, apart from calls: whether it answers, and whether we are registered with it. */
export interface CarrierLink {
  /** Null for a carrier without registration. */
  readonly expiresSeconds: number | null;
  /** 0 for no probes. */
  readonly probeSeconds: number;
  readonly registration: 'none' | 'asking' | 'registered' | 'failed';
  /** Failures in a row. */
  readonly failures: number;
  /** A carrier whose reach is unknown is used like a reachable carrier. */
  readonly reach: 'unknown' | 'reachable' | 'unreachable';
  /** Until then its calls go to other carriers first. */
  readonly postponedUntil: Instant;
  /** Of several processes one registers. */
  readonly registers: boolean;
  readonly isClosed: boolean;
}

export type CarrierLinkInput =
  | { readonly type: 'opened' }
  | { readonly type: 'registration-taken' }
  | { readonly type: 'registration-left' }
  | { readonly type: 'register-settled'; readonly outcome: RegisterOutcome; readonly chance: number }
  | { readonly type: 'probe-settled'; readonly status: number | undefined }
  /** It answered a call with 503 and Retry-After. */
  | { readonly type: 'call-refused'; readonly retryAfterSeconds: number }
  | { readonly type: 'timer-fired'; readonly key: CarrierTimer }
  | { readonly type: 'closed' };

export type CarrierTimer = 'register' | 'probe';

export type CarrierLinkEffect =
  | { readonly do: 'register'; readonly expiresSeconds: number }
  | { readonly do: 'probe' }
  | { readonly do: 'start-timer'; readonly key: CarrierTimer; readonly at: Instant }
  | { readonly do: 'cancel-timer'; readonly key: CarrierTimer }
  | { readonly do: 'report'; readonly event: CarrierEvent };

export type CarrierEvent =
  | { readonly name: 'registered'; readonly expiresSeconds: number }
  | { readonly name: 'unregistered'; readonly reason: string }
  | { readonly name: 'reachable' }
  | { readonly name: 'unreachable' };

type LinkStep = Step<CarrierLink, CarrierLinkEffect>;

/** RFC 3261 §10.2.4 leaves the time to us: with a fifth left, a refresh can fail and be repeated before the binding ends. */
const refreshAt = 0.8;
/** RFC 5626 §4.5: the first and the longest pause; a random pause is half to all of it. */
const firstWaitMs = 30_000;
const longestWaitMs = 1_800_000;
/** An unreachable carrier is probed more often, so that it is used again soon. */
const probeUnreachableSeconds = 10;
/** As long as an address that was silent is tried last: a carrier that asks for more is asked again after this time. */
const longestPostponementSeconds = 300;
/** RFC 3261 §21.4.9, §21.5.4: a proxy in front of the carrier gave up, or the carrier itself accepts nothing now. */
const unreachableStatuses: readonly (number | undefined)[] = [undefined, 408, 503];

export function newCarrierLink(expiresSeconds: number | undefined, probeSeconds: number): CarrierLink {
  return {
    expiresSeconds: expiresSeconds ?? null,
    probeSeconds,
    registration: 'none',
    failures: 0,
    reach: 'unknown',
    postponedUntil: 0,
    registers: false,
    isClosed: false,
  };
}

/** RFC 3261 §21.5.4: no other request goes to a server during its Retry-After, where another server is there. */
export function isPostponed({ postponedUntil }: CarrierLink, now: Instant): boolean {
  return now < postponedUntil;
}

export const carrierLinkMachine: Machine<CarrierLink, CarrierLinkInput, CarrierLinkEffect> = { step };

function step(link: CarrierLink, input: CarrierLinkInput, now: Instant): LinkStep {
  if (link.isClosed) return { state: link, effects: [] };
  switch (input.type) {
    case 'opened':
      return {
        state: link,
        effects: link.probeSeconds === 0 ? [] : [{ do: 'probe' } as const],
      };
    case 'registration-taken':
      if (link.expiresSeconds === null) return { state: link, effects: [] };
      return {
        state: { ...link, registers: true, registration: 'asking' },
        effects: [register(link.expiresSeconds)],
      };
    case 'registration-left':
      return left(link);
    case 'register-settled':
      if (!link.registers) return { state: link, effects: [] };
      return registerSettled(link, input.outcome, input.chance, now);
    case 'probe-settled':
      return probeSettled(link, input.status, now);
    case 'call-refused': {
      const until = now + Math.min(input.retryAfterSeconds, longestPostponementSeconds) * 1000;
      return {
        state: { ...link, postponedUntil: Math.max(link.postponedUntil, until) },
        effects: [],
      };
    }
    case 'timer-fired':
      if (input.key === 'probe') return { state: link, effects: [{ do: 'probe' }] };
      return { state: link, effects: [register(link.expiresSeconds ?? 0)] };
    case 'closed':
      return closed(link);
  }
}

function registerSettled(
  link: CarrierLink,
  outcome: RegisterOutcome,
  chance: number,
  now: Instant,
): LinkStep {
  if (outcome.type === 'registered') {
    const { expiresSeconds } = outcome;
    return {
      state: { ...link, registration: 'registered', failures: 0 },
      effects: [
        { do: 'start-timer', key: 'register', at: now + Math.max(1000, expiresSeconds * refreshAt * 1000) },
        ...(link.registration === 'registered'
          ? []
          : [{ do: 'report', event: { name: 'registered', expiresSeconds } } as const]),
      ],
    };
  }
  if (outcome.type === 'refused' && outcome.status === 423 && link.failures === 0) {
    // RFC 3261 §10.2.8: once more at once, with the registrar's minimum.
    const expiresSeconds = Math.min(
      Math.max(outcome.minExpiresSeconds ?? 0, link.expiresSeconds ?? 0),
      86_400,
    );
    return { state: { ...link, expiresSeconds, failures: 1 }, effects: [register(expiresSeconds)] };
  }
  const failures = link.failures + 1;
  const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures - 1, 10)) * (0.5 + chance / 2);
  const reason = outcome.type === 'refused' ? `status ${outcome.status}` : 'no answer';
  return {
    state: { ...link, registration: 'failed', failures },
    effects: [
      { do: 'start-timer', key: 'register', at: now + Math.round(wait) },
      ...(link.registration === 'failed'
        ? []
        : [{ do: 'report', event: { name: 'unregistered', reason } } as const]),
    ],
  };
}

function probeSettled(link: CarrierLink, status: number | undefined, now: Instant): LinkStep {
  const reach = unreachableStatuses.includes(status) ? 'unreachable' : 'reachable';
  const pause =
    reach === 'reachable' ? link.probeSeconds : Math.min(link.probeSeconds, probeUnreachableSeconds);
  const isNews = reach !== link.reach && !(link.reach === 'unknown' && reach === 'reachable');
  return {
    state: { ...link, reach },
    effects: [
      { do: 'start-timer', key: 'probe', at: now + pause * 1000 },
      ...(isNews ? [{ do: 'report', event: { name: reach } } as const] : []),
    ],
  };
}

function closed(link: CarrierLink): LinkStep {
  return {
    state: { ...link, isClosed: true, registers: false, registration: 'none' },
    effects: [{ do: 'cancel-timer', key: 'probe' }, ...left(link).effects],
  };
}

function left(link: CarrierLink): LinkStep {
  return {
    state: { ...link, registers: false, registration: 'none', failures: 0 },
    effects: [
      { do: 'cancel-timer', key: 'register' },
      ...(link.registration === 'registered' ? [register(0)] : []),
    ],
  };
}

function register(expiresSeconds: number): CarrierLinkEffect {
  return { do: 'register', expiresSeconds };
}
