import { type TObject, type TProperties, Type } from 'typebox';
import {
  callbackProblemCodes,
  codesOf,
  frameRefusalCodes,
  recordingErrorCodes,
  soundProblemCodes,
} from '../fault-codes.ts';
import { streamFields } from './other-webhooks.ts';
import { codeField } from './webhook.ts';
import { webhooks } from './webhooks.ts';

/** One type of the event stream. */
export interface EventStreamType {
  readonly type: string;
  readonly description: string;
  /** What `data` may be, one of these; empty where its data are the fields of a webhook and nothing else. */
  readonly data: readonly TObject[];
}

const text = (description: string) => Type.String({ description });
const count = (description: string) => Type.Integer({ description });
const texts = (description: string) => Type.Array(Type.String(), { description });
const nullable = (description: string, type: 'string' | 'integer') =>
  Type.Unsafe<unknown>({ type: [type, 'null'], description });

const edges = (description: string) =>
  Type.Array(
    Type.Object({
      Listener: text('member_id.'),
      Speaker: text('member_id.'),
      Coaching: Type.Boolean({ description: 'The speaker is a supervisor who coaches.' }),
    }),
    { description },
  );

const only = (type: string, description: string, ...data: readonly TProperties[]): EventStreamType => ({
  type,
  description,
  data: data.map((each) => Type.Object(each)),
});

const inDocument = {
  CallUUID: text('The call.'),
  Url: text('The document, without passwords in its URL.'),
  Sentence: text('What was wrong.'),
};

const recordingRuns = {
  CallUUID: text('The call.'),
  RecordUrl: text('Where the file will be.'),
  RecordingID: text('recording_id.'),
};
const recordingEnds = {
  ...recordingRuns,
  RecordingDuration: count('Seconds.'),
  RecordingDurationMs: count('Milliseconds.'),
  RecordingStartMs: count('Milliseconds since 1970.'),
  RecordingEndMs: count('Milliseconds since 1970.'),
  RecordingError: Type.Optional(text('Why there is no complete file.')),
  RecordingErrorCode: Type.Optional(codeField(recordingErrorCodes, 'RecordingError as a code.')),
};

const registration = {
  endpoint_id: text('The endpoint.'),
  username: text('Its user name.'),
  contact: text('Where its phone is.'),
  user_agent: text('What the phone calls itself.'),
};

const delivery = {
  callback_id: text('GET Callback/{callback_id}/ has the whole delivery.'),
  event_id: text('The event that it carries.'),
  event: text('The type of that event.'),
  resource: text('Deliveries of one resource keep their order.'),
  attempts: count('Attempts until now.'),
  response_status: nullable('HTTP status of the answer.', 'integer'),
  problem: nullable('Why it was not delivered.', 'string'),
  problem_code: Type.Unsafe<unknown>({
    type: ['string', 'null'],
    enum: [...codesOf(callbackProblemCodes), null],
    description: 'problem as a code.',
  }),
  duration: count('Milliseconds of this attempt.'),
  next_attempt_time: nullable('When it is sent again.', 'string'),
};

const subaccount = { auth_id: text('The subaccount.') };

const sound = { play: text('The play.'), call_uuids: texts('Calls that should hear it.') };

const failedSound = {
  ...sound,
  item: count('Which of its items, from 0 on.'),
  problem: text('Why.'),
  problem_code: codeField(soundProblemCodes, 'problem as a code.'),
};

const detached = (what: string, id: string) =>
  only(`trunk.${what}-deleted`, `Something that trunks used was deleted: ${what}.`, {
    [id]: text('What was deleted.'),
    name: text('Its name.'),
    trunks: count('How many trunks it served.'),
    trunk_ids: texts('The first hundred of them.'),
  });

