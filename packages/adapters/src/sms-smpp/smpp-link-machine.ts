import type { Instant, Step } from '@jackfield/ports';

/**
 * The states of one link to an SMSC.
 *
 *   connecting ──connected──▶ binding ──bind-answered 0──▶ bound
 *       ▲  ╰──────────────────────┴──────lost───────────────╯
 *       ╰──pause is over── pausing ◀──╯
 *
 * `closed` is final.
 */
export interface SmppLinkState {
  readonly phase: 'connecting' | 'binding' | 'bound' | 'pausing' | 'closed';
  /** The next pause before a reconnect. */
  readonly pauseMs: number;
}

export type SmppLinkInput =
  | { readonly type: 'connected' }
  /** The command status of the bind's response; 0 means success. */
  | { readonly type: 'bind-answered'; readonly status: number }
  | { readonly type: 'enquiry-answered' }
  /** The connection is closed or broken, or a response is late. */
  | { readonly type: 'lost' }
  | { readonly type: 'timer-fired' }
  | { readonly type: 'close' };

export type SmppLinkEffect =
  | { readonly do: 'connect' | 'bind' | 'enquire' | 'unbind' | 'disconnect' | 'cancel-timer' }
  /** One timer at a time: it replaces the running one. */
  | { readonly do: 'start-timer'; readonly at: Instant }
  | { readonly do: 'report-refusal'; readonly status: number }
  | { readonly do: 'report-bound' | 'report-lost' };

/** Times of a link in milliseconds. */
export interface SmppLinkTimes {
  readonly enquireLinkMs: number;
  readonly responseMs: number;
  readonly reconnectMs: readonly [number, number];
}

type LinkStep = Step<SmppLinkState, SmppLinkEffect>;

/** A new link connects at once. */
export function openedLink(times: SmppLinkTimes, now: Instant): LinkStep {
  return connecting(times.reconnectMs[0], times, now);
}

/** One step of a link. */
export function stepSmppLink(
  state: SmppLinkState,
  input: SmppLinkInput,
  times: SmppLinkTimes,
  now: Instant,
): LinkStep {
  const { phase, pauseMs } = state;
  if (phase === 'closed') return { state, effects: [] };
  if (input.type === 'close') return closed(state);
  if (phase === 'pausing') {
    return input.type === 'timer-fired' ? connecting(pauseMs, times, now) : { state, effects: [] };
  }
  if (input.type === 'lost') return lost(state, times, now);
  switch (phase) {
    case 'connecting':
      if (input.type === 'timer-fired') return lost(state, times, now);
      if (input.type !== 'connected') break;
      return { state: { phase: 'binding', pauseMs }, effects: [{ do: 'cancel-timer' }, { do: 'bind' }] };
    case 'binding':
      return input.type === 'bind-answered'
        ? bindAnswered(state, input.status, times, now)
        : { state, effects: [] };
    case 'bound':
      if (input.type === 'timer-fired') return { state, effects: [{ do: 'enquire' }] };
      if (input.type === 'enquiry-answered') return { state, effects: [enquiryTimer(times, now)] };
  }
  return { state, effects: [] };
}

/** A peer that accepts the connection and stays silent must not hold it forever. */
function connecting(pauseMs: number, { responseMs }: SmppLinkTimes, now: Instant): LinkStep {
  return {
    state: { phase: 'connecting', pauseMs },
    effects: [{ do: 'connect' }, { do: 'start-timer', at: now + responseMs }],
  };
}

function bindAnswered(state: SmppLinkState, status: number, times: SmppLinkTimes, now: Instant): LinkStep {
  if (status !== 0) {
    const { state: next, effects } = lost(state, times, now);
    return { state: next, effects: [{ do: 'report-refusal', status }, ...effects] };
  }
  return {
    state: { phase: 'bound', pauseMs: times.reconnectMs[0] },
    effects: [enquiryTimer(times, now), { do: 'report-bound' }],
  };
}

function enquiryTimer({ enquireLinkMs }: SmppLinkTimes, now: Instant): SmppLinkEffect {
  return { do: 'start-timer', at: now + enquireLinkMs };
}

function lost({ pauseMs }: SmppLinkState, { reconnectMs }: SmppLinkTimes, now: Instant): LinkStep {
  return {
    state: { phase: 'pausing', pauseMs: Math.min(pauseMs * 2, reconnectMs[1]) },
    effects: [
      { do: 'cancel-timer' },
      { do: 'disconnect' },
      { do: 'report-lost' },
      { do: 'start-timer', at: now + pauseMs },
    ],
  };
}

function closed({ phase, pauseMs }: SmppLinkState): LinkStep {
  const state = { phase: 'closed', pauseMs } as const;
  if (phase === 'pausing') return { state, effects: [{ do: 'cancel-timer' }] };
  const farewell: SmppLinkEffect[] = phase === 'bound' ? [{ do: 'unbind' }] : [];
  return {
    state,
    effects: [{ do: 'cancel-timer' }, ...farewell, { do: 'disconnect' }, { do: 'report-lost' }],
  };
}
