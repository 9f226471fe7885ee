import { type TProperties, Type } from 'typebox';
import { streamErrorCodes, streamReasonCodes } from '../fault-codes.ts';
import {
  codeField,
  field,
  flagField,
  form,
  numberField,
  oneOfField,
  uuidField,
  type Webhook,
} from './webhook.ts';

/** What every event of a stream carries. */
export const streamFields = {
  StreamID: uuidField('The stream.'),
  CallUUID: uuidField('The call, or the multiparty call, that is streamed.'),
  From: field('Caller of the call.', '+12025550000'),
  To: field('Who was called.', '+12025550101'),
  ParentAuthID: field('auth_id of the main account.', 'MA0123456789ABCDEFGH'),
  Timestamp: field('When it happened, in UTC.', '2026-02-01 10:00:00'),
  ServiceURL: field('Your WebSocket server.', 'wss://agent.example/stream'),
  Direction: Type.Optional(oneOfField(['inbound', 'outbound'], 'Of the call; absent for a multiparty call.')),
  MPCUUID: Type.Optional(uuidField('Multiparty call of the stream; absent for a stream of a call.')),
  MPCName: Type.Optional(field('Its name.')),
  MemberID: Type.Optional(field('Of a participant of role ai-agent.', '209')),
} satisfies TProperties;

const urls = [
  'status_callback_url of a stream',
  'statusCallbackUrl of Stream',
  'ai_agent_stream_status_callback_url of a participant',
];
const chosen = 'status_callback_events chooses among the events between start and end.';

export const streamWebhooks: readonly Webhook[] = [
  {
    name: 'streamStarted',
    summary: 'A stream is connected',
    description: 'Sent once, with the settings of the stream.',
    urls,
    answer: 'ignored',
    events: ['stream.started'],
    fields: form({
      Event: oneOfField(['StartStream'], 'What happened.'),
      ...streamFields,
      status_callback_url: Type.Optional(field('As it was set; absent in the event stream when it was not.')),
      status_callback_method: Type.Optional(oneOfField(['GET', 'POST'], 'As it was set.')),
      bidirectional: flagField('Whether your server may play audio.'),
      audioTrack: oneOfField(['inbound', 'outbound', 'both'], 'What is streamed.'),
      streamTimeout: numberField('Seconds at most.', '86400'),
      contentType: field('Format of the audio.', 'audio/x-l16;rate=8000'),
      extraHeaders: field('As it was set; empty when it was not.'),
      keepCallAlive: flagField('Whether the document waits for the end of the stream.'),
    }),
  },
  {
    name: 'streamEnded',
    summary: 'A stream has ended',
    description:
      'Sent once: StopStream when it was stopped, timed out or its call ended; DroppedStream when it could not be connected or was lost.',
    urls,
    answer: 'ignored',
    events: ['stream.stopped', 'stream.timeout', 'stream.failed'],
    fields: form({
      Event: oneOfField(['StopStream', 'DroppedStream'], 'What happened.'),
      ...streamFields,
      StatusReason: field('Why it ended.', 'Call hangup'),
      StatusReasonCode: codeField(streamReasonCodes, 'StatusReason as a code.'),
      Duration: numberField('Seconds that were streamed.', '42'),
      Error: Type.Optional(field('What went wrong, as a sentence.')),
      ErrorCode: Type.Optional(codeField(streamErrorCodes, 'Error as a code.')),
      UntoldEvents: Type.Optional(numberField('Events that were not sent because there were too many.', '3')),
    }),
  },
  {
    name: 'streamAudio',
    summary: 'Something happened to the audio of a stream',
    description: `PlayedStream: a checkpoint was heard. ClearedAudio: what waited is dropped. DegradedStream: audio was dropped. ${chosen}`,
    urls,
    answer: 'ignored',
    events: ['stream.played', 'stream.cleared', 'stream.degraded'],
    fields: form({
      Event: oneOfField(['PlayedStream', 'ClearedAudio', 'DegradedStream'], 'What happened.'),
      ...streamFields,
      Name: Type.Optional(field('With PlayedStream: the name of the checkpoint.', 'greeting')),
      StreamDirection: Type.Optional(
        oneOfField(['to-socket', 'from-socket'], 'With DegradedStream: which way the audio went.'),
      ),
      DroppedMs: Type.Optional(numberField('With DegradedStream: how much was dropped.', '40')),
      PercentFull: Type.Optional(numberField('With DegradedStream: how full the buffer is.', '100')),
    }),
  },
  {
    name: 'streamConnection',
    summary: 'The connection of a resumable stream was lost or is back',
    description: `InterruptedStream and ResumedStream. ${chosen}`,
    urls,
    answer: 'ignored',
    events: ['stream.interrupted', 'stream.resumed'],
    fields: form({
      Event: oneOfField(['InterruptedStream', 'ResumedStream'], 'What happened.'),
      ...streamFields,
      Error: Type.Optional(field('With InterruptedStream: how it was lost, as a sentence.')),
      ErrorCode: Type.Optional(codeField(streamErrorCodes, 'With InterruptedStream: Error as a code.')),
      AfterMs: Type.Optional(numberField('With ResumedStream: how long it was away.', '800')),
    }),
  },
];

export const verifyWebhooks: readonly Webhook[] = [
  {
    name: 'verifyStatus',
    summary: 'Something happened to a verification',
    description:
      'Sent for each change of an attempt, and when the session is verified or expires. Only the status 200 is a success; otherwise it is sent again after 60, 120 and 240 s.',
    urls: ['url of POST Verify/Session/'],
    answer: 'ignored',
    events: [
      'verify.queued',
      'verify.sent',
      'verify.delivered',
      'verify.undelivered',
      'verify.failed',
      'verify.in-progress',
      'verify.completed',
      'verify.no-answer',
      'verify.verified',
      'verify.expired',
      'verify.blocked',
    ],
    fields: form({
      SessionUUID: uuidField('The session.'),
      SessionStatus: oneOfField(['in-progress', 'verified', 'expired'], 'Its status.'),
      RequestTime: field('When the attempt began.', '2026-02-01T10:00:00.000Z'),
      Recipient: field('The number, digits only.', '14155552671'),
      Channel: oneOfField(['sms', 'voice'], 'How the code was sent.'),
      ChannelStatus: oneOfField(
        ['queued', 'sent', 'delivered', 'undelivered', 'failed', 'in-progress', 'completed', 'no-answer'],
        'What became of it: the first five for sms, the last three and failed for voice.',
      ),
      ChannelErrorCode: field('Why it failed; empty when it did not.', '452'),
      AttemptUUID: uuidField('The attempt; the call_uuid of its call for voice.'),
      AttemptSequence: numberField('Counts the attempts of the session from 1 on.', '1'),
    }),
  },
];
