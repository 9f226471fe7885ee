import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type MultipartyCall,
  type MultipartyCallEvent,
  newMultipartyCall,
} from './domain/multiparty-call.ts';
import type { Participant } from './domain/participant.ts';
import { addedParticipant, exited, joined } from './domain/participant.ts';
import { requested, settings } from './domain/testing/room.ts';
import { outboxEventsOf } from './events.ts';

const role = 'supervisor';
const participant: Participant = joined(addedParticipant(requested(7, { role, mute: true }), 0), 1000);

function callReporting(events: string | undefined): MultipartyCall {
  const statusCallback =
    events === undefined ? null : ({ url: 'http://a/#rc=2', method: 'GET', events } as const);
  const call = newMultipartyCall(
    { uuid: 'u', account: 'SA0', mainAccount: 'MA0', name: 'n', createdAt: 0 },
    { ...settings, statusCallback },
  );
  return { ...call, startedAt: 1000, endedAt: 62_400, billed: { seconds: 130, units: 1750 } };
}

const base = { EventTimestamp: '1970-01-01 00:01:05+00:00', MPCUUID: 'u', MPCName: 'n' };
const ofParticipant = {
  MemberID: '7',
  ParticipantRole: role,
  ParticipantCallUUID: 'leg-7',
  ParticipantCoachMode: true,
};
const ofAdding = { ...ofParticipant, RequestUUID: 'request-7' };
const about = (type: string) => ({ type, participant }) as MultipartyCallEvent;

/** Events of docs/interface/multiparty-calls.md#status-callbacks: name, group, and the fields besides those of every event. */
const table: readonly (readonly [MultipartyCallEvent, string, string, object])[] = [
  [{ type: 'initialized' }, 'MPCInitialized', 'mpc-state-changes', {}],
  [{ type: 'started' }, 'MPCStart', 'mpc-state-changes', {}],
  [
    { type: 'ended' },
    'MPCEnd',
    'mpc-state-changes',
    { MPCDuration: 61, MPCBilledDuration: 130, MPCBilledAmount: '0.01750' },
  ],
  [about('participant-joined'), 'ParticipantJoin', 'participant-state-changes', ofParticipant],
  [about('participant-exited'), 'ParticipantExit', 'participant-state-changes', ofParticipant],
  [about('participant-muted'), 'ParticipantMute', 'participant-state-changes', ofParticipant],
  [about('participant-unmuted'), 'ParticipantUnmute', 'participant-state-changes', ofParticipant],
  [about('participant-held'), 'ParticipantHold', 'participant-state-changes', ofParticipant],
  [about('participant-unheld'), 'ParticipantUnhold', 'participant-state-changes', ofParticipant],
  [about('coaching-started'), 'ParticipantCoachModeStart', 'participant-state-changes', ofParticipant],
  [about('coaching-stopped'), 'ParticipantCoachModeStop', 'participant-state-changes', ofParticipant],
  [about('participant-speaking'), 'ParticipantSpeakStart', 'participant-speak-events', ofParticipant],
  [about('participant-silent'), 'ParticipantSpeakStop', 'participant-speak-events', ofParticipant],
  [
    { type: 'participant-digit', participant, digit: '#' },
    'ParticipantDigitInput',
    'participant-digit-input-events',
    { ...ofParticipant, Digit: '#', Digits: '#' },
  ],
  [
    about('add-participant-initiated'),
    'AddParticipantByAPIActionInitiated',
    'add-participant-api-events',
    ofAdding,
  ],
  [
    about('add-participant-completed'),
    'AddParticipantByAPIActionCompleted',
    'add-participant-api-events',
    ofAdding,
  ],
];
const groups = [...new Set(table.map(([, , group]) => group)), 'participant-audio-events'];

describe('events of status callbacks', () => {
  for (const [event, name, group, fields] of table) {
    test(`${name}: its fields, and only status callbacks that request ${group} receive it`, () => {
      for (const asked of groups) {
        const [reported] = outboxEventsOf(callReporting(asked), event, 65_000);
        assert.deepEqual(reported.payload, { EventName: name, ...base, ...fields });
        const receiver = { url: 'http://a/#rc=2', method: 'GET' };
        assert.deepEqual(reported.callback, asked === group ? receiver : undefined, asked);
        assert.deepEqual(
          [reported.account, reported.mainAccount, reported.resource],
          ['SA0', 'MA0', 'multiparty-call/u'],
        );
      }
      const [all] = outboxEventsOf(callReporting(groups.join(',')), event, 65_000);
      assert.notEqual(all.callback, undefined);
    });
  }

  test('events of a call without a status callback are kept without a callback', () => {
    for (const [event, name] of table) {
      const [kept] = outboxEventsOf(callReporting(undefined), event, 0);
      assert.ok(!('callback' in kept));
      assert.equal(kept.payload.EventName, name);
    }
  });
});

test('an exit action is reported with its own fields, whatever status callbacks were requested', () => {
  const request = { url: 'https://example.com/exit', method: 'POST' } as const;
  const gone = exited(participant, 'Participant Call Hangup', 9000);
  const [reported] = outboxEventsOf(
    callReporting(undefined),
    { type: 'exit-action', participant: gone, request },
    9000,
  );
  assert.deepEqual(reported.callback, request);
  assert.deepEqual(reported.payload, {
    CallUUID: 'leg-7',
    RequestUUID: 'request-7',
    From: '+12025550199',
    To: '+12025550100',
    CallerName: 'Desk',
    Direction: 'outbound',
    CallStatus: 'completed',
    ParentAuthID: 'MA0',
    Event: 'Redirect',
    MPCUUID: 'u',
    MPCFriendlyName: 'n',
    MemberID: '7',
    ParticipantCallUUID: 'leg-7',
    ParticipantRole: role,
    ParticipantJoinTime: '1970-01-01 00:00:01+00:00',
    ParticipantEndTime: '1970-01-01 00:00:09+00:00',
    ParticipantExitCause: 'Participant Call Hangup',
  });
});
