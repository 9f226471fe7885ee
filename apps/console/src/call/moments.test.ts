import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallbackItem, LiveEvent } from '@jackfield/contract';
import { momentsOf } from './moments.ts';

test('moments of all kinds are on one axis, oldest first; a callback has the time of its event', () => {
  const event = {
    id: '1-1',
    event_id: 'e',
    type: 'call.ended',
    created_at: '2026-02-01T10:00:00.900Z',
    data: {},
  } as unknown as LiveEvent;
  const callback = {
    callback_id: 'c',
    event_id: 'e',
    event: 'call.ended',
    url: 'http://example.com/',
    status: 'failed',
    response_status: 500,
    problem: 'no',
    created_time: '2026-02-01 10:00:00+00:00',
  } as unknown as CallbackItem;
  const message = (at: string, start_line: string) => ({
    at,
    direction: 'received' as const,
    transport: 'udp',
    remote_address: '192.0.2.1:5060',
    call_id: 'x',
    start_line,
    message: `${start_line}\r\n`,
    is_cut: false,
  });
  const moments = momentsOf({
    signalling: {
      objects: [
        message('2026-02-01T10:00:00.500Z', 'SIP/2.0 486 Busy Here'),
        message('2026-02-01T10:00:00.100Z', 'INVITE sip:a@b SIP/2.0'),
      ],
    },
    documents: { objects: [] },
    callbacks: [callback],
    events: [event],
  });
  assert.deepEqual(
    moments.map(({ lane, isBad }) => [lane, isBad]),
    [
      ['sip', false],
      ['sip', true],
      ['callback', true],
      ['event', false],
    ],
  );
});
