import { type TProperties, Type } from 'typebox';
import { transcriptErrorCodes } from '../fault-codes.ts';
import { recorded, recordingFault } from './recording-fields.ts';
import {
  codeField,
  field,
  flagField,
  form,
  numberField,
  oneOfField,
  timeField,
  uuidField,
  type Webhook,
} from './webhook.ts';

const callStatuses = [
  'ringing',
  'in-progress',
  'completed',
  'busy',
  'failed',
  'timeout',
  'no-answer',
  'cancel',
] as const;

const event = (name: string) => oneOfField([name], 'What the request is about.');

/** What every request about a call carries. */
const callFields = {
  CallUUID: uuidField('The call.'),
  RequestUUID: uuidField(
    'request_uuid of the request that made the call; its own UUID for a call that came.',
  ),
  From: field('Who calls.', '+12025550000'),
  To: field('Who was called.', '+12025550101'),
  CallerName: field('Name of the caller; its number where there is none.'),
  Direction: oneOfField(['inbound', 'outbound'], 'Seen from the platform.'),
  CallStatus: oneOfField(callStatuses, 'Status of the call at this moment.'),
  ALegUUID: uuidField('The call that this one was dialled for; the call itself where there is none.'),
  ALegRequestUUID: uuidField('RequestUUID of that call.'),
  ParentAuthID: field('auth_id of the main account.', 'MA0123456789ABCDEFGH'),
  SessionStart: field('When the call began, in UTC.', '2026-02-01 10:00:00.000000'),
  BillRate: field('USD per minute.', '0.00500'),
} satisfies TProperties;

const roomOfLeg = {
  MPCUUID: Type.Optional(uuidField('Multiparty call that dialled; only at call_status_callback_url.')),
  MPCName: Type.Optional(field('Its name.')),
  MemberID: Type.Optional(field('member_id of the participant.', '209')),
} satisfies TProperties;

const endOfCall = {
  Duration: numberField('Seconds from the answer to the end.', '42'),
  BillDuration: numberField('Seconds that are billed.', '60'),
  TotalCost: field('USD.', '0.00500'),
  HangupCause: field('The same words as HangupCauseName.', 'Normal Hangup'),
  HangupCauseName: field('Why the call ended.', 'Normal Hangup'),
  HangupCauseCode: numberField('The same as a number.', '4000'),
  HangupSource: field('Who or what ended it.', 'Caller'),
  HangupReason: Type.Optional(
    field(
      'One sentence of at most 500 characters where more is known than the cause: what was wrong with the document, its URL or the destination.',
      'https://example.com/answer answered with status 500 instead of 200',
    ),
  ),
  StartTime: timeField('When it began.'),
  AnswerTime: Type.Optional(timeField('When it was answered; absent when it was not.')),
  EndTime: timeField('When it ended.'),
} satisfies TProperties;

const redirect = { ...callFields, Event: event('Redirect') };

/** What multiparty calls report about a participant that has left. */
const departed = {
  MPCUUID: uuidField('The multiparty call.'),
  MPCFriendlyName: field('Its name.'),
  MemberID: field('member_id of the participant.', '209'),
  ParticipantCallUUID: uuidField('The call of the participant.'),
  ParticipantRole: oneOfField(['agent', 'customer', 'supervisor', 'ai-agent'], 'Role of the participant.'),
  ParticipantJoinTime: field('When it joined; empty when it never did.', '2026-02-01 10:00:00+00:00'),
  ParticipantEndTime: field('When it left.', '2026-02-01 10:05:00+00:00'),
  ParticipantExitCause: field('Why it left.', 'Kicked Out of Multiparty Call'),
} satisfies TProperties;

const detected = {
  Machine: Type.Optional(
    flagField('With machine_detection and no machine_detection_url: whether a machine has answered.'),
  ),
} satisfies TProperties;

