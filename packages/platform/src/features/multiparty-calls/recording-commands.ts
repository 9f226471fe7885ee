import { readRequest } from '@jackfield/contract';
import type { Problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { Sessions } from '../../kernel/session-runner.ts';
import type { Recordings } from '../recordings/index.ts';
import type { CallReference } from './domain/call-reference.ts';
import type { Members, MultipartyCall } from './domain/multiparty-call.ts';
import type { RecordingChoice, RequestedRecording } from './domain/room-recording.ts';
import type { RoomInput, RoomReply } from './domain/room-step.ts';
import type { MultipartyCallQueries, Viewer } from './queries.ts';
import { problemOfRecording } from './recording-refusals.ts';
import { liveCall } from './rooms/requested-call.ts';
import type { MultipartyCallRow } from './tables.ts';

export interface RecordingCommandsDeps {
  readonly sessions: Sessions<MultipartyCall, RoomInput>;
  readonly queries: MultipartyCallQueries;
  readonly recordings: Pick<Recordings, 'urlOf'>;
  readonly newUuid: () => string;
}

export interface StartedRecordings {
  readonly call: MultipartyCallRow;
  readonly recordings: readonly (RequestedRecording & { readonly url: string })[];
}

type Unnamed = Omit<RequestedRecording, 'uuid'>;
type RoomRefusal = Exclude<RoomReply, 'done'>;

export type RecordingCommands = ReturnType<typeof createRecordingCommands>;

export function createRecordingCommands({ sessions, queries, recordings, newUuid }: RecordingCommandsDeps) {
  async function ask(mpcUuid: string, input: RoomInput): Promise<Problem | undefined> {
    const reply = await sessions.ask<RoomReply>(mpcUuid, input);
    return reply === 'done' ? undefined : problemOfRecording(mpcUuid, reply ?? { because: 'ended' });
  }

  async function startIn(
    call: MultipartyCallRow,
    requested: readonly Unnamed[],
  ): Promise<StartedRecordings | RoomRefusal> {
    const named = requested.map((each) => ({
      ...each,
      uuid: newUuid(),
      callback: each.callback ?? readRequest(call.recording_callback_url, call.recording_callback_method),
    }));
    const input: RoomInput = { type: 'record', requested: named, byItself: false };
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
      requested: Unnamed,
    ): Promise<Result<StartedRecordings>> {
      const found = await liveCall(queries, viewer, reference);
      if (!found.ok) return found;
      const started = await startIn(found.value, [requested]);
      return 'because' in started
        ? refused(problemOfRecording(found.value.mpc_uuid, started))
        : accepted(started);
    },

    /** Records each of these members; `all`: the members who have joined. All of the recordings begin, or none. */
    async startOfMembers(
      viewer: Viewer,
      reference: CallReference,
      members: Members,
      requestedOf: (member: number) => readonly Unnamed[],
    ): Promise<Result<StartedRecordings>> {
      for (;;) {
        const found = await liveCall(queries, viewer, reference);
        if (!found.ok) return found;
        const call = found.value;
        const of =
          members === 'all' ? (await queries.present(call)).map(({ member_id }) => member_id) : members;
        const started =
          of.length === 0
            ? ({ because: 'none-present' } as const)
            : await startIn(call, of.flatMap(requestedOf));
        if (!('because' in started)) return accepted(started);
        // A member left after its record was read.
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
      const found = await liveCall(queries, viewer, reference);
      if (!found.ok) return found;
      const refusal = await ask(found.value.mpc_uuid, { type, which });
      return refusal === undefined ? accepted(undefined) : refused(refusal);
    },
  };
}
