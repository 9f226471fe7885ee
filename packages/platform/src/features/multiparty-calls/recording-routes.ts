import {
  mpcMemberPath,
  mpcPath,
  type ParticipantTracks,
  participantTracks,
  readOneOf,
  readRequest,
  recordMpc,
  recordParticipant,
  startedParticipantRecording,
  startedRecording,
} from '@jackfield/contract';
import { type ApiRoute, route } from '../../http/index.ts';
import { accepted, refused } from '../../kernel/result.ts';
import { readCallReference, readMembers } from './domain/call-reference.ts';
import type { RecordedTrack, RecordingChoice } from './domain/room-recording.ts';
import type { Viewer } from './queries.ts';
import type { RecordingCommands } from './recording-commands.ts';
import { noSuchMember } from './refusals.ts';

/** docs/interface/multiparty-calls.md#operations: Record, of the call and of participants. */
export function recordingRoutes(commands: RecordingCommands): readonly ApiRoute[] {
  const start = route({
    method: 'POST',
    path: 'MultiPartyCall/:mpc/Record/',
    operation: 'Record a multiparty call',
    description: 'Everybody on one channel. One such recording at a time.',
    schema: { params: mpcPath, body: recordMpc, response: startedRecording },
    success: 202,
    async run({ account, params, body }) {
      const { file_format, recording_callback_url: url, recording_callback_method: method } = body;
      const started = await commands.start(account, readCallReference(params.mpc), {
        of: 'call',
        track: 'mix',
        format: formatOf(file_format),
        callback: readRequest(url, method),
      });
      if (!started.ok) return started;
      const { call, recordings } = started.value;
      return accepted({
        message: `MPC: ${call.friendly_name} record started`,
        recording_id: recordings[0]!.uuid,
        recording_url: recordings[0]!.url,
      });
    },
  });

  const startOfParticipant = route({
    method: 'POST',
    path: 'MultiPartyCall/:mpc/Participant/:member_id/Record/',
    operation: 'Record one participant, several or all',
    id: 'recordParticipants',
    description:
      'all: those who have joined at that moment. `recordings` has one item for each participant and track; `recording_id` and `recording_url` are those of the first. All of them begin, or none.',
    schema: { params: mpcMemberPath, body: recordParticipant, response: startedParticipantRecording },
    success: 202,
    async run({ account, params, body }) {
      const { file_format, recording_callback_url: url, recording_callback_method: method } = body;
      const members = readMembers(params.member_id);
      if (members === undefined) return refused(noSuchMember(params.member_id));
      const wantedOf = (of: number) =>
        tracksOf(body.record_track_type).map((track) => ({
          of,
          track,
          format: formatOf(file_format),
          callback: readRequest(url, method),
        }));
      const reference = readCallReference(params.mpc);
      const started = await commands.startOfMembers(account, reference, members, wantedOf);
      if (!started.ok) return started;
      const { call, recordings } = started.value;
      return accepted({
        message: `MPC: ${call.friendly_name} participant record started`,
        recording_id: recordings[0]!.uuid,
        recording_url: recordings[0]!.url,
        recordings: recordings.map((each) => ({
          member_id: String(each.of),
          record_track_type: each.track,
          recording_id: each.uuid,
          recording_url: each.url,
        })),
      });
    },
  });

  const changes = [
    ['DELETE', '', 'stop-recording', 'Stop recording'],
    ['POST', 'Pause/', 'pause-recording', 'Pause the recording of'],
    ['POST', 'Resume/', 'resume-recording', 'Resume the recording of'],
  ] as const;

  const ofCall = changes.map(([method, path, type, does]) =>
    route({
      method,
      path: `MultiPartyCall/:mpc/Record/${path}`,
      operation: `${does} a multiparty call`,
      schema: { params: mpcPath },
      success: 204,
      run: ({ account, params }) =>
        commands.change(account, readCallReference(params.mpc), type, { of: 'call' }),
    }),
  );

  const changeOf = (
    account: Viewer,
    params: { readonly mpc: string; readonly member_id: string },
    type: (typeof changes)[number][2],
    wanted: ParticipantTracks,
  ) => {
    const of = readMembers(params.member_id);
    if (of === undefined) return Promise.resolve(refused(noSuchMember(params.member_id)));
    const which: RecordingChoice = { of, tracks: chosenTracks(wanted) };
    return commands.change(account, readCallReference(params.mpc), type, which);
  };

  const ofParticipants = changes.map(([method, path, type, does]) => {
    const shared = {
      path: `MultiPartyCall/:mpc/Participant/:member_id/Record/${path}`,
      operation: `${does} participants`,
      success: 204,
    } as const;
    // A DELETE has its body among its query (http/register-routes.ts).
    return method === 'DELETE'
      ? route({
          ...shared,
          method,
          schema: { params: mpcMemberPath, query: participantTracks },
          run: ({ account, params, query }) => changeOf(account, params, type, query),
        })
      : route({
          ...shared,
          method,
          schema: { params: mpcMemberPath, body: participantTracks },
          run: ({ account, params, body }) => changeOf(account, params, type, body),
        });
  });

  return [start, ...ofCall, startOfParticipant, ...ofParticipants];
}

/** docs/interface/multiparty-calls.md#operations: all by default; of `both` the file of everybody is named first. */
function tracksOf(wanted: string | undefined): readonly RecordedTrack[] {
  switch (wanted?.toLowerCase()) {
    case 'participant':
      return ['participant'];
    case 'both':
      return ['all', 'participant'];
    default:
      return ['all'];
  }
}

function chosenTracks({
  record_track_type: wanted,
}: ParticipantTracks): 'participant' | 'all' | 'both' | null {
  return readOneOf(['participant', 'all', 'both'], wanted) ?? null;
}

function formatOf(format: 'mp3' | 'wav' | undefined): 'mp3' | 'wav' {
  return readOneOf(['mp3', 'wav'], format) ?? 'mp3';
}
