import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import { withoutSecrets } from '../../kernel/shown-url.ts';
import type { DocumentRun, RunEvent } from './domain/document-run.ts';

/** The event for the outbox; events of one call keep their order. */
export function outboxEventOf({ call, parameters }: DocumentRun, event: RunEvent): OutboxEvent {
  const about = aboutCall(call);
  switch (event.type) {
    case 'document-failed':
    case 'document-warning':
      return {
        ...about,
        type: `call.${event.type}`,
        payload: { CallUUID: call.leg, Url: withoutSecrets(event.url), Sentence: event.sentence },
      };
    case 'action':
      return {
        ...about,
        type: 'call.action',
        payload: { ...parameters, Event: 'Redirect', ...event.fields },
        callback: { url: event.request.url, method: event.request.method },
      };
    case 'dial':
      return eventOfDial(call, parameters, event);
  }
}

type AboutCall = Pick<DocumentRun['call'], 'account' | 'mainAccount' | 'leg'>;

/** The callback of a Dial on this call. */
export function eventOfDial(
  call: AboutCall,
  parameters: DocumentRun['parameters'],
  { request, fields }: Pick<Extract<RunEvent, { fields: unknown }>, 'request' | 'fields'>,
): OutboxEvent {
  return {
    ...aboutCall(call),
    type: 'call.dial',
    payload: { ...parameters, Event: 'DialAction', ...fields },
    callback: { url: request.url, method: request.method },
  };
}

function aboutCall({ account, mainAccount, leg }: AboutCall) {
  return { account, mainAccount, resource: `call/${leg}` };
}
