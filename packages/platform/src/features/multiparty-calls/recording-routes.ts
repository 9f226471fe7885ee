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
import { accepted } from '../../kernel/result.ts';
import { readCallReference } from './domain/call-reference.ts';
import type { RecordedTrack, RecordingChoice } from './domain/room-recording.ts';
import type { Viewer } from './queries.ts';
import type { RecordingCommands } from './recording-commands.ts';
import { requestedMembers } from './rooms/requested-call.ts';

/** docs/interface/multiparty-calls.md#operations: Record, of the call and of participants. */
export function recordingRoutes(commands: RecordingCommands): readonly ApiRoute[] {
  return [
    recordCall(commands),
    ...changes.map((change) => changeOfCall(commands, change)),
    recordParticipants(commands),
    ...changes.map((change) => changeOfParticipants(commands, change)),
  ];
}

const changes = [
  ['DELETE', '', 'stop-recording', 'Stop recording'],
  ['POST', 'Pause/', 'pause-recording', 'Pause the recording of'],
  ['POST', 'Resume/', 'resume-recording', 'Resume the recording of'],
] as const;
type Change = (typeof changes)[number];

function recordCall(commands: RecordingCommands): ApiRoute {
  return route({
    method: 'POST',
    path: 'MultiPartyCall/:mpc/Record/',
    operation: 'Record a multiparty call',
    description: 'All participants on one channel. One such recording at a time.',
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
}

function recordParticipants(commands: RecordingCommands): ApiRoute {
  return route({
    method: 'POST',
    path: 'MultiPartyCall/:mpc/Participant/:member_id/Record/',
    operation: 'Record one participant, several or all',
    id: 'recordParticipants',
    description:
      'all: the participants who have joined at that moment. `recordings` has one item for each participant and track; `recording_id` and `recording_url` are those of the first. All of them begin, or none.',
    schema: { params: mpcMemberPath, body: recordParticipant, response: startedParticipantRecording },
    success: 202,
    async run({ account, params, body }) {
      const { file_format, recording_callback_url: url, recording_callback_method: method } = body;
      const members = requestedMembers(params.member_id);
      if (!members.ok) return members;
      const recordingsOf = (of: number) =>
        tracksOf(body.record_track_type).map((track) => ({
          of,
          track,
          format: formatOf(file_format),
          callback: readRequest(url, method),
        }));
      const reference = readCallReference(params.mpc);
      const started = await commands.startOfMembers(account, reference, members.value, recordingsOf);
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
}

function changeOfCall(commands: RecordingCommands, [method, path, type, operation]: Change): ApiRoute {
  return route({
    method,
    path: `MultiPartyCall/:mpc/Record/${path}`,
    operation: `${operation} a multiparty call`,
    schema: { params: mpcPath },
    success: 204,
    run: ({ account, params }) =>
      commands.change(account, readCallReference(params.mpc), type, { of: 'call' }),
  });
}

function changeOfParticipants(
  commands: RecordingCommands,
  [method, path, type, operation]: Change,
): ApiRoute {
  const shared = {
    path: `MultiPartyCall/:mpc/Participant/:member_id/Record/${path}`,
    operation: `${operation} participants`,
    success: 204,
  } as const;
  const change = async (
    account: Viewer,
    params: { readonly mpc: string; readonly member_id: string },
    tracks: ParticipantTracks,
  ) => {
    const members = requestedMembers(params.member_id);
    if (!members.ok) return members;
    const which: RecordingChoice = { of: members.value, tracks: chosenTracks(tracks) };
    return commands.change(account, readCallReference(params.mpc), type, which);
  };
  // The server merges the body of a DELETE into its query (http/register-routes.ts).
  return method === 'DELETE'
    ? route({
        ...shared,
        method,
        schema: { params: mpcMemberPath, query: participantTracks },
        run: ({ account, params, query }) => change(account, params, query),
      })
    : route({
        ...shared,
        method,
        schema: { params: mpcMemberPath, body: participantTracks },
        run: ({ account, params, body }) => change(account, params, body),
      });
}

/** docs/interface/multiparty-calls.md#operations: all by default; for `both` the multi-channel file comes first. */
function tracksOf(requested: string | undefined): readonly RecordedTrack[] {
  switch (requested?.toLowerCase()) {
    case 'participant':
      return ['participant'];
    case 'both':
      return ['all', 'participant'];
    default:
      return ['all'];
  }
}

function chosenTracks({
  record_track_type: requested,
}: ParticipantTracks): 'participant' | 'all' | 'both' | null {
  return readOneOf(['participant', 'all', 'both'], requested) ?? null;
}

function formatOf(format: 'mp3' | 'wav' | undefined): 'mp3' | 'wav' {
  return readOneOf(['mp3', 'wav'], format) ?? 'mp3';
}
