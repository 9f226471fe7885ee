import type { Instant } from '@jackfield/ports';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import { timestampWithOffset } from '../../kernel/timestamps.ts';
import {
  isOver,
  type Recording,
  type RecordingAnnouncement,
  type RecordingEvent,
  type RecordingFault,
} from './domain/recording.ts';
import { positionMs } from './domain/recording-channels.ts';
import type { RecordingNotice } from './public-api.ts';

/** The event of a change; `recording` is the state after it. The end goes to the owner's callback, if there is one. */
export function outboxEventOf(
  recording: Recording,
  event: RecordingEvent,
  url: string,
  now: Instant,
): OutboxEvent {
  const { callback, announcement } = recording;
  if (announcement !== null) return announcedEvent(recording, announcement, event, url, now);
  const isEnd = event === 'completed' || event === 'failed';
  return {
    type: `recording.${event}`,
    account: recording.account,
    mainAccount: recording.mainAccount,
    // The resource of the owner's other events: a receiver gets them in order.
    resource: callback?.resource ?? `recording/${recording.uuid}`,
    payload: {
      ...(isEnd && callback !== null ? callback.fields : { CallUUID: recording.callUuid }),
      RecordUrl: url,
      RecordingID: recording.uuid,
      ...(isEnd ? fieldsOfEnd(recording) : {}),
    },
    ...(isEnd && callback !== null ? { callback: { url: callback.url, method: callback.method } } : {}),
  };
}

const announcedNames: Readonly<Record<RecordingEvent, string>> = {
  started: 'Initiated',
  paused: 'Paused',
  resumed: 'Resumed',
  completed: 'Completed',
  failed: 'Failed',
};

/** Fields of docs/interface/multiparty-calls.md#recording-callbacks; unknown ones are empty. */
function announcedEvent(
  recording: Recording,
  { of, callback, fields, resource }: RecordingAnnouncement,
  event: RecordingEvent,
  url: string,
  now: Instant,
): OutboxEvent {
  const { startedAt, endedAt, fault, closedAt, durationMs } = recording;
  const lengthMs = closedAt === null ? positionMs(recording, now) : durationMs;
  return {
    type: `recording.${event}`,
    account: recording.account,
    mainAccount: recording.mainAccount,
    resource,
    payload: {
      EventName: `${of}${announcedNames[event]}`,
      EventTimestamp: timestampWithOffset(now),
      ...fields,
      RecordingUUID: recording.uuid,
      RecordingURL: url,
      // docs/interface/multiparty-calls.md#recording-callbacks; the URL of the file without its ending names the record.
      RecordingResourceURL: `${url.replace(/\.[a-z0-9]+$/, '')}/`,
      RecordingFormat: recording.format,
      RecordingDuration: Math.round(lengthMs / 1000),
      RecordingStartTime: timeOrEmpty(startedAt),
      RecordingEndTime: timeOrEmpty(closedAt === null ? null : endedAt),
      SequenceNumber: recording.sequence,
      ...(fault === null ? {} : errorFields(fault)),
    },
    ...(callback === null ? {} : { callback }),
  };
}

function timeOrEmpty(at: Instant | null): string {
  return at === null ? '' : timestampWithOffset(at);
}

function errorFields({ code, sentence }: RecordingFault) {
  return { RecordingError: sentence, RecordingErrorCode: code };
}

/** Names of docs/interface/documents.md#record; RecordingError has the reason of a failure. */
function fieldsOfEnd(recording: Recording) {
  const { durationMs, fault } = recording;
  return {
    RecordingDuration: Math.round(durationMs / 1000),
    RecordingDurationMs: durationMs,
    RecordingStartMs: recording.startedAt ?? recording.createdAt,
    RecordingEndMs: recording.endedAt ?? recording.createdAt,
    ...(fault === null ? {} : errorFields(fault)),
  };
}

export function noticeOf(recording: Recording, event: RecordingEvent, url: string): RecordingNotice {
  const { uuid } = recording;
  if (!isOver(recording)) {
    const types = {
      started: 'recording-begun',
      paused: 'recording-paused',
      resumed: 'recording-resumed',
    } as const;
    return { type: types[event as 'started' | 'paused' | 'resumed'], recording: uuid };
  }
  return {
    type: 'recording-over',
    recording: uuid,
    url,
    outcome: recording.status === 'completed' ? 'completed' : 'failed',
    because: recording.because ?? 'stopped',
    durationMs: recording.durationMs,
    startedAt: recording.startedAt ?? recording.createdAt,
    endedAt: recording.endedAt ?? recording.createdAt,
    fault: recording.fault,
  };
}
