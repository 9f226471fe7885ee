import type { LiveEvent } from '@jackfield/contract';
import type { LoggedEvent } from '../../kernel/event-log.ts';

export function liveEventOf(event: LoggedEvent): LiveEvent {
  return {
    id: event.cursor,
    event_id: event.eventId,
    type: event.type,
    account: event.account,
    resource: event.resource,
    created_at: new Date(event.createdAt).toISOString(),
    data: event.data as Record<string, unknown>,
  };
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html: JSON has no line breaks, so one `data` line holds it. */
export function sentEventOf(event: LoggedEvent): string {
  return `id: ${event.cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(liveEventOf(event))}\n\n`;
}

export function sentComment(text: string): string {
  return `: ${text}\n\n`;
}

/** What a reader of the stream requests. */
export interface EventFilter {
  readonly type: string | undefined;
  /** Every resource when undefined. */
  readonly resources: readonly string[] | undefined;
}

/** `type` is a type, or a family: the part before the dot. */
export function isOfType(event: LoggedEvent, type: string | undefined): boolean {
  return type === undefined || event.type === type || event.type.startsWith(`${type}.`);
}
