import { type Static, type TUnsafe, Type } from 'typebox';
import { newCallPlay, newCallSpeech } from './call-actions.ts';
import { apiId, listBody, pageQuery } from './envelopes.ts';
import { instant } from './instant.ts';
import { looseBoolean, looseEnum } from './loose.ts';
import { httpUrl, pathId, text } from './primitives.ts';

export const multipartyCallStatuses = ['Initialized', 'Active', 'Ended'] as const;
export const participantRoles = ['agent', 'supervisor', 'customer', 'ai-agent'] as const;

export const mpcPath = Type.Object({
  mpc: pathId({
    description: 'name_<friendly_name> while the call is ongoing, or uuid_<mpc_uuid>; also without prefix.',
  }),
});

export const mpcMemberPath = Type.Object({
  ...mpcPath.properties,
  member_id: pathId({ description: 'A member_id, several of them separated by commas, or all.' }),
});

/** One public client sends the status as a list of one. */
export const mpcActivation = Type.Object({
  status: Type.Unsafe<string | readonly string[]>({
    anyOf: [
      { type: 'string', pattern: '^[aA][cC][tT][iI][vV][eE]$' },
      {
        type: 'array',
        minItems: 1,
        maxItems: 1,
        items: { type: 'string', pattern: '^[aA][cC][tT][iI][vV][eE]$' },
      },
    ],
    'x-allowed': 'Active',
    description: 'Active starts a call that waits in status Initialized.',
  }),
});

export const mpcListQuery = Type.Object({
  ...pageQuery,
  friendly_name: Type.Optional(text({ maxLength: 100, description: 'Calls with exactly this name.' })),
  status: Type.Optional(
    looseEnum(['initialized', 'active', 'ended'], { description: 'Calls in this status.' }),
  ),
  termination_cause_code: Type.Optional(
    looseEnum(['1000', '1010', '2000', '3000'], { description: 'Calls that ended with this cause.' }),
  ),
  subaccount: Type.Optional(
    text({ maxLength: 20, description: 'Calls of this subaccount only: its auth_id.' }),
  ),
  sub_account: Type.Optional(
    text({ maxLength: 100, description: 'The same as subaccount; also the URI of the subaccount.' }),
  ),
  creation_time: instant('Created in this minute or second'),
  creation_time__gt: instant('Created after'),
  creation_time__gte: instant('Created at or after'),
  creation_time__lt: instant('Created before'),
  creation_time__lte: instant('Created at or before'),
  creation_time_gt: instant('The same as creation_time__gt'),
  creation_time_gte: instant('The same as creation_time__gte'),
  creation_time_lt: instant('The same as creation_time__lt'),
  creation_time_lte: instant('The same as creation_time__lte'),
  end_time: instant('Ended in this minute or second'),
  end_time__gt: instant('Ended after'),
  end_time__gte: instant('Ended at or after'),
  end_time__lt: instant('Ended before'),
  end_time__lte: instant('Ended at or before'),
  end_time_gt: instant('The same as end_time__gt'),
  end_time_gte: instant('The same as end_time__gte'),
  end_time_lt: instant('The same as end_time__lt'),
  end_time_lte: instant('The same as end_time__lte'),
});
export type MpcListQuery = Static<typeof mpcListQuery>;

export const participantListQuery = Type.Object({
  ...pageQuery,
  call_uuid: Type.Optional(text({ maxLength: 36, description: 'The participant with this call.' })),
});

export const participantChanges = Type.Object({
  mute: Type.Optional(looseBoolean({ description: 'No other participant hears a muted one.' })),
  hold: Type.Optional(
    looseBoolean({ description: 'A held participant neither hears nor is heard, and has music.' }),
  ),
  coach_mode: Type.Optional(
    looseBoolean({ description: 'Of one supervisor: whether agents alone hear it.' }),
  ),
});

const orNull = <Schema extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(
  schema: Schema,
) => Type.Union([schema, Type.Null()]);
const time = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description: `${description}; YYYY-MM-DD HH:mm:ss+00:00.` });

const mpcItemFields = {
  mpc_uuid: Type.String(),
  friendly_name: Type.String(),
  status: Type.Unsafe<(typeof multipartyCallStatuses)[number]>({
    type: 'string',
    enum: [...multipartyCallStatuses],
  }),
  creation_time: Type.String({ examples: ['2026-02-01 10:00:00+00:00'] }),
  end_time: time('null while ongoing'),
  duration: orNull(Type.Integer({ description: 'Seconds from start to end.' })),
  billed_duration: orNull(Type.Integer({ description: 'Seconds of all participants together.' })),
  billed_amount: orNull(Type.String({ examples: ['0.00000'] })),
  termination_cause: orNull(Type.String()),
  termination_cause_code: orNull(Type.Integer()),
};
export const mpcItem = Type.Object(mpcItemFields, { title: 'Multiparty call in a list' });
export type MpcItem = Static<typeof mpcItem>;
export const mpcList = listBody(mpcItem);

export const mpcBody = Type.Object(
  {
    api_id: apiId,
    ...mpcItemFields,
    start_time: time('null while the call has not started'),
    max_participants: Type.Integer(),
    max_duration: Type.Integer({ description: 'Seconds from the creation.' }),
    stay_alone: Type.Boolean(),
    recording: Type.String({ description: 'recording, not-recording or paused.' }),
    participants: Type.String({ description: 'Path of the participants.' }),
    sub_account: orNull(Type.String({ description: 'URI of the subaccount that owns the call.' })),
    resource_uri: Type.String(),
  },
  { title: 'Multiparty call' },
);
export type MpcBody = Static<typeof mpcBody>;

