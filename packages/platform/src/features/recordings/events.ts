import type { OutboxEvent } from '../../kernel/machine.ts';
import { isOver, type Recording, type RecordingEvent } from './domain/recording.ts';
import type { RecordingNotice } from './door.ts';

/** What the outbox keeps of a change; `recording` is the state after it. The end goes to the owner's callback, if there is one. */
export function outboxEventOf(recording: Recording, event: RecordingEvent, url: string): OutboxEvent {
  const { callback } = recording;
  const isEnd = event === 'completed' || event === 'failed';
  return {
    type: `recording.${event}`,
    account: recording.account,
    mainAccount: recording.mainAccount,
    // Beside the owner's other events, so that a receiver gets them in their order.
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

/** Names of conventions.md §12.3; a failure says why. */
function fieldsOfEnd(recording: Recording) {
  const { durationMs, sentence } = recording;
  return {
    RecordingDuration: Math.round(durationMs / 1000),
    RecordingDurationMs: durationMs,
    RecordingStartMs: recording.startedAt ?? recording.createdAt,
    RecordingEndMs: recording.endedAt ?? recording.createdAt,
    ...(sentence === null ? {} : { RecordingError: sentence }),
  };
}

/** What the owner hears. */
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
  };
}
