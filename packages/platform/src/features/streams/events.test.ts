import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codesOf, streamReasonCodes } from '@jackfield/contract';
import { ScriptedStream } from './domain/testing/scripted-stream.ts';
import { outboxEventOf } from './events.ts';

test('every end of a stream has its reason and the code of the reason, and every code is of an end', () => {
  const ends = [
    ScriptedStream.streaming().feed({ type: 'stop-asked', reason: 'API request' }),
    ScriptedStream.streaming().feed({ type: 'stop-asked', reason: 'Call hangup' }),
    ScriptedStream.streaming().fire('timeout'),
    ScriptedStream.streaming().lost(),
    ScriptedStream.streaming().lost(1000),
  ].map(({ stream }) => outboxEventOf(stream, { type: stream.end!.outcome }, 0).payload);
  assert.deepEqual(
    ends.map(({ StatusReasonCode }) => StatusReasonCode),
    codesOf(streamReasonCodes),
  );
  assert.deepEqual(
    ends.map(({ StatusReason, ErrorCode }) => [StatusReason, ErrorCode]),
    [
      ['API request', undefined],
      ['Call hangup', undefined],
      ['Stream timeout', undefined],
      ['Connection error', 'connection-lost'],
      ['Closed by the application', undefined],
    ],
  );
});
