import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallbackItem, LiveEvent, StreamItem } from '@jackfield/contract';
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
    streams: [],
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

test('streams are on the axis by their events; a stream without events by the times of its record', () => {
  const stream = (id: string) =>
    ({
      stream_id: id,
      service_url: `wss://example.com/${id}`,
      start_time: '2026-02-01 10:00:04+00:00',
      end_time: '2026-02-01 10:00:05+00:00',
    }) as unknown as StreamItem;
  const event = (type: string, second: number) =>
    ({
      ...{ id: type, event_id: type, type, resource: 'stream/kept', data: {} },
      created_at: `2026-02-01T10:00:0${second}.000Z`,
    }) as unknown as LiveEvent;
  const moments = momentsOf({
    signalling: { objects: [] },
    documents: { objects: [] },
    callbacks: [],
    events: [event('stream.started', 1), event('stream.played', 2), event('stream.failed', 3)],
    streams: [stream('kept'), stream('old')],
  });
  assert.deepEqual(
    moments.map(({ lane, title, isBad }) => [lane, title, isBad]),
    [
      ['stream', 'stream.started', false],
      ['stream', 'stream.played', false],
      ['stream', 'stream.failed', true],
      ['stream', 'Audio stream to wss://example.com/old began', false],
      ['stream', 'Audio stream to wss://example.com/old ended', false],
    ],
  );
});
