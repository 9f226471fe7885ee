import { type Static, Type } from 'typebox';
import { apiId } from '../envelopes.ts';
import { looseInteger } from '../loose.ts';
import { participantRoles } from '../multiparty-calls.ts';
import { text } from '../primitives.ts';
import { callQualitySample } from './call-quality.ts';

export const defaultLivePage = 100;
export const maxLivePage = 200;
/** Members of one multiparty call in the snapshot. */
export const maxLiveMembers = 100;

export const liveQuery = Type.Object({
  limit: Type.Optional(
    looseInteger({
      minimum: 1,
      maximum: maxLivePage,
      default: defaultLivePage,
      description: 'Calls and multiparty calls on a page.',
    }),
  ),
  position: Type.Optional(
    text({
      maxLength: 60,
      pattern: '^(call|multiparty-call)/[0-9a-f-]{0,36}$',
      allowed: 'the position of meta.next',
      description: 'Where the page begins; left out: the first page.',
    }),
  ),
});
export type LiveQuery = Static<typeof liveQuery>;

const time = Type.String({ examples: ['2026-02-01T10:00:00.125Z'] });
const timeOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const liveMember = Type.Object(
  {
    member_id: Type.String(),
    call_uuid: Type.String(),
    role: Type.Unsafe<(typeof participantRoles)[number]>({ type: 'string', enum: [...participantRoles] }),
    status: Type.String({ description: 'delayed, dialling, ringing, confirming or joined.' }),
    coach_mode: Type.Boolean(),
    mute: Type.Boolean(),
    hold: Type.Boolean(),
    member_address: Type.String({ description: 'Where the participant was called: `to`.' }),
    caller_name: Type.String(),
    joined_at: timeOrNull('null until the participant has joined.'),
    hears: Type.Array(Type.String(), { description: 'member_id of each participant that it hears.' }),
  },
  { title: 'Live member' },
);
export type LiveMember = Static<typeof liveMember>;

export const liveRoomItem = Type.Object(
  {
    mpc_uuid: Type.String(),
    friendly_name: Type.String(),
    status: Type.String({ description: 'Initialized or Active.' }),
    account: Type.String({ description: 'The account or subaccount that it belongs to.' }),
    created_at: time,
    started_at: timeOrNull('null while the call has not started.'),
    recording: Type.String({ description: 'recording, not-recording or paused.' }),
    members: Type.Array(liveMember, {
      description: `In the order of adding, ${maxLiveMembers} at most.`,
    }),
    are_members_cut: Type.Boolean({
      description: 'There are more members than shown: MultiPartyCall/{uuid}/Participant/ has them all.',
    }),
  },
  { title: 'Live multiparty call' },
);
export type LiveRoomItem = Static<typeof liveRoomItem>;

export const liveCallItem = Type.Object(
  {
    call_uuid: Type.String(),
    parent_call_uuid: textOrNull('The call for which this one was made.'),
    account: Type.String({ description: 'The account or subaccount that it belongs to.' }),
    direction: Type.Unsafe<'inbound' | 'outbound'>({ type: 'string', enum: ['inbound', 'outbound'] }),
    from: Type.String(),
    to: Type.String(),
    caller_name: Type.String(),
    status: Type.Unsafe<'ringing' | 'in-progress'>({ type: 'string', enum: ['ringing', 'in-progress'] }),
    initiated_at: time,
    answered_at: timeOrNull('null until it is answered.'),
    quality: Type.Union([callQualitySample, Type.Null()], {
      description: 'The newest sample; null until the first, which is taken ten seconds after the answer.',
    }),
  },
  { title: 'Live call of the snapshot' },
);
export type LiveCallItem = Static<typeof liveCallItem>;

export const liveBody = Type.Object(
  {
    api_id: apiId,
    meta: Type.Object({
      limit: Type.Integer(),
      after: Type.String({
        description:
          'A position of the event stream that was read before this page: every change that the page does not show is behind it. Keep that of the first page, read all pages, then go on with Event/?after=.',
      }),
      next: textOrNull('Path and query of the next page; null on the last.'),
    }),
    multiparty_calls: Type.Array(liveRoomItem),
    calls: Type.Array(liveCallItem),
  },
  { title: 'Everything live' },
);
