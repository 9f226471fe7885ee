import { type ServerInput, type Step, stay, type TransactionEffect } from './effects.ts';
import { TRYING_AFTER_MS, type TransactionSetting } from './timers.ts';

/**
 * INVITE server transaction (RFC 3261 §17.2.1, RFC 6026 §7.1).
 *
 *   proceeding ──300-699──▶ completed ──ACK──▶ confirmed ──I──▶ terminated
 *        │                      ╰──H, transport error──▶ terminated
 *        ╰──2xx──▶ accepted ──L──▶ terminated
 */
export type InviteServerState =
  | { readonly phase: 'proceeding'; readonly last: string | undefined; readonly setting: TransactionSetting }
  | {
      readonly phase: 'completed';
      readonly last: string;
      readonly interval: number;
      readonly setting: TransactionSetting;
    }
  | { readonly phase: 'accepted' }
  | { readonly phase: 'confirmed' }
  | { readonly phase: 'terminated' };

/** Inputs of the INVITE server transaction: those of every server transaction, and ACK. */
export type InviteServerInput = ServerInput | { readonly type: 'ack' };

/** `trying-due` requests a 100 (Trying); `deliver-ack` delivers the ACK of a 2xx to the transaction user. */
export type InviteServerEffect =
  | TransactionEffect
  | { readonly do: 'trying-due' }
  | { readonly do: 'deliver-ack' };

type InviteServerStep = Step<InviteServerState, InviteServerEffect>;
const accepted: InviteServerState = { phase: 'accepted' };
const confirmed: InviteServerState = { phase: 'confirmed' };
const terminated: InviteServerState = { phase: 'terminated' };

/** Enters "proceeding"; the driver delivers the INVITE to the transaction user. */
export function startInviteServer(setting: TransactionSetting, now: number): InviteServerStep {
  return {
    state: { phase: 'proceeding', last: undefined, setting },
    effects: [{ do: 'start-timer', key: '100', at: now + TRYING_AFTER_MS }],
  };
}

/** One step of the INVITE server transaction. */
export function stepInviteServer(
  state: InviteServerState,
  input: InviteServerInput,
  now: number,
): InviteServerStep {
  switch (state.phase) {
    case 'proceeding':
      return whileProceeding(state, input, now);
    case 'completed':
      return whileCompleted(state, input, now);
    case 'accepted':
      return whileAccepted(state, input);
    case 'confirmed':
      // §17.2.1: "confirmed" absorbs further ACKs, which answer retransmissions of the final response.
      return input.type === 'timer-fired' && input.key === 'I' ? end() : stay(state);
    case 'terminated':
      return stay(state);
  }
}

function whileProceeding(
  state: InviteServerState & { phase: 'proceeding' },
  input: InviteServerInput,
  now: number,
): InviteServerStep {
  switch (input.type) {
    case 'request':
      return state.last === undefined ? stay(state) : { state, effects: [{ do: 'send', text: state.last }] };
    case 'respond':
      return respond(state, input, now);
    case 'timer-fired':
      return input.key === '100' && state.last === undefined
        ? { state, effects: [{ do: 'trying-due' }] }
        : stay(state);
    case 'transport-failed':
      return fail('transport-failed');
    case 'ack':
      return stay(state);
  }
}

function respond(
  state: InviteServerState & { phase: 'proceeding' },
  input: InviteServerInput & { type: 'respond' },
  now: number,
): InviteServerStep {
  const { setting } = state;
  const { status, text } = input;
  const { t1 } = setting.timers;
  const effects: InviteServerEffect[] = [];
  if (state.last === undefined) effects.push({ do: 'cancel-timer', key: '100' });
  effects.push({ do: 'send', text });
  if (status < 200) return { state: { phase: 'proceeding', last: text, setting }, effects };
  if (status < 300) {
    // RFC 6026 §7.1: timer L is 64*T1 on every transport; the TU retransmits the 2xx, not the transaction.
    effects.push({ do: 'start-timer', key: 'L', at: now + 64 * t1 });
    return { state: accepted, effects };
  }
  effects.push({ do: 'start-timer', key: 'H', at: now + 64 * t1 });
  // RFC 3261 §26.3.2.4: the challenge to an unauthenticated request is not retransmitted.
  if (!setting.reliable && !input.once) effects.push({ do: 'start-timer', key: 'G', at: now + t1 });
  return { state: { phase: 'completed', last: text, interval: t1, setting }, effects };
}

function whileCompleted(
  state: InviteServerState & { phase: 'completed' },
  input: InviteServerInput,
  now: number,
): InviteServerStep {
  const { reliable, timers } = state.setting;
  switch (input.type) {
    case 'request':
      return { state, effects: [{ do: 'send', text: state.last }] };
    case 'ack':
      // §17.2.1: timer I is T4 for unreliable transports and zero seconds for reliable ones.
      if (reliable) return end();
      return {
        state: confirmed,
        effects: [
          { do: 'cancel-timer', key: 'G' },
          { do: 'cancel-timer', key: 'H' },
          { do: 'start-timer', key: 'I', at: now + timers.t4 },
        ],
      };
    case 'timer-fired': {
      if (input.key === 'H') return fail('timeout');
      if (input.key !== 'G') return stay(state);
      const interval = Math.min(state.interval * 2, timers.t2);
      return {
        state: { ...state, interval },
        effects: [
          { do: 'send', text: state.last },
          { do: 'start-timer', key: 'G', at: now + interval },
        ],
      };
    }
    case 'transport-failed':
      return fail('transport-failed');
    case 'respond':
      return stay(state);
  }
}

function whileAccepted(
  state: InviteServerState & { phase: 'accepted' },
  input: InviteServerInput,
): InviteServerStep {
  switch (input.type) {
    case 'request':
      // RFC 6026 §7.1: retransmissions of the INVITE get no response.
      return stay(state);
    case 'respond':
      return input.status >= 200 && input.status < 300
        ? { state, effects: [{ do: 'send', text: input.text }] }
        : stay(state);
    case 'ack':
      return { state, effects: [{ do: 'deliver-ack' }] };
    case 'timer-fired':
      return input.key === 'L' ? end() : stay(state);
    case 'transport-failed':
      // RFC 6026, figure 7: the TU gets a report and the transaction stays; a later 2xx may still arrive.
      return { state, effects: [{ do: 'report', failure: 'transport-failed' }] };
  }
}

function end(): InviteServerStep {
  return { state: terminated, effects: [{ do: 'terminate' }] };
}

function fail(failure: 'timeout' | 'transport-failed'): InviteServerStep {
  return { state: terminated, effects: [{ do: 'report', failure }, { do: 'terminate' }] };
}
