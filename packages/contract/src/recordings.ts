import { type Static, Type } from 'typebox';
import { apiId, listBody, pageQuery } from './envelopes.ts';
import { codesOf, type RecordingErrorCode, recordingErrorCodes } from './fault-codes.ts';
import { instant } from './instant.ts';
import { looseInteger } from './loose.ts';
import { pathId, text } from './primitives.ts';

export const recordingPath = Type.Object({
  recording_id: pathId({ description: 'recording_id of a recording.' }),
});

export const recordingFilePath = Type.Object({
  recording_file: pathId({
    pattern: '^.+\\.(?:mp3|wav)$',
    description: '<recording_id>.mp3 or <recording_id>.wav, as in recording_url.',
  }),
});

const exactly = (maxLength: number, description: string) => Type.Optional(text({ maxLength, description }));

const storedDays = (description: string) =>
  Type.Optional(looseInteger({ minimum: 0, maximum: 100_000, description }));

export const recordingListQuery = Type.Object({
  ...pageQuery,
  subaccount: exactly(20, 'Recordings of this subaccount only: its auth_id.'),
  sub_account: exactly(100, 'The same as subaccount; also the URI of the subaccount.'),
  call_uuid: exactly(36, 'Recordings of this call.'),
  from_number: exactly(255, 'Recordings of calls from this number, with or without its +, or address.'),
  to_number: exactly(255, 'Recordings of calls to this number, with or without its +, or address.'),
  mpc_uuid: exactly(36, 'Recordings of this multiparty call.'),
  mpc_name: exactly(100, 'Recordings of multiparty calls of this name.'),
  conference_name: exactly(255, 'Recordings of this conference: there are none, the list is empty.'),
  conference_uuid: exactly(255, 'Recordings of this conference: there are none, the list is empty.'),
  add_time: instant('Begun in this minute or second'),
  add_time__gt: instant('Begun after'),
  add_time__gte: instant('Begun at or after'),
  add_time__lt: instant('Begun before'),
  add_time__lte: instant('Begun at or before'),
  add_time_gt: instant('The same as add_time__gt'),
  add_time_gte: instant('The same as add_time__gte'),
  add_time_lt: instant('The same as add_time__lt'),
  add_time_lte: instant('The same as add_time__lte'),
  recording_storage_duration: storedDays('Ended this many whole days ago.'),
  recording_storage_duration__gt: storedDays('Ended more than so many whole days ago.'),
  recording_storage_duration__gte: storedDays('Ended at least so many whole days ago.'),
  recording_storage_duration__lt: storedDays('Ended less than so many whole days ago.'),
  recording_storage_duration__lte: storedDays('Ended at most so many whole days ago.'),
  recording_storage_duration_gt: storedDays('The same as recording_storage_duration__gt.'),
  recording_storage_duration_gte: storedDays('The same as recording_storage_duration__gte.'),
  recording_storage_duration_lt: storedDays('The same as recording_storage_duration__lt.'),
  recording_storage_duration_lte: storedDays('The same as recording_storage_duration__lte.'),
});
export type RecordingListQuery = Static<typeof recordingListQuery>;

const milliseconds = (description: string) =>
  Type.String({
    description: `${description}; -1.00000 while it is unknown.`,
    examples: ['345100.00000'],
  });
const amount = Type.String({ examples: ['0.00000'] });
const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const recordingFields = {
  recording_id: Type.String(),
  recording_url: Type.String({
    description: 'The file, once the recording has ended; with your credentials.',
  }),
  recording_format: Type.Unsafe<'mp3' | 'wav'>({ type: 'string', enum: ['mp3', 'wav'] }),
  recording_type: Type.Unsafe<'normal' | 'mpc'>({ type: 'string', enum: ['normal', 'mpc'] }),
  recording_duration_ms: milliseconds('Milliseconds of the file'),
  recording_start_ms: milliseconds('Milliseconds since 1970-01-01'),
  recording_end_ms: milliseconds('Milliseconds since 1970-01-01'),
  rounded_recording_duration: Type.Integer({ description: 'Seconds, rounded up to whole minutes.' }),
  add_time: Type.String({ examples: ['2026-02-01 10:00:00.123000+00:00'] }),
  call_uuid: Type.String(),
  conference_name: textOrNull('Always null.'),
  mpc_name: textOrNull('Of a recording of a multiparty call.'),
  mpc_uuid: textOrNull('Of a recording of a multiparty call.'),
  from_number: Type.String(),
  to_number: Type.String(),
  monthly_recording_storage_amount: amount,
  recording_storage_duration: Type.Integer({ description: 'Whole days since it ended.' }),
  recording_storage_rate: amount,
  track_type: Type.Union(
    [
      Type.Unsafe<'mix' | 'participant' | 'all'>({ type: 'string', enum: ['mix', 'participant', 'all'] }),
      Type.Null(),
    ],
    {
      description:
        'Of a multiparty call: everybody on one channel, one participant, or everybody on a channel of their own.',
    },
  ),
  member_id: textOrNull('The participant whose recording it is.'),
  channels: Type.Union(
    [
      Type.Array(
        Type.Object({
          channel: Type.Integer({ description: 'Counted from 1.' }),
          member_id: Type.String(),
          call_uuid: Type.String(),
          role: Type.String(),
          from_ms: Type.Integer({ description: 'Milliseconds of the file.' }),
          to_ms: Type.Union([Type.Integer(), Type.Null()], { description: 'null while it is there.' }),
        }),
      ),
      Type.Null(),
    ],
    { description: 'Who is on which channel of the file, where every participant has one of its own.' },
  ),
  recording_error: textOrNull('Why there is no complete file, as a sentence; null where there is one.'),
  recording_error_code: Type.Unsafe<RecordingErrorCode | null>({
    type: ['string', 'null'],
    enum: [...codesOf(recordingErrorCodes), null],
    description: 'recording_error as a code of docs/reference/errors.md.',
  }),
  resource_uri: Type.String(),
};
export const recordingItem = Type.Object(recordingFields, { title: 'Recording in a list' });
export type RecordingItem = Static<typeof recordingItem>;
export const recordingList = listBody(recordingItem);

export const recordingBody = Type.Object({ api_id: apiId, ...recordingFields }, { title: 'Recording' });