export const callWebhooks: readonly Webhook[] = [
  {
    name: 'callAnswerDocument',
    summary: 'Which document runs on a call',
    description:
      'Requested for a call that came in before it is answered, and for a call that was made when it is answered.',
    urls: ['answer_url of POST Call/', 'answer_url of an application'],
    answer: 'document',
    events: [],
    fields: form(
      {
        ...callFields,
        Event: event('StartApp'),
        ...detected,
      },
      { sipHeaders: true },
    ),
  },
  {
    name: 'callFallbackDocument',
    summary: 'Which document runs instead',
    description: 'Requested when answer_url could not be fetched or its document could not be run.',
    urls: ['fallback_url of POST Call/', 'fallback_answer_url of an application'],
    answer: 'document',
    events: [],
    fields: form(
      {
        ...callFields,
        Event: event('StartApp'),
        ...detected,
        FallbackCode: numberField('Hangup cause code of the failure.', '7011'),
        FallbackCause: field('The same in words.', 'Error Reaching Answer URL'),
        FallbackReason: field('What was wrong, as a sentence.'),
      },
      { sipHeaders: true },
    ),
  },
  {
    name: 'callRinging',
    summary: 'The called phone rings',
    description: 'Sent once for each call that was made and rings.',
    urls: ['ring_url of POST Call/', 'call_status_callback_url of a participant'],
    answer: 'ignored',
    events: ['call.ringing'],
    fields: form({ ...callFields, ...roomOfLeg, Event: event('Ring') }, { sipHeaders: true }),
  },
  {
    name: 'callAnswered',
    summary: 'The called phone was answered',
    description: 'Sent once for each call of a participant that was dialled and answered.',
    urls: ['call_status_callback_url of a participant'],
    answer: 'ignored',
    events: ['call.answered'],
    fields: form({ ...callFields, ...roomOfLeg, Event: event('StartApp') }, { sipHeaders: true }),
  },
  {
    name: 'machineDetected',
    summary: 'Whether a person or an answering machine has answered',
    description:
      'Sent once for each answered call with machine_detection, and a second time at the beep of a machine that was not hung up.',
    urls: ['machine_detection_url of POST Call/ and of a participant', 'machineDetectionUrl of Dial'],
    answer: 'ignored',
    events: ['call.machine-detection', 'call.machine-beep'],
    fields: form(
      {
        ...callFields,
        Event: oneOfField(['MachineDetection', 'MachineBeep'], 'What the request is about.'),
        Machine: flagField('Whether a machine has answered.'),
        MachineReason: Type.Optional(
          oneOfField(
            ['greeting-over', 'long-greeting', 'beep', 'silence', 'time-over'],
            'With Event=MachineDetection: why it was decided so.',
          ),
        ),
        MachineDetectionMs: Type.Optional(
          numberField('With Event=MachineDetection: milliseconds from the answer to the decision.', '2640'),
        ),
        MachineBeepMs: Type.Optional(
          numberField('With Event=MachineBeep: milliseconds from the answer to the end of the beep.', '9480'),
        ),
      },
      { sipHeaders: true },
    ),
  },
  {
    name: 'callEnded',
    summary: 'A call has ended',
    description: 'Sent once at the end of each call, for every cause.',
    urls: [
      'hangup_url of POST Call/',
      'hangup_url of an application',
      'call_status_callback_url of a participant',
    ],
    answer: 'ignored',
    events: ['call.ended'],
    fields: form({ ...callFields, ...endOfCall, ...roomOfLeg, Event: event('Hangup') }, { sipHeaders: true }),
  },
  {
    name: 'callDocument',
    summary: 'Which document runs next',
    description: 'Requested by a Redirect element, and for each leg that is transferred.',
    urls: ['Redirect', 'aleg_url and bleg_url of POST Call/{call_uuid}/'],
    answer: 'document',
    events: [],
    fields: form(redirect, { sipHeaders: true }),
  },
  {
    name: 'digitsAction',
    summary: 'Digits were pressed',
    description:
      'Requested when a GetDigits element has its digits. With redirect="false" the answer is ignored.',
    urls: ['action of GetDigits'],
    answer: 'document',
    events: ['call.action'],
    fields: form(
      { ...redirect, Digits: field('What was pressed, without finishOnKey.', '42') },
      { sipHeaders: true },
    ),
  },
  {
    name: 'inputAction',
    summary: 'A caller gave input',
    description:
      'Requested when a GetInput element has its digits or words. With redirect="false" the answer is ignored.',
    urls: ['action of GetInput'],
    answer: 'document',
    events: ['call.action'],
    fields: form(
      {
        ...redirect,
        InputType: oneOfField(['dtmf', 'speech'], 'How the input was given.'),
        Digits: field('What was pressed, without finishOnKey; empty for speech.', '42'),
        Speech: Type.Optional(field('What was said; only for speech.', 'new york')),
        SpeechConfidenceScore: Type.Optional(numberField('From 0 to 1, where the engine gives it.', '0.87')),
      },
      { sipHeaders: true },
    ),
  },
  {
    name: 'interimSpeech',
    summary: 'A caller speaks to a GetInput',
    description:
      'Requested with partial results of speech, at most five times a second. It is sent once, and is in no log and no event.',
    urls: ['interimSpeechResultsCallback of GetInput'],
    answer: 'ignored',
    events: [],
    fields: form(
      {
        ...callFields,
        StableSpeech: field('Words that will not change.', 'new'),
        UnstableSpeech: field('Words behind them that may still change.', 'york'),
        Stability: Type.Optional(numberField('From 0 to 1, where the engine gives it.', '0.40')),
        SequenceNumber: numberField('Counts from 0 within the element.', '0'),
      },
      { sipHeaders: true },
    ),
  },
  {
    name: 'dialAction',
    summary: 'A Dial element is over',
    description:
      'Requested when a Dial element is over. The answer is ignored with redirect="false", and where the caller has hung up.',
    urls: ['action of Dial'],
    answer: 'document',
    events: ['call.action'],
    fields: form(
      {
        ...redirect,
        DialStatus: oneOfField(
          ['completed', 'busy', 'failed', 'cancel', 'timeout', 'no-answer'],
          'What became of it.',
        ),
        DialRingStatus: flagField('Whether a phone rang.'),
        DialHangupCause: field('Why it ended; empty where nothing says so.', 'Normal Hangup'),
        DialALegUUID: uuidField('The call that dialled.'),
        DialBLegUUID: field('The call that was connected; empty when none was.'),
      },
      { sipHeaders: true },
    ),
  },
  {
    name: 'dialCallback',
    summary: 'Something happened to a phone that a Dial element calls',
    description:
      'Sent for each phone that answers, is connected, presses a sequence of digitsMatch, or is gone.',
    urls: ['callbackUrl of Dial'],
    answer: 'ignored',
    events: ['call.dial'],
    fields: form(
      {
        ...callFields,
        Event: event('DialAction'),
        DialAction: oneOfField(['answer', 'connected', 'digits', 'hangup'], 'What happened.'),
        DialALegUUID: uuidField('The call that dialled.'),
        DialBLegUUID: uuidField('The call to the phone.'),
        DialBLegStatus: oneOfField(['answer', 'connected', 'hangup'], 'State of that call.'),
        DialBLegFrom: field('Its caller.', '+12025550000'),
        DialBLegTo: field('Who was called.', '+12025550101'),
        DialDigitsMatch: Type.Optional(field('With DialAction=digits: the sequence.', '99')),
        DialDigitsPressedBy: Type.Optional(
          oneOfField(['ALeg', 'BLeg'], 'With DialAction=digits: who pressed it.'),
        ),
        DialBLegDuration: Type.Optional(
          numberField('With DialAction=hangup: seconds since its answer.', '42'),
        ),
        DialBLegBillDuration: Type.Optional(
          numberField('With DialAction=hangup: seconds that have begun.', '43'),
        ),
        DialBLegHangupCauseName: Type.Optional(field('With DialAction=hangup: why.', 'Normal Hangup')),
        DialBLegHangupCauseCode: Type.Optional(
          numberField('With DialAction=hangup: the same as a number.', '4000'),
        ),
        DialBLegHangupSource: Type.Optional(field('With DialAction=hangup: who or what ended it.', 'Caller')),
      },
      { sipHeaders: true },
    ),
  },
  {
    name: 'recordAction',
    summary: 'A Record element has a recording',
    description:
      'Requested when the recording has ended well or badly; with recordSession="true" a first time when it begins, with -1 in its numbers, and when it is complete once more without reading the answer.',
    urls: ['action of Record'],
    answer: 'document',
    events: ['call.action'],
    fields: form(
      {
        ...redirect,
        ...recorded,
        ...recordingFault,
        Digits: field('The key that ended it; empty when none did.', '#'),
      },
      { sipHeaders: true },
    ),
  },
  {
    name: 'recordCallback',
    summary: 'The file of a recording is complete',
    description: 'Sent once, when the recording has ended well or badly.',
    urls: ['callbackUrl of Record', 'callback_url of POST Call/{call_uuid}/Record/'],
    answer: 'ignored',
    events: ['recording.completed', 'recording.failed'],
    fields: form(
      {
        ...callFields,
        ...recorded,
        ...recordingFault,
      },
      { sipHeaders: true },
    ),
  },
  {
    name: 'transcript',
    summary: 'A recording is transcribed',
    description:
      'Sent once, when the recording has ended and all of it is transcribed, or cannot be. The words with their times and speakers are at TranscriptURL, and came one by one as recording.words in the event stream.',
    urls: [
      'transcriptionUrl of Record and of MultiPartyCall',
      'transcription_url of POST Call/{call_uuid}/Record/ and of a participant',
    ],
    answer: 'ignored',
    events: ['recording.transcript-completed', 'recording.transcript-failed'],
    fields: form({
      CallUUID: field('The call; empty for a recording of a whole multiparty call.'),
      RecordingID: uuidField('recording_id.'),
      MPCUUID: Type.Optional(uuidField('The multiparty call.')),
      call_uuid: field('The same as CallUUID.'),
      recording_id: uuidField('The same as RecordingID.'),
      TranscriptURL: field('Where the words are, with their times and speakers.'),
      Language: field('As it was asked for.', 'en-US'),
      duration: numberField('Seconds of the recording.', '12'),
      transcription: field(
        'All words, 500,000 characters at most; empty in the event of a transcript without a URL.',
      ),
      transcription_charge: numberField('Always 0.', '0.00000'),
      transcription_rate: numberField('Always 0.', '0.00000'),
      error: field('Why it failed; empty when it did not.'),
      ErrorCode: Type.Optional(codeField(transcriptErrorCodes, 'error as a code.')),
    }),
  },
  {
    name: 'exitAction',
    summary: 'A participant has left a multiparty call',
    description:
      'Requested when a participant was kicked, left with its leg, or outlives the multiparty call: the answer is its next document. ' +
      'When the participant has hung up, the request has CallStatus=completed and its answer is ignored.',
    urls: ['onExitActionUrl of MultiPartyCall', 'on_exit_action_url of a participant'],
    answer: 'document',
    events: ['multiparty-call.exit-action'],
    fields: form(
      {
        ...callFields,
        ALegUUID: Type.Optional(callFields.ALegUUID),
        ALegRequestUUID: Type.Optional(callFields.ALegRequestUUID),
        SessionStart: Type.Optional(callFields.SessionStart),
        BillRate: Type.Optional(callFields.BillRate),
        Event: event('Redirect'),
        ...departed,
      },
      { sipHeaders: true },
    ),
  },
];
