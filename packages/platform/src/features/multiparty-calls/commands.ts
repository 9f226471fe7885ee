import type { KeyedQueue } from '../../kernel/keyed-queue.ts';
import { draining, type Problem, problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { Sessions } from '../../kernel/session-runner.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Database } from '../../ports/database.ts';
import type { CallReference } from './domain/call-reference.ts';
import { friendlyNameAllowed, isFriendlyName } from './domain/friendly-name.ts';
import {
  type Members,
  type MultipartyCall,
  type MultipartyCallInput,
  type MultipartyCallReply,
  newMultipartyCall,
} from './domain/multiparty-call.ts';
import type { Switches, WantedParticipant } from './domain/participant.ts';
import type { MultipartyCallQueries, Viewer } from './queries.ts';
import { hasEnded, noSuchCall, problemOfRefusal } from './refusals.ts';
import type { MultipartyCallRow } from './tables.ts';
import type { WantedAddition } from './wanted-participant.ts';

export interface CommandDeps {
  readonly sessions: Sessions<MultipartyCall, MultipartyCallInput>;
  readonly queries: MultipartyCallQueries;
  readonly memberIds: { next(): Promise<number> };
  readonly additions: KeyedQueue;
  readonly database: Database;
  readonly clock: Clock;
  readonly newUuid: () => string;
  readonly isDraining: () => boolean;
}

export interface AddedParticipant {
  readonly participant: WantedParticipant;
  readonly mpcUuid: string;
}

export type MultipartyCallCommands = ReturnType<typeof createCommands>;

/** How often an addition looks again when the call that it found ended under its hands. */
const attempts = 5;

/** Seconds after which a client that was refused while draining may try again. */
const drainRetrySeconds = 10;

export function createCommands(deps: CommandDeps) {
  const { sessions, queries } = deps;

  /** Adds to the live call of that name, or creates it. Additions to one name are taken one after another. */
  async function add(
    viewer: Viewer,
    reference: CallReference,
    wanted: WantedAddition,
  ): Promise<Result<AddedParticipant>> {
    if (deps.isDraining()) return refused(draining(drainRetrySeconds));
    const found = reference.uuid === undefined ? undefined : await queries.findByUuid(viewer, reference.uuid);
    if (found !== undefined) {
      if (found.ended_at !== null) return refused(hasEnded(found.mpc_uuid));
      return addTo(found.mpc_uuid, await newMember(wanted));
    }
    const { name } = reference;
    if (name === undefined) return refused(noSuchCall(reference));
    if (!isFriendlyName(name)) {
      return refused({
        ...problem('invalid-parameter', `the name of a multiparty call must be ${friendlyNameAllowed}`),
        parameter: 'friendly_name',
      });
    }
    return deps.additions.run(`${viewer.authId}/${name}`, async () => {
      const participant = await newMember(wanted);
      for (let attempt = 0; attempt < attempts; attempt++) {
        const live = await queries.live(viewer.authId, name);
        const result =
          live === undefined
            ? await create(viewer, name, wanted, participant)
            : await addTo(live.mpc_uuid, participant);
        // It ended, or another node created it, between the look and the wish.
        if (result !== undefined && (result.ok || result.problem.code !== 'not-found')) return result;
      }
      return refused(
        problem('conflict', `multiparty call "${name}" is just beginning or ending elsewhere; try again`),
      );
    });
  }

  async function create(
    viewer: Viewer,
    name: string,
    { settings }: WantedAddition,
    participant: WantedParticipant,
  ): Promise<Result<AddedParticipant> | undefined> {
    const call = newMultipartyCall(
      {
        uuid: deps.newUuid(),
        account: viewer.authId,
        mainAccount: viewer.main,
        name,
        createdAt: deps.clock.now(),
      },
      settings,
    );
    try {
      const startsAtOnce = participant.startsOnEnter;
      await sessions.open(call.uuid, call, { type: 'created', participant, startsAtOnce });
    } catch (error) {
      if (deps.database.isUniqueViolation(error)) return undefined;
      throw error;
    }
    return accepted({ participant, mpcUuid: call.uuid });
  }

  async function addTo(mpcUuid: string, participant: WantedParticipant): Promise<Result<AddedParticipant>> {
    const refusal = await ask(mpcUuid, { type: 'add-participant', participant });
    return refusal === undefined ? accepted({ participant, mpcUuid }) : refused(refusal);
  }

  async function newMember({ participant }: WantedAddition): Promise<WantedParticipant> {
    const leg = deps.newUuid();
    // One destination: the request and its call share their identifier, as clients of the hosted service expect.
    return { ...participant, memberId: await deps.memberIds.next(), leg, requestUuid: leg };
  }

  /** The live call that a path names. */
  async function liveCall(viewer: Viewer, reference: CallReference): Promise<Result<MultipartyCallRow>> {
    const call = await queries.find(viewer, reference);
    if (call === undefined) return refused(noSuchCall(reference));
    if (call.ended_at !== null) {
      return refused(hasEnded(call.mpc_uuid));
    }
    return accepted(call);
  }

  async function ask(mpcUuid: string, input: MultipartyCallInput): Promise<Problem | undefined> {
    const reply = await sessions.ask<MultipartyCallReply>(mpcUuid, input);
    return reply === 'done' ? undefined : problemOfRefusal(mpcUuid, reply ?? { because: 'ended' });
  }

  async function order(
    viewer: Viewer,
    reference: CallReference,
    input: MultipartyCallInput,
  ): Promise<Result<MultipartyCallRow>> {
    const call = await liveCall(viewer, reference);
    if (!call.ok) return call;
    const refusal = await ask(call.value.mpc_uuid, input);
    return refusal === undefined ? call : refused(refusal);
  }

  return {
    add,

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
      // interface.md: coach_mode is for an individual member only.
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

    kick: (viewer: Viewer, reference: CallReference, members: Members) =>
      order(viewer, reference, { type: 'kick', members }),
  };
}
