import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MultipartyCall, newMultipartyCall } from './domain/multiparty-call.ts';
import type { Participant } from './domain/participant.ts';
import { notRecorded } from './domain/room-recording.ts';
import { outboxEventOf } from './events.ts';

const participant = { memberId: 7, role: 'agent', leg: 'leg', coachMode: false } as Participant;

function callTelling(events: string | undefined): MultipartyCall {
  return newMultipartyCall(
    { uuid: 'u', account: 'SA0', mainAccount: 'MA0', name: 'n', createdAt: 0 },
    {
      maxParticipants: 10,
      maxDurationSeconds: 300,
      stayAlone: false,
      waitsForAgent: false,
      waitSeconds: null,
      recordMinMemberCount: 1,
      statusCallback: events === undefined ? null : { url: 'http://a/#rc=2', method: 'GET', events },
      recordingCallback: null,
      recording: notRecorded,
    },
  );
}

const told = (events: string) =>
  (
    ['started', 'ended', 'participant-joined', 'participant-muted', 'add-participant-completed'] as const
  ).filter((type) => {
    const event = type === 'started' || type === 'ended' ? { type } : { type, participant };
    return outboxEventOf(callTelling(events), event, 0).callback !== undefined;
  });

test('an event of a call with a status callback carries its receiver as it was set', () => {
  const { callback } = outboxEventOf(callTelling('mpc-state-changes'), { type: 'ended' }, 0);
  assert.deepEqual(callback, { url: 'http://a/#rc=2', method: 'GET' });
});

test('only events of the groups that were asked for have a receiver (conventions.md §10.1)', () => {
  assert.deepEqual(told('mpc-state-changes'), ['started', 'ended']);
  assert.deepEqual(told('participant-state-changes'), ['participant-joined', 'participant-muted']);
  assert.deepEqual(told('participant-speak-events,add-participant-api-events'), [
    'add-participant-completed',
  ]);
});

test('a call without a status callback tells nobody, and its events are kept all the same', () => {
  const event = outboxEventOf(callTelling(undefined), { type: 'ended' }, 0);
  assert.ok(!('callback' in event));
  assert.equal(event.payload.EventName, 'MPCEnd');
});