/** Types that no webhook carries, or that have data of their own besides those of a webhook. */
const own: readonly EventStreamType[] = [
  only('multiparty-call.hearing-changed', 'Other participants hear each other than before.', {
    EventName: text('MPCHearingChange.'),
    EventTimestamp: text('When.'),
    MPCUUID: text('mpc_uuid.'),
    MPCName: text('friendly_name.'),
    Opened: edges('Who hears whom now and did not before.'),
    Closed: edges('Who heard whom and does so no more.'),
    IsCut: Type.Boolean({ description: 'More changed than these lists show: Hearing/ has all of it.' }),
  }),
  only('subaccount.disabled', 'A subaccount was disabled: nothing new begins for it.', subaccount),
  only('subaccount.enabled', 'A subaccount was enabled again.', subaccount),
  only(
    'call.quality',
    'The quality of the audio of a live call has another class. A call is good at first.',
    {
      CallUUID: text('The call.'),
      Class: text('good, fair, poor or bad.'),
      PreviousClass: text('The class before.'),
      Mos: Type.Number({ description: 'Estimated mean opinion score of the last seconds.' }),
      LossPercent: Type.Number({ description: 'Packets that were lost in them.' }),
      JitterMs: Type.Number({ description: 'Interarrival jitter.' }),
    },
  ),
  only('call.document-failed', 'A document could not be fetched or run.', inDocument),
  only('call.document-warning', 'A document runs, but the platform skipped a part of it.', inDocument),
  only('sound.failed', 'A sound could not be played.', failedSound),
  only('sound.broken-off', 'A text ended early: its listeners heard the part that was made.', failedSound),
  only('sound.warning', 'The platform skipped a part of a document of sounds.', {
    ...sound,
    warnings: texts('The skipped parts, one sentence each.'),
  }),
  only('recording.started', 'A recording has begun.', recordingRuns),
  only('recording.paused', 'A recording was paused.', recordingRuns),
  only('recording.resumed', 'A recording goes on.', recordingRuns),
  only('recording.completed', 'The file of a recording is complete.', recordingEnds),
  only('recording.failed', 'There is no complete file of a recording.', recordingEnds),
  only('recording.words', 'Words of a recording were understood, while it runs or after it.', {
    CallUUID: text('The call; empty for a recording of a whole multiparty call.'),
    RecordingID: text('recording_id.'),
    MPCUUID: Type.Optional(text('The multiparty call.')),
    Channel: count('Of the file, counted from 1.'),
    Track: Type.Optional(text('Of a call, as in audio streams: inbound, outbound or both.')),
    MemberID: Type.Optional(text('The participant who speaks, where the recording knows it.')),
    FromMs: count('Milliseconds of the file.'),
    ToMs: count('Milliseconds of the file.'),
    Text: text('The words.'),
    Confidence: Type.Optional(Type.Number({ description: 'From 0 to 1.' })),
  }),
  only('stream.frame-refused', 'A frame of your server could not be used.', {
    ...streamFields,
    Error: text('Why.'),
    ErrorCode: codeField(frameRefusalCodes, 'Error as a code.'),
  }),
  only('verify.refused', 'A code was not sent because of a limit, a country or a disabled account.', {
    Reason: text('Why.'),
    Recipient: text('The number, digits only.'),
    Requests: count('How many were refused since the last such event.'),
  }),
  only('endpoint.login-failed', 'In the sandbox: the SIP credentials of a phone were refused.', {
    source_address: text('Where the phone is.'),
    username: nullable('As the phone gave it; null where its credentials could not be read.', 'string'),
    explanation: text('What was wrong, and what would be right.'),
    reason: text('The same in a word.'),
    usernames: texts('Usernames of endpoints that may be meant.'),
  }),
  only('endpoint.registered', 'A phone has registered.', registration),
  only('endpoint.unregistered', 'The last registration of an endpoint is gone.', {
    ...registration,
    reason: text('unregistered, expired or flow-lost.'),
  }),
  only('callback.delivered', 'A callback was delivered.', delivery),
  only('callback.failed', 'A callback could not be delivered, and is sent again.', delivery),
  only('callback.abandoned', 'A callback could not be delivered, and is not sent again.', delivery),
  only('trunk.call-refused', 'A call through a trunk was refused.', {
    trunk_id: text('The trunk.'),
    reason: text('Why, such as wrong-password.'),
    source_address: text('Where it came from.'),
    username: text('Who it claimed to be.'),
    from: text('Who called.'),
    to: text('Who was called.'),
    calls: count('How many since the last such event.'),
  }),
  only('trunk.uri-failed', 'An origination URI did not take a call.', {
    trunk_id: text('The trunk.'),
    role: text('primary or fallback.'),
    uri: text('The URI.'),
    reason: text('Why.'),
    sip_status: Type.Optional(count('What it answered.')),
    call_uuid: text('The call.'),
    calls: count('How many since the last such event.'),
  }),
  only('trunk.deleted', 'A trunk was deleted.', {
    trunk_id: text('The trunk.'),
    name: text('Its name.'),
    trunk_direction: text('inbound or outbound.'),
    numbers: count('How many numbers led to it.'),
    number_list: texts('The first hundred of them.'),
  }),
  detached('credential', 'credential_uuid'),
  detached('ip-access-control-list', 'ipacl_uuid'),
  detached('primary-uri', 'uri_uuid'),
  detached('fallback-uri', 'uri_uuid'),
  only('carrier.call-passed-over', 'A carrier did not take a call. Of the account of the operator.', {
    carrier: text('The carrier.'),
    reason: text('Why.'),
    sip_status: Type.Optional(count('What it answered.')),
    call_uuid: text('The call.'),
    calls: count('How many since the last such event.'),
  }),
  only('carrier.registered', 'We have registered with a carrier. Of the account of the operator.', {
    carrier: text('The carrier.'),
    expires: count('Seconds until it is refreshed.'),
  }),
  only('carrier.unregistered', 'We are not registered with a carrier. Of the account of the operator.', {
    carrier: text('The carrier.'),
    reason: text('Why.'),
  }),
  only('carrier.reachable', 'A carrier answers. Of the account of the operator.', {
    carrier: text('The carrier.'),
  }),
  only('carrier.unreachable', 'A carrier does not answer. Of the account of the operator.', {
    carrier: text('The carrier.'),
  }),
  only('source.banned', 'Requests of a SIP source are ignored for a time. Of the account of the operator.', {
    source_address: text('The source.'),
    reason: text('failed-logins or scanner.'),
    seconds: count('For how long.'),
    unreported_bans: count('Bans since the last such event that have no event of their own.'),
  }),
];

/** Every type of event, sorted; a type that a webhook carries has that webhook's fields as data, numbers as numbers. */
export const eventStreamTypes: readonly EventStreamType[] = [
  ...own,
  ...webhooks
    .flatMap(({ events, summary }) => events.map((type) => ({ type, description: `${summary}.`, data: [] })))
    .filter(({ type }, at, all) => all.findIndex((each) => each.type === type) === at)
    .filter(({ type }) => !own.some((each) => each.type === type)),
].sort((one, other) => (one.type < other.type ? -1 : 1));
