import { type ServerInput, type Step, stay, type TransactionEffect } from './effects.ts';
import type { TransactionSetting } from './timers.ts';

/**
 * Non-INVITE server transaction (RFC 3261 §17.2.2).
 *
 *   trying ──1xx──▶ proceeding ──200-699──▶ completed ──J──▶ terminated
 *     ╰──200-699────────────────────────────────▲
 *
 * The state "completed" lasts 32 s over UDP and holds only the printed response: `AnsweredServers` keeps it as bytes.
 */
export type NonInviteServerState =
  | { readonly phase: 'trying'; readonly setting: TransactionSetting }
  | { readonly phase: 'proceeding'; readonly last: string; readonly setting: TransactionSetting }
  | { readonly phase: 'completed'; readonly last: string }
  | { readonly phase: 'terminated' };

type NonInviteServerStep = Step<NonInviteServerState, TransactionEffect>;
const terminated: NonInviteServerState = { phase: 'terminated' };

/** Enters "trying"; the driver delivers the request to the transaction user. */
export function startNonInviteServer(setting: TransactionSetting): NonInviteServerState {
  return { phase: 'trying', setting };
}

/** One step of the non-INVITE server transaction. */
export function stepNonInviteServer(
  state: NonInviteServerState,
  input: ServerInput,
  now: number,
): NonInviteServerStep {
  switch (state.phase) {
    case 'trying':
    case 'proceeding':
      switch (input.type) {
        case 'respond':
          return respond(state.setting, input.status, input.text, now);
        case 'request':
          // §17.2.2: in "trying" further retransmissions are discarded; in "proceeding" the last 1xx is sent again.
          return state.phase === 'trying'
            ? stay(state)
            : { state, effects: [{ do: 'send', text: state.last }] };
        case 'transport-failed':
          return fail('transport-failed');
        case 'timer-fired':
          // RFC 4320 §4.2: after the client's timer F an answer is too late and MUST NOT be sent.
          return input.key === 'unanswered' ? fail('timeout') : stay(state);
      }
      break;
    case 'completed':
      if (input.type === 'request') return { state, effects: [{ do: 'send', text: state.last }] };
      if (input.type === 'transport-failed') return fail('transport-failed');
      // §17.2.2: any other final response passed by the TU MUST be discarded while in "completed".
      return input.type === 'timer-fired' && input.key === 'J'
        ? { state: terminated, effects: [{ do: 'terminate' }] }
        : stay(state);
    case 'terminated':
      return stay(state);
  }
}

function respond(
  setting: TransactionSetting,
  status: number,
  text: string,
  now: number,
): NonInviteServerStep {
  if (status < 200)
    return { state: { phase: 'proceeding', last: text, setting }, effects: [{ do: 'send', text }] };
  // §17.2.2: timer J is 64*T1 for unreliable transports and zero seconds for reliable ones.
  if (setting.reliable) return { state: terminated, effects: [{ do: 'send', text }, { do: 'terminate' }] };
  return {
    state: { phase: 'completed', last: text },
    effects: [
      { do: 'cancel-timer', key: 'unanswered' },
      { do: 'send', text },
      { do: 'start-timer', key: 'J', at: now + 64 * setting.timers.t1 },
    ],
  };
}

function fail(failure: 'timeout' | 'transport-failed'): NonInviteServerStep {
  return { state: terminated, effects: [{ do: 'report', failure }, { do: 'terminate' }] };
}
