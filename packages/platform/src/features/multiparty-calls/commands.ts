import { type Problem, problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { CallReference } from './domain/call-reference.ts';
import type { Members, MultipartyCallInput, MultipartyCallReply } from './domain/multiparty-call.ts';
import type { Switches } from './domain/participant.ts';
import type { RequestedPlay } from './domain/room-play.ts';
import type { Viewer } from './queries.ts';
import { problemOfRefusal } from './refusals.ts';
import { createAdditions } from './rooms/additions.ts';
import type { AdditionDeps } from './rooms/placement.ts';
import { liveCall } from './rooms/requested-call.ts';
import type { MultipartyCallRow } from './tables.ts';

export type MultipartyCallCommands = ReturnType<typeof createCommands>;

export function createCommands(deps: AdditionDeps) {
  const { sessions, queries } = deps;
  const { add, join, admit } = createAdditions(deps);

  async function ask(mpcUuid: string, input: MultipartyCallInput): Promise<Problem | undefined> {
    const reply = await sessions.ask<MultipartyCallReply>(mpcUuid, input);
    return reply === 'done' ? undefined : problemOfRefusal(mpcUuid, reply ?? { because: 'ended' });
  }

  async function order(
    viewer: Viewer,
    reference: CallReference,
    input: MultipartyCallInput,
  ): Promise<Result<MultipartyCallRow>> {
    const call = await liveCall(queries, viewer, reference);
    if (!call.ok) return call;
    const refusal = await ask(call.value.mpc_uuid, input);
    return refusal === undefined ? call : refused(refusal);
  }

  return {
    add,
    join,
    admit,

    activate: (viewer: Viewer, reference: CallReference) => order(viewer, reference, { type: 'activate' }),

    end: (viewer: Viewer, reference: CallReference) => order(viewer, reference, { type: 'end' }),

    async update(
      viewer: Viewer,
      reference: CallReference,
      members: Members,
      switches: Partial<Switches>,
    ): Promise<Result<MultipartyCallRow>> {
      if (Object.keys(switches).length === 0) {
        return refused(problem('missing-parameter', 'one of mute, hold and coach_mode must be given'));
      }
      // docs/interface/multiparty-calls.md#operations: coach_mode is for an individual member only.
      if (switches.coachMode !== undefined && (members === 'all' || members.length > 1)) {
        return refused({
          ...problem(
            'invalid-parameter',
            'coach_mode can be changed for one participant at a time: name one member_id, not several or all',
          ),
          parameter: 'coach_mode',
        });
      }
      return order(viewer, reference, { type: 'update', members, switches });
    },

    /** Resolves with the member numbers of its listeners. */
    async play(
      viewer: Viewer,
      reference: CallReference,
      members: Members,
      sound: Omit<RequestedPlay, 'key'>,
    ): Promise<Result<{ readonly call: MultipartyCallRow; readonly memberIds: readonly number[] }>> {
      const requested = { ...sound, key: deps.newUuid() };
      const call = await order(viewer, reference, { type: 'play', requested, members });
      if (!call.ok) return call;
      const plays = sessions.peek(call.value.mpc_uuid)?.plays ?? [];
      const playing = plays.find(({ key }) => key === requested.key)?.memberIds;
      return accepted({ call: call.value, memberIds: playing ?? (members === 'all' ? [] : members) });
    },

    stopPlay: (viewer: Viewer, reference: CallReference, of: 'play' | 'speak', members: Members) =>
      order(viewer, reference, { type: 'stop-play', of, members }),

    /** False where no phone of the request waits that the account sees. */
    /** False where no phone of the request waits. */
    cancelRequest: async (mpcUuid: string, requestUuid: string): Promise<boolean> =>
      (await ask(mpcUuid, { type: 'cancel-request', requestUuid })) === undefined,

    kick: (viewer: Viewer, reference: CallReference, members: Members) =>
      order(viewer, reference, { type: 'kick', members }),
  };
}
