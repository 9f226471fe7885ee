import { type Static, type TUnsafe, Type } from 'typebox';
import { apiId } from './envelopes.ts';
import { looseEnum } from './loose.ts';
import { httpUrl } from './primitives.ts';

const fileFormat = Type.Optional(
  looseEnum(['mp3', 'wav'], { description: 'Format of the file.', default: 'mp3' }),
);
const callback = {
  recording_callback_url: Type.Optional(
    httpUrl({ description: 'Receives the events of this recording; that of the call when left out.' }),
  ),
  recording_callback_method: Type.Optional(
    looseEnum(['GET', 'POST'], {
      description: 'HTTP method of recording_callback_url.',
      default: 'POST',
    }),
  ),
};

/** docs/interface/multiparty-calls.md#operations: one public client sends an empty text for the default. */
const trackType = (byDefault: string): TUnsafe<string> =>
  Type.Unsafe<string>({
    type: 'string',
    pattern: '^(?:[pP][aA][rR][tT][iI][cC][iI][pP][aA][nN][tT]|[aA][lL][lL]|[bB][oO][tT][hH]|)$',
    'x-allowed': 'participant, all or both',
    description: `participant: the participant alone; all: everybody on a channel of their own (MP3: the participant, and everybody else); both: two files. ${byDefault}`,
  });

export const recordMpc = Type.Object({ file_format: fileFormat, ...callback });
export type RecordMpc = Static<typeof recordMpc>;

export const recordParticipant = Type.Object({
  file_format: fileFormat,
  ...callback,
  record_track_type: Type.Optional(trackType('all when left out.')),
});
export type RecordParticipant = Static<typeof recordParticipant>;

export const participantTracks = Type.Object({
  record_track_type: Type.Optional(trackType('Whatever runs when left out.')),
});
export type ParticipantTracks = Static<typeof participantTracks>;

const startedFields = {
  api_id: apiId,
  message: Type.String({ examples: ['MPC: support record started'] }),
  recording_id: Type.String(),
  recording_url: Type.String({ description: 'The file, once the recording has ended.' }),
};
export const startedRecording = Type.Object(startedFields, { title: 'Started recording' });

export const startedParticipantRecording = Type.Object(
  {
    ...startedFields,
    recordings: Type.Array(
      Type.Object({
        member_id: Type.String(),
        record_track_type: Type.String({ examples: ['participant', 'all'] }),
        recording_id: Type.String(),
        recording_url: Type.String(),
      }),
      { description: 'All of them; recording_id and recording_url name the first.' },
    ),
  },
  { title: 'Started recording of participants' },
);
