import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { Usage } from '../usage/index.ts';
import type { CallLeg, CallLegEvent } from './domain/call-leg.ts';
import { parametersOfCall, parametersOfEnd } from './legs/parameters.ts';

/** `Event` of docs/interface/multiparty-calls.md#call-status-callbacks, and its receiver in `LegCallbacks`. */
const kinds = {
  ringing: { event: 'Ring', callback: 'ring' },
  answered: { event: 'StartApp', callback: 'answer' },
  ended: { event: 'Hangup', callback: 'hangup' },
} as const;

/** The event of a change for the outbox; `leg` is the state after it. The events of one leg keep their order. */
export function outboxEventOf(leg: CallLeg, happened: CallLegEvent, usage: Usage): OutboxEvent {
  const { event, callback } = kinds[happened];
  const target = leg.callbacks?.[callback];
  const parameters = happened === 'ended' ? parametersOfEnd(leg, usage) : parametersOfCall(leg, leg.spec);
  const appended: OutboxEvent = {
    type: `call.${happened}`,
    account: leg.account,
    mainAccount: leg.mainAccount,
    resource: `call/${leg.leg}`,
    payload: { ...parameters, ...leg.callbacks?.fields, Event: event },
  };
  if (target === undefined) return appended;
  return { ...appended, callback: { url: target.url, method: target.method } };
}
