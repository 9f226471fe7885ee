import type { LiveEvent } from '@jackfield/contract';
import type { FeedEvent } from '../../kernel/event-feed.ts';

export function liveEventOf(event: FeedEvent): LiveEvent {
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
export function sentEventOf(event: FeedEvent): string {
  return `id: ${event.cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(liveEventOf(event))}\n\n`;
}

export function sentComment(text: string): string {
  return `: ${text}\n\n`;
}

/** `wanted` is a type, or a family: what stands before the dot. */
export function isOfType(event: FeedEvent, wanted: string | undefined): boolean {
  return wanted === undefined || event.type === wanted || event.type.startsWith(`${wanted}.`);
}
