import { readRequest } from '@jackfield/contract';
import type { Problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { Sessions } from '../../kernel/session-runner.ts';
import type { Recordings } from '../recordings/index.ts';
import type { CallReference } from './domain/call-reference.ts';
import type { Members, MultipartyCall } from './domain/multiparty-call.ts';
import type { RecordingChoice, WantedRecording } from './domain/room-recording.ts';
import type { RoomInput, RoomReply } from './domain/room-step.ts';
import type { MultipartyCallQueries, Viewer } from './queries.ts';
import { problemOfRecording } from './recording-refusals.ts';
import { hasEnded, noSuchCall } from './refusals.ts';
import type { MultipartyCallRow } from './tables.ts';

export interface RecordingCommandsDeps {
  readonly sessions: Sessions<MultipartyCall, RoomInput>;
  readonly queries: MultipartyCallQueries;
  readonly recordings: Pick<Recordings, 'urlOf'>;
  readonly newUuid: () => string;
}

export interface StartedRecordings {
  readonly call: MultipartyCallRow;
  readonly recordings: readonly (WantedRecording & { readonly url: string })[];
}

type Unnamed = Omit<WantedRecording, 'uuid'>;
type RoomRefusal = Exclude<RoomReply, 'done'>;

export type RecordingCommands = ReturnType<typeof createRecordingCommands>;

export function createRecordingCommands({ sessions, queries, recordings, newUuid }: RecordingCommandsDeps) {
  async function liveCall(viewer: Viewer, reference: CallReference): Promise<Result<MultipartyCallRow>> {
    const call = await queries.find(viewer, reference);
    if (call === undefined) return refused(noSuchCall(reference));
    return call.ended_at === null ? accepted(call) : refused(hasEnded(call.mpc_uuid));
  }

  async function ask(mpcUuid: string, input: RoomInput): Promise<Problem | undefined> {
    const reply = await sessions.ask<RoomReply>(mpcUuid, input);
    return reply === 'done' ? undefined : problemOfRecording(mpcUuid, reply ?? { because: 'ended' });
  }

  async function startIn(
    call: MultipartyCallRow,
    wanted: readonly Unnamed[],
  ): Promise<StartedRecordings | RoomRefusal> {
    const named = wanted.map((each) => ({
      ...each,
      uuid: newUuid(),
      callback: each.callback ?? readRequest(call.recording_callback_url, call.recording_callback_method),
    }));
    const input: RoomInput = { type: 'record', wanted: named, byItself: false };
    const reply = (await sessions.ask<RoomReply>(call.mpc_uuid, input)) ?? { because: 'ended' };
    if (reply !== 'done') return reply;
    const { account } = call;
    return {
      call,
      recordings: named.map((each) => ({
        ...each,
        url: recordings.urlOf({ recording: each.uuid, account, format: each.format }),
      })),
    };
  }

  return {
    async start(
      viewer: Viewer,
      reference: CallReference,
      wanted: Unnamed,
    ): Promise<Result<StartedRecordings>> {
      const found = await liveCall(viewer, reference);
      if (!found.ok) return found;
      const started = await startIn(found.value, [wanted]);
      return 'because' in started
        ? refused(problemOfRecording(found.value.mpc_uuid, started))
        : accepted(started);
    },

    /** Of each of these members; `all`: those who have joined at this moment. All of the recordings begin, or none. */
    async startOfMembers(
      viewer: Viewer,
      reference: CallReference,
      members: Members,
      wantedOf: (member: number) => readonly Unnamed[],
    ): Promise<Result<StartedRecordings>> {
      for (;;) {
        const found = await liveCall(viewer, reference);
        if (!found.ok) return found;
        const call = found.value;
        const of =
          members === 'all' ? (await queries.present(call)).map(({ member_id }) => member_id) : members;
        const started =
          of.length === 0
            ? ({ because: 'nobody-present' } as const)
            : await startIn(call, of.flatMap(wantedOf));
        if (!('because' in started)) return accepted(started);
        // A member has left since its record was read.
        if (members === 'all' && started.because === 'no-such-member') continue;
        return refused(problemOfRecording(call.mpc_uuid, started));
      }
    },

    async change(
      viewer: Viewer,
      reference: CallReference,
      type: 'stop-recording' | 'pause-recording' | 'resume-recording',
      which: RecordingChoice,
    ): Promise<Result<undefined>> {
      const found = await liveCall(viewer, reference);
      if (!found.ok) return found;
      const refusal = await ask(found.value.mpc_uuid, { type, which });
      return refusal === undefined ? accepted(undefined) : refused(refusal);
    },
  };
}
