import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import { withoutSecrets } from '../../kernel/shown-url.ts';
import type { DocumentRun, RunEvent } from './domain/document-run.ts';

/** The event for the outbox; events of one call keep their order. */
export function outboxEventOf({ call, parameters }: DocumentRun, event: RunEvent): OutboxEvent {
  const about = {
    account: call.account,
    mainAccount: call.mainAccount,
    resource: `call/${call.leg}`,
  };
  switch (event.type) {
    case 'document-failed':
    case 'document-warning':
      return {
        ...about,
        type: `call.${event.type}`,
        payload: { CallUUID: call.leg, Url: withoutSecrets(event.url), Sentence: event.sentence },
      };
    case 'action':
    case 'dial':
      return {
        ...about,
        type: `call.${event.type}`,
        payload: {
          ...parameters,
          ...(event.type === 'action' ? { Event: 'Redirect' } : { Event: 'DialAction' }),
          ...event.fields,
        },
        callback: { url: event.request.url, method: event.request.method },
      };
  }
}
