import type { FrameRefusalCode, StreamReasonCode } from '@jackfield/contract';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import { timestamp } from '../../kernel/timestamps.ts';
import type { MiddleEvent } from './domain/new-stream.ts';
import {
  type EndReason,
  type Stream,
  type StreamEvent,
  type StreamFault,
  secondsOf,
} from './domain/stream.ts';

/** docs/interface/streams.md#status-callbacks; the last three are ours, and `frame-refused` is in the event stream only. */
const names: Readonly<Record<StreamEvent['type'], string | null>> = {
  started: 'StartStream',
  stopped: 'StopStream',
  timeout: 'StopStream',
  failed: 'DroppedStream',
  degraded: 'DegradedStream',
  played: 'PlayedStream',
  cleared: 'ClearedAudio',
  interrupted: 'InterruptedStream',
  resumed: 'ResumedStream',
  'frame-refused': null,
};

const middle: ReadonlySet<string> = new Set<MiddleEvent>([
  'DegradedStream',
  'PlayedStream',
  'ClearedAudio',
  'InterruptedStream',
  'ResumedStream',
]);

/** The event for the outbox; `stream` is the state after the change. A stream's callbacks keep their order. */
export function outboxEventOf(stream: Stream, event: StreamEvent, now: number): OutboxEvent {
  const { order } = stream;
  const name = names[event.type];
  const { statusCallback } = order;
  const isSent =
    name !== null &&
    statusCallback !== null &&
    (!middle.has(name) || (statusCallback.middle?.includes(name as MiddleEvent) ?? true));
  return {
    type: `stream.${event.type}`,
    account: order.account,
    mainAccount: order.mainAccount,
    resource: `stream/${order.stream}`,
    payload: {
      ...order.fields,
      ...(name === null ? {} : { Event: name }),
      StreamID: order.stream,
      CallUUID: order.callUuid,
      From: order.from,
      To: order.to,
      ParentAuthID: order.mainAccount,
      Timestamp: timestamp(now),
      ServiceURL: order.serviceUrl,
      ...fieldsOf(stream, event, now),
    },
    ...(isSent ? { callback: { url: statusCallback.url, method: statusCallback.method } } : {}),
  };
}

function fieldsOf(stream: Stream, event: StreamEvent, now: number): Readonly<Record<string, unknown>> {
  switch (event.type) {
    case 'started':
      return settingsShown(stream);
    case 'stopped':
    case 'timeout':
    case 'failed': {
      const { end, chatter } = stream;
      return {
        StatusReason: end?.reason,
        StatusReasonCode: end === null ? undefined : reasonCodes[end.reason],
        Duration: secondsOf(stream, now),
        ...(end?.fault == null ? {} : faultFields(end.fault)),
        ...(chatter.omitted === 0 ? {} : { UntoldEvents: chatter.omitted }),
      };
    }
    case 'played':
      return { Name: event.name };
    case 'degraded':
      return {
        StreamDirection: event.direction,
        DroppedMs: event.droppedMs,
        PercentFull: event.percentFull,
      };
    case 'interrupted':
      return faultFields(event.fault);
    case 'frame-refused':
      return { Error: event.sentence, ErrorCode: event.code satisfies FrameRefusalCode };
    case 'resumed':
      return { AfterMs: event.afterMs };
    case 'cleared':
      return {};
  }
}

export const reasonCodes: Readonly<Record<EndReason, StreamReasonCode>> = {
  'API request': 'api-request',
  'Call hangup': 'call-hangup',
  'Stream timeout': 'stream-timeout',
  'Connection error': 'connection-error',
  'Closed by the application': 'closed-by-application',
};

function faultFields({ code, sentence }: StreamFault) {
  return { Error: sentence, ErrorCode: code };
}

/** As in the dumps of users of the hosted service: the settings under the names of the element's attributes. */
function settingsShown({ order }: Stream): Readonly<Record<string, unknown>> {
  return {
    status_callback_url: order.statusCallback?.url,
    status_callback_method: order.statusCallback?.method,
    bidirectional: order.bidirectional,
    audioTrack: order.audioTrack,
    streamTimeout: order.timeoutSeconds,
    contentType: order.contentType,
    extraHeaders: order.extraHeaders,
    keepCallAlive: order.keepCallAlive ?? false,
  };
}
