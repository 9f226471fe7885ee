import { type ClientEffect, type ClientInput, type Step, stay } from './effects.ts';
import type { TransactionSetting } from './timers.ts';

/**
 * Non-INVITE client transaction (RFC 3261 §17.1.2).
 *
 *   trying ──1xx──▶ proceeding ──200-699──▶ completed ──K──▶ terminated
 *     │ ╲──200-699──────────────────────────────▲
 *     ╰──F, transport error (both states)──▶ terminated
 */
export type NonInviteClientState =
  | {
      readonly phase: 'trying' | 'proceeding';
      readonly text: string;
      readonly interval: number;
      readonly setting: TransactionSetting;
    }
  | { readonly phase: 'completed' }
  | { readonly phase: 'terminated' };

type NonInviteClientStep = Step<NonInviteClientState, ClientEffect>;
const completed: NonInviteClientState = { phase: 'completed' };
const terminated: NonInviteClientState = { phase: 'terminated' };

/** Sends the printed request and enters "trying". */
export function startNonInviteClient(
  text: string,
  setting: TransactionSetting,
  now: number,
): NonInviteClientStep {
  const { t1 } = setting.timers;
  const effects: ClientEffect[] = [
    { do: 'send', text },
    { do: 'start-timer', key: 'F', at: now + 64 * t1 },
  ];
  if (!setting.reliable) effects.push({ do: 'start-timer', key: 'E', at: now + t1 });
  return { state: { phase: 'trying', text, interval: t1, setting }, effects };
}

/** One step of the non-INVITE client transaction. */
export function stepNonInviteClient(
  state: NonInviteClientState,
  input: ClientInput,
  now: number,
): NonInviteClientStep {
  switch (state.phase) {
    case 'trying':
    case 'proceeding':
      return whileOpen(state, input, now);
    case 'completed':
      // §17.1.2.2: the state absorbs retransmitted responses; the TU does not get them.
      return input.type === 'timer-fired' && input.key === 'K'
        ? { state: terminated, effects: [{ do: 'terminate' }] }
        : stay(state);
    case 'terminated':
      return stay(state);
  }
}

function whileOpen(
  state: NonInviteClientState & { phase: 'trying' | 'proceeding' },
  input: ClientInput,
  now: number,
): NonInviteClientStep {
  const { reliable, timers } = state.setting;
  switch (input.type) {
    case 'response': {
      const { response } = input;
      if (response.status < 200) {
        const next = state.phase === 'proceeding' ? state : { ...state, phase: 'proceeding' as const };
        return { state: next, effects: [{ do: 'deliver', response }] };
      }
      if (reliable) {
        // §17.1.2.2: timer K is zero seconds for reliable transports.
        return { state: terminated, effects: [{ do: 'deliver', response }, { do: 'terminate' }] };
      }
      return {
        state: completed,
        effects: [
          { do: 'cancel-timer', key: 'E' },
          { do: 'cancel-timer', key: 'F' },
          { do: 'start-timer', key: 'K', at: now + timers.t4 },
          { do: 'deliver', response },
        ],
      };
    }
    case 'timer-fired': {
      if (input.key === 'F') return fail('timeout');
      if (input.key !== 'E') return stay(state);
      // §17.1.2.2: MIN(2*E, T2) while trying; T2 after a provisional response.
      const interval = state.phase === 'proceeding' ? timers.t2 : Math.min(state.interval * 2, timers.t2);
      return {
        state: { ...state, interval },
        effects: [
          { do: 'send', text: state.text },
          { do: 'start-timer', key: 'E', at: now + interval },
        ],
      };
    }
    case 'transport-failed':
      return fail('transport-failed');
    case 'abandon':
      return { state: terminated, effects: [{ do: 'terminate' }] };
  }
}

function fail(failure: 'timeout' | 'transport-failed'): NonInviteClientStep {
  return { state: terminated, effects: [{ do: 'report', failure }, { do: 'terminate' }] };
}
