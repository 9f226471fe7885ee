import type { TProperties } from 'typebox';
import { recordingFault } from './recording-fields.ts';
import {
  field,
  flagField,
  form,
  numberField,
  oneOfField,
  timeField,
  uuidField,
  type Webhook,
} from './webhook.ts';

const about = {
  EventTimestamp: timeField('When it happened.'),
  MPCUUID: uuidField('The multiparty call.'),
  MPCName: field('Its name.'),
} satisfies TProperties;

const participant = {
  MemberID: field('member_id of the participant.', '209'),
  ParticipantRole: oneOfField(['agent', 'customer', 'supervisor', 'ai-agent'], 'Its role.'),
  ParticipantCallUUID: uuidField('Its call.'),
  ParticipantCoachMode: flagField('Whether it coaches: true for a supervisor who is heard by agents alone.'),
} satisfies TProperties;

const name = (...names: readonly string[]) => oneOfField(names, 'What happened.');
const urls = ['status_callback_url of a participant', 'statusCallbackUrl of MultiPartyCall'];
const group = (of: string) => `Sent where status_callback_events has ${of}.`;

const recording = {
  RecordingUUID: uuidField('recording_id.'),
  RecordingURL: field('Where the file is; the credentials of the account open it.'),
  RecordingResourceURL: field('Where its record is.'),
  RecordingFormat: oneOfField(['mp3', 'wav'], 'Format of the file.'),
  RecordingDuration: numberField('Seconds until now.', '12'),
  RecordingStartTime: field('When it began; empty when it has not.', '2026-02-01 10:00:00+00:00'),
  RecordingEndTime: field('When it ended; empty while it runs.', '2026-02-01 10:05:00+00:00'),
  SequenceNumber: numberField('Counts the events of one recording from 1 on.', '1'),
  ...recordingFault,
} satisfies TProperties;

const recordingUrls = [
  'recording_callback_url of Record, of a participant',
  'recordingCallbackUrl of MultiPartyCall',
];
const recordingEvents = [
  'recording.started',
  'recording.paused',
  'recording.resumed',
  'recording.completed',
  'recording.failed',
];
const steps = ['Initiated', 'Paused', 'Resumed', 'Completed', 'Failed'];

export const multipartyWebhooks: readonly Webhook[] = [
  {
    name: 'multipartyCallState',
    summary: 'A multiparty call was created or has started',
    description: group('mpc-state-changes'),
    urls,
    answer: 'ignored',
    events: ['multiparty-call.initialized', 'multiparty-call.started'],
    fields: form({ EventName: name('MPCInitialized', 'MPCStart'), ...about }),
  },
  {
    name: 'multipartyCallEnded',
    summary: 'A multiparty call has ended',
    description: `${group('mpc-state-changes')} It comes after the last event of its recordings.`,
    urls,
    answer: 'ignored',
    events: ['multiparty-call.ended'],
    fields: form({
      EventName: name('MPCEnd'),
      ...about,
      MPCDuration: numberField('Seconds from its start to its end.', '300'),
      MPCBilledDuration: numberField('Billed seconds of all participants.', '600'),
      MPCBilledAmount: field('USD.', '0.05000'),
    }),
  },
  {
    name: 'participantState',
    summary: 'A participant has joined, left or was changed',
    description: `${group('participant-state-changes')} Speaking: participant-speak-events.`,
    urls,
    answer: 'ignored',
    events: [
      'multiparty-call.participant-joined',
      'multiparty-call.participant-exited',
      'multiparty-call.participant-muted',
      'multiparty-call.participant-unmuted',
      'multiparty-call.participant-held',
      'multiparty-call.participant-unheld',
      'multiparty-call.coaching-started',
      'multiparty-call.coaching-stopped',
      'multiparty-call.participant-speaking',
      'multiparty-call.participant-silent',
    ],
    fields: form({
      EventName: name(
        'ParticipantJoin',
        'ParticipantExit',
        'ParticipantMute',
        'ParticipantUnmute',
        'ParticipantHold',
        'ParticipantUnhold',
        'ParticipantCoachModeStart',
        'ParticipantCoachModeStop',
        'ParticipantSpeakStart',
        'ParticipantSpeakStop',
      ),
      ...about,
      ...participant,
    }),
  },
  {
    name: 'participantDigit',
    summary: 'A participant has pressed a key',
    description: group('participant-digit-input-events'),
    urls,
    answer: 'ignored',
    events: ['multiparty-call.participant-digit'],
    fields: form({
      EventName: name('ParticipantDigitInput'),
      ...about,
      ...participant,
      Digit: field('The key.', '5'),
      Digits: field('The same as Digit.', '5'),
    }),
  },
  {
    name: 'participantAdded',
    summary: 'Adding a participant by the API has begun or is over',
    description: group('add-participant-api-events'),
    urls,
    answer: 'ignored',
    events: ['multiparty-call.add-participant-initiated', 'multiparty-call.add-participant-completed'],
    fields: form({
      EventName: name('AddParticipantByAPIActionInitiated', 'AddParticipantByAPIActionCompleted'),
      ...about,
      ...participant,
      RequestUUID: uuidField('request_uuid of the answer to that request.'),
    }),
  },
  {
    name: 'multipartyCallSpoken',
    summary: 'What was spoken to participants is over',
    description: 'Sent once for each Speak that was given a callback_url.',
    urls: ['callback_url of POST MultiPartyCall/{mpc}/Member/{member_id}/Speak/'],
    answer: 'ignored',
    events: ['multiparty-call.speak-over'],
    fields: form({
      EventName: name('MPCSpeakCompleted'),
      ...about,
      MemberID: field('member_id of each member that heard it, separated by commas.', '209,210'),
      Status: oneOfField(['completed', 'stopped', 'failed'], 'How it ended.'),
    }),
  },
  {
    name: 'multipartyCallRecording',
    summary: 'A recording of a multiparty call has begun, paused, gone on or ended',
    description: 'Sent for each step of the recording of the whole call.',
    urls: recordingUrls,
    answer: 'ignored',
    events: recordingEvents,
    fields: form({ EventName: name(...steps.map((step) => `MPCRecording${step}`)), ...about, ...recording }),
  },
  {
    name: 'participantRecording',
    summary: 'A recording of a participant has begun, paused, gone on or ended',
    description: 'Sent for each step of the recording of one participant.',
    urls: recordingUrls,
    answer: 'ignored',
    events: recordingEvents,
    fields: form({
      EventName: name(...steps.map((step) => `ParticipantRecording${step}`)),
      ...about,
      MemberID: participant.MemberID,
      ...recording,
    }),
  },
];
