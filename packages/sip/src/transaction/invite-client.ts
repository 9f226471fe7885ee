import type { SipRequest, SipResponse } from '../message/message.ts';
import { ackFor } from './ack.ts';
import { type ClientEffect, type ClientInput, type Step, stay } from './effects.ts';
import { TIMER_D_MS, type TransactionSetting } from './timers.ts';

/**
 * INVITE client transaction (RFC 3261 §17.1.1, RFC 6026 §7.2).
 *
 *   calling ──1xx──▶ proceeding ──3xx-6xx──▶ completed ──D──▶ terminated
 *      │ ╲─────────────3xx-6xx──────────────────▲
 *      │  ╲──2xx──▶ accepted ◀──2xx── proceeding;  accepted ──M──▶ terminated
 *      ╰──B, transport error──▶ terminated
 */
export type InviteClientState =
  | {
      readonly phase: 'calling';
      readonly request: SipRequest;
      readonly text: string;
      readonly interval: number;
      readonly setting: TransactionSetting;
    }
  | { readonly phase: 'proceeding'; readonly request: SipRequest; readonly setting: TransactionSetting }
  | { readonly phase: 'completed'; readonly ack: string }
  | { readonly phase: 'accepted' }
  | { readonly phase: 'terminated' };

type InviteClientStep = Step<InviteClientState, ClientEffect>;
const terminated: InviteClientState = { phase: 'terminated' };
const accepted: InviteClientState = { phase: 'accepted' };

/** Sends the INVITE and enters "calling"; `text` is the printed `request`. */
export function startInviteClient(
  request: SipRequest,
  text: string,
  setting: TransactionSetting,
  now: number,
): InviteClientStep {
  const { t1 } = setting.timers;
  const effects: ClientEffect[] = [
    { do: 'send', text },
    { do: 'start-timer', key: 'B', at: now + 64 * t1 },
  ];
  // §17.1.1.2: over a reliable transport the client transaction SHOULD NOT start timer A.
  if (!setting.reliable) effects.push({ do: 'start-timer', key: 'A', at: now + t1 });
  return { state: { phase: 'calling', request, text, interval: t1, setting }, effects };
}

/** One step of the INVITE client transaction. */
export function stepInviteClient(
  state: InviteClientState,
  input: ClientInput,
  now: number,
): InviteClientStep {
  switch (state.phase) {
    case 'calling':
      return whileCalling(state, input, now);
    case 'proceeding':
      if (input.type === 'response') return onResponse(state, input.response, now);
      // Only a lost flow can fail here: nothing is sent in this state.
      if (input.type === 'transport-failed') return fail('transport-failed');
      return input.type === 'abandon' ? { state: terminated, effects: [{ do: 'terminate' }] } : stay(state);
    case 'completed':
      // §17.1.1.2: a retransmission of the final response only sends the ACK again.
      if (input.type === 'response' && input.response.status >= 300) {
        return { state, effects: [{ do: 'send', text: state.ack }] };
      }
      if (input.type === 'timer-fired' && input.key === 'D') {
        return { state: terminated, effects: [{ do: 'terminate' }] };
      }
      return input.type === 'transport-failed' ? fail('transport-failed') : stay(state);
    case 'accepted':
      // RFC 6026 §7.2: every 2xx goes to the TU, because the dialog of each fork needs its own ACK.
      if (input.type === 'response' && isSuccess(input.response)) {
        return { state, effects: [{ do: 'deliver', response: input.response }] };
      }
      return input.type === 'timer-fired' && input.key === 'M'
        ? { state: terminated, effects: [{ do: 'terminate' }] }
        : stay(state);
    case 'terminated':
      return stay(state);
  }
}

function whileCalling(
  state: InviteClientState & { phase: 'calling' },
  input: ClientInput,
  now: number,
): InviteClientStep {
  switch (input.type) {
    case 'response':
      return onResponse(state, input.response, now);
    case 'timer-fired': {
      if (input.key === 'B') return fail('timeout');
      if (input.key !== 'A') return stay(state);
      // §17.1.1.2: timer A doubles with every retransmission, without a limit.
      const interval = state.interval * 2;
      return {
        state: { ...state, interval },
        effects: [
          { do: 'send', text: state.text },
          { do: 'start-timer', key: 'A', at: now + interval },
        ],
      };
    }
    case 'transport-failed':
      return fail('transport-failed');
    case 'abandon':
      return { state: terminated, effects: [{ do: 'terminate' }] };
  }
}

function onResponse(
  state: InviteClientState & { phase: 'calling' | 'proceeding' },
  response: SipResponse,
  now: number,
): InviteClientStep {
  const effects: ClientEffect[] = [];
  if (state.phase === 'calling') {
    effects.push({ do: 'cancel-timer', key: 'B' });
    if (!state.setting.reliable) effects.push({ do: 'cancel-timer', key: 'A' });
  }
  const { request, setting } = state;
  if (response.status < 200) {
    effects.push({ do: 'deliver', response });
    return {
      state: state.phase === 'proceeding' ? state : { phase: 'proceeding', request, setting },
      effects,
    };
  }
  if (isSuccess(response)) {
    // RFC 6026 §7.2: timer M is 64*T1 on every transport, because the UAS retransmits the 2xx on every transport.
    effects.push(
      { do: 'start-timer', key: 'M', at: now + 64 * setting.timers.t1 },
      { do: 'deliver', response },
    );
    return { state: accepted, effects };
  }
  const ack = ackFor(request, response);
  effects.push({ do: 'send', text: ack });
  if (setting.reliable) {
    // §17.1.1.2: timer D is zero seconds for reliable transports.
    effects.push({ do: 'deliver', response }, { do: 'terminate' });
    return { state: terminated, effects };
  }
  effects.push({ do: 'start-timer', key: 'D', at: now + TIMER_D_MS }, { do: 'deliver', response });
  return { state: { phase: 'completed', ack }, effects };
}

function fail(failure: 'timeout' | 'transport-failed'): InviteClientStep {
  return { state: terminated, effects: [{ do: 'report', failure }, { do: 'terminate' }] };
}

function isSuccess(response: SipResponse): boolean {
  return response.status >= 200 && response.status < 300;
}