const participantItemFields = {
  member_id: Type.String({ examples: ['17'] }),
  mpc_uuid: Type.String(),
  call_uuid: Type.String(),
  role: Type.Unsafe<(typeof participantRoles)[number]>({ type: 'string', enum: [...participantRoles] }),
  coach_mode: Type.Boolean(),
  mute: Type.Boolean(),
  hold: Type.Boolean(),
  member_address: Type.String({ description: 'Where the participant was called: `to`.' }),
  status: Type.String({ description: 'delayed, dialling, ringing, confirming, joined or exited.' }),
};
export const participantItem = Type.Object(participantItemFields, { title: 'Participant in a list' });
export type ParticipantItem = Static<typeof participantItem>;
export const participantList = listBody(participantItem);

/** Of several participants; one is no list. */
export const participantQuery = Type.Object(pageQuery);

const participantFields = {
  ...participantItemFields,
  join_time: time('null until the participant has joined'),
  exit_time: time('null while it has not left'),
  duration: orNull(Type.Integer({ description: 'Seconds in the call; null until it has left.' })),
  billed_duration: orNull(Type.Integer()),
  billed_amount: orNull(Type.String({ examples: ['0.00000'] })),
  start_mpc_on_enter: Type.Boolean({
    description:
      'Whether the call became active by this participant: it was created active for it, or began to be active when it entered.',
  }),
  end_mpc_on_exit: Type.Boolean(),
  participant_exit_cause: orNull(Type.String()),
  exit_cause: orNull(Type.String({ description: 'The same as participant_exit_cause.' })),
  resource_uri: Type.String(),
};
const oneParticipant = Type.Object(participantFields, { title: 'Participant of several' });
export type ParticipantRecord = Static<typeof oneParticipant>;

/** One `member_id` is answered with its fields, several or `all` with a list of such objects. */
export const participantBody = Type.Union([
  Type.Object({ api_id: apiId, ...participantFields }, { title: 'Participant' }),
  listBody(oneParticipant),
]);

export const addedParticipant = Type.Object({
  api_id: apiId,
  calls: Type.Array(Type.Object({ to: Type.String(), from: Type.String(), call_uuid: Type.String() })),
  message: Type.String({ examples: ['add participant action initiated'] }),
  request_uuid: Type.String(),
});

export const changedParticipants = Type.Object({
  api_id: apiId,
  mute: Type.Optional(Type.String({ examples: ['MPC: support mute member(s) succeeded'] })),
  hold: Type.Optional(Type.String({ examples: ['MPC: support unhold member(s) succeeded'] })),
  coach_mode: Type.Optional(Type.String({ examples: ['MPC: support coach_mode disable succeeded'] })),
});

const { urls, loop, mix } = newCallPlay.properties;

/** `urls` is documented, public clients send `url`. */
export const newMemberPlay = Type.Object({ urls: Type.Optional(urls), url: Type.Optional(urls), loop, mix });
export type NewMemberPlay = Static<typeof newMemberPlay>;

const { text: words, voice, language, type } = newCallSpeech.properties;

export const newMemberSpeech = Type.Object({
  text: words,
  voice,
  language,
  type,
  loop,
  mix,
  callback_url: Type.Optional(
    httpUrl({ description: 'Receives a request when the text has been heard, or was stopped.' }),
  ),
  callback_method: Type.Optional(
    looseEnum(['GET', 'POST'], { default: 'POST', description: 'HTTP method of callback_url.' }),
  ),
});
export type NewMemberSpeech = Static<typeof newMemberSpeech>;

/** Names of its fields as clients of the hosted service know them. */
export const queuedSound = Type.Object({
  api_id: apiId,
  message: Type.String({ examples: ['play queued into MPC', 'speak queued into MPC'] }),
  mpcMemberId: Type.Array(Type.String(), { description: 'The participants that hear it.' }),
  mpcName: Type.String(),
});

export const hearingBody = Type.Object(
  {
    api_id: apiId,
    mpc_uuid: Type.String(),
    friendly_name: Type.String(),
    status: mpcItemFields.status,
    participants: Type.Array(
      Type.Object({
        member_id: Type.String(),
        call_uuid: Type.String(),
        role: participantItemFields.role,
        coach_mode: Type.Boolean(),
        mute: Type.Boolean(),
        hold: Type.Boolean(),
        hears: Type.Array(Type.String(), { description: 'member_id of each participant that it hears.' }),
        heard_by: Type.Array(Type.String(), { description: 'member_id of each participant that hears it.' }),
      }),
    ),
  },
  { title: 'Who hears whom' },
);
export type HearingBody = Static<typeof hearingBody>;

/** Form of `name=value,name=value`; each name becomes a header X-PH-<name>. */
export const sipHeadersSchema: TUnsafe<string> = text({
  maxLength: 2048,
  pattern:
    '^[A-Za-z0-9-]{1,29}=[\\x20-\\x2b\\x2d-\\x7e]{1,120}(?:,[A-Za-z0-9-]{1,29}=[\\x20-\\x2b\\x2d-\\x7e]{1,120})*$',
  allowed:
    'pairs name=value separated by commas; names of letters, digits and hyphens, values of 1 to 120 printable ASCII characters',
  description: 'Headers of the INVITE: name=value,name=value is sent as X-PH-name.',
  examples: ['Ticket=4711,Queue=sales'],
});
