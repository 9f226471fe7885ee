import type { Clock, Database } from '@jackfield/ports';
import type { KeyedQueue } from '../../../kernel/keyed-queue.ts';
import { draining, invalidParameter, notFound, problem } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import type { Sessions } from '../../../kernel/session-runner.ts';
import { type Calls, liveCallOf } from '../../calls/index.ts';
import type { Rate, Usage } from '../../usage/index.ts';
import type { CallReference } from '../domain/call-reference.ts';
import { friendlyNameAllowed, isFriendlyName } from '../domain/friendly-name.ts';
import {
  type CallSettings,
  type MultipartyCall,
  type MultipartyCallInput,
  type MultipartyCallReply,
  newMultipartyCall,
  type Rivals,
} from '../domain/multiparty-call.ts';
import { type AgentStream, addedParticipant, exited, type WantedParticipant } from '../domain/participant.ts';
import type { WantedAddition } from '../participant-parameters.ts';
import type { MultipartyCallQueries, Viewer } from '../queries.ts';
import { hasEnded, noSuchCall, problemOfRefusal } from '../refusals.ts';
import { endOf, ownerKind, ownerOf } from '../sessions.ts';
import { type JoiningParticipant, readJoining } from './joining-participant.ts';
import { remarksOf } from './remarks.ts';

export interface AdditionDeps {
  readonly sessions: Sessions<MultipartyCall, MultipartyCallInput>;
  readonly calls: Calls;
  readonly queries: MultipartyCallQueries;
  readonly memberIds: { next(): Promise<number> };
  readonly additions: KeyedQueue;
  readonly database: Database;
  readonly usage: Pick<Usage, 'rateOf' | 'rateOfStreams'>;
  readonly clock: Clock;
  readonly newUuid: () => string;
  readonly isDraining: () => boolean;
}

/** What a request has added: one participant, or several phones for one place. */
export interface Addition {
  readonly rivals: Rivals;
  readonly mpcUuid: string;
}

export interface JoinedParticipant {
  readonly mpcUuid: string;
  readonly memberId: string;
  readonly requestUuid: string;
}

type Unnumbered = Omit<WantedParticipant, 'memberId' | 'rate'>;

/** How often an addition looks again when the call that it found ended under its hands. */
const attempts = 5;

/** Seconds after which a client that was refused while draining may try again. */
const drainRetrySeconds = 10;

/** The ways into a multiparty call: dialled for it, moved into it, or lent to it by the document that runs on the leg. */
export function createAdditions(deps: AdditionDeps) {
  const { sessions, calls, queries, newUuid } = deps;

  /** As the API asks for it. */
  async function add(
    viewer: Viewer,
    reference: CallReference,
    wanted: WantedAddition,
  ): Promise<Result<Addition>> {
    if (wanted.callUuid !== null) return move(viewer, reference, wanted, wanted.callUuid);
    if (deps.isDraining()) return refused(draining(drainRetrySeconds));
    const [first, ...others] = wanted.phones;
    const leg = newUuid();
    // One destination: the request and its call share their identifier, as clients of the hosted service expect.
    const requestUuid = others.length === 0 ? leg : newUuid();
    const named = { ...wanted.participant, requestUuid, origin: 'dialled' } as const;
    return place(viewer, reference, wanted.settings, [
      { ...named, ...first, leg },
      ...others.map((phone) => ({ ...named, ...phone, leg: newUuid() })),
    ]);
  }

  /** Takes a live call out of whatever it is in (docs/interface/multiparty-calls.md#adding-participants). It is not new: also while draining. */
  async function move(
    viewer: Viewer,
    reference: CallReference,
    wanted: WantedAddition,
    leg: string,
  ): Promise<Result<Addition>> {
    const found = liveCallOf(calls, viewer, leg);
    if (!found.ok) return found;
    const live = found.value;
    const { from, to, callerName } = live;
    const added = await place(viewer, reference, wanted.settings, [
      {
        ...wanted.participant,
        from,
        to,
        ringTimeoutSeconds: 0,
        delaySeconds: 0,
        callerName,
        callStatusCallback: null,
        leg,
        requestUuid: newUuid(),
        origin: 'taken',
      },
    ]);
    if (!added.ok) return added;
    const { mpcUuid } = added.value;
    if (!(await calls.take(leg, ownerOf(mpcUuid)))) return lost(mpcUuid, leg);
    const isAnswered = calls.peek(leg)?.phase === 'answered';
    const reply = await sessions.ask<MultipartyCallReply>(mpcUuid, { type: 'leg-here', leg, isAnswered });
    if (reply === 'done') {
      if (!isAnswered && live.direction === 'inbound') calls.answer(leg);
      return added;
    }
    // The call ended, or the participant was kicked, while the leg was on its way; nobody else will hang it up.
    const owner = calls.peek(leg)?.owner;
    if (owner?.kind === ownerKind && owner.id === mpcUuid) calls.hangUp(leg, endOf('end-requested'));
    return refused(problemOfRefusal(mpcUuid, reply ?? { because: 'ended' }));
  }

  /**
   * Borrows an answered leg from the document that runs on it. Once this has succeeded, the leg is given back exactly
   * once (`leg-returned`, perhaps before the promise resolves), unless it ends or is taken before.
   */
  async function join(order: JoiningParticipant): Promise<Result<JoinedParticipant>> {
    const { leg, account, mainAccount } = order;
    if (order.instruction.agent !== undefined) return joinAgent(order, order.instruction.agent);
    if (calls.peek(leg)?.phase !== 'answered') return refused(notFound('answered call', leg));
    const viewer = { authId: account, isSubaccount: account !== mainAccount, main: mainAccount };
    const { name } = order.instruction;
    const { participant: wanted, settings } = readJoining(order);
    const names = { leg, requestUuid: newUuid(), origin: 'borrowed' } as const;
    const added = await place(viewer, { text: name, name }, settings, [{ ...wanted, ...names }]);
    if (!added.ok) return added;
    const {
      mpcUuid,
      rivals: [participant],
    } = added.value;
    if (!(await calls.lend(leg, ownerOf(mpcUuid)))) return lost(mpcUuid, leg);
    const reply = await sessions.ask<MultipartyCallReply>(mpcUuid, {
      type: 'leg-here',
      leg,
      isAnswered: true,
    });
    if (reply !== 'done') {
      // It never came in; the document has its leg again by the same way as after a long conversation.
      const now = deps.clock.wallNow();
      const gone = exited(addedParticipant(participant, now), 'Multiparty Call Ended', now);
      calls.giveBack(leg, ownerOf(mpcUuid), remarksOf({ uuid: mpcUuid, name }, gone));
    }
    const { memberId, requestUuid } = participant;
    return accepted({ mpcUuid, memberId: String(memberId), requestUuid });
  }

  /** A document brings a program in, and goes on. */
  async function joinAgent(
    order: JoiningParticipant,
    agent: AgentStream,
  ): Promise<Result<JoinedParticipant>> {
    if (deps.isDraining()) return refused(draining(drainRetrySeconds));
    const { account, mainAccount, from } = order;
    const viewer = { authId: account, isSubaccount: account !== mainAccount, main: mainAccount };
    const { name } = order.instruction;
    const { participant, settings } = readJoining(order);
    const leg = newUuid();
    const added = await place(viewer, { text: name, name }, settings, [
      { ...participant, agent, from, to: 'ai-agent', leg, requestUuid: leg, origin: 'dialled' },
    ]);
    if (!added.ok) return added;
    const [{ memberId, requestUuid }] = added.value.rivals;
    return accepted({ mpcUuid: added.value.mpcUuid, memberId: String(memberId), requestUuid });
  }

  /** The leg ended, or is lent to another, between the look and the request. */
  function lost(mpcUuid: string, leg: string): Result<never> {
    sessions.send(mpcUuid, { type: 'leg-ended', leg });
    return refused(notFound('live call', leg));
  }

  /** Into the live call of that name, or a new one. Additions to one name are taken one after another. */
  async function place(
    viewer: Viewer,
    reference: CallReference,
    settings: CallSettings,
    wanted: readonly [Unnumbered, ...Unnumbered[]],
  ): Promise<Result<Addition>> {
    const named = async (): Promise<Rivals> => {
      const [first, ...others] = wanted;
      const rivals: [WantedParticipant, ...WantedParticipant[]] = [await numbered(first)];
      for (const each of others) rivals.push(await numbered(each));
      return rivals;
    };
    const found = reference.uuid === undefined ? undefined : await queries.findByUuid(viewer, reference.uuid);
    if (found !== undefined) {
      if (found.ended_at !== null) return refused(hasEnded(found.mpc_uuid));
      return placeInto(found.mpc_uuid, await named());
    }
    const { name } = reference;
    if (name === undefined) return refused(noSuchCall(reference));
    if (!isFriendlyName(name)) {
      return refused(invalidParameter('friendly_name', name, friendlyNameAllowed));
    }
    return deps.additions.run(`${viewer.authId}/${name}`, async () => {
      const rivals = await named();
      for (let attempt = 0; attempt < attempts; attempt++) {
        const live = await queries.live(viewer.authId, name);
        if (live === undefined && rivals[0].joinsOthersOnly) return refused(noSuchCall({ text: name, name }));
        const result =
          live === undefined
            ? await create(viewer, name, settings, rivals)
            : await placeInto(live.mpc_uuid, rivals);
        // It ended, or another node created it, between the look and the request.
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
    settings: CallSettings,
    rivals: Rivals,
  ): Promise<Result<Addition> | undefined> {
    const { authId: account, main: mainAccount } = viewer;
    const call = newMultipartyCall(
      { uuid: newUuid(), account, mainAccount, name, createdAt: deps.clock.wallNow() },
      settings,
    );
    try {
      await sessions.open(call.uuid, call, { type: 'created', rivals });
    } catch (error) {
      if (deps.database.isUniqueViolation(error)) return undefined;
      throw error;
    }
    return accepted({ rivals, mpcUuid: call.uuid });
  }

  async function numbered(wanted: Unnumbered): Promise<WantedParticipant> {
    return { ...wanted, rate: rateOf(wanted), memberId: await deps.memberIds.next() };
  }

  /** That of its leg: a phone that called us is billed as such, wherever it is moved to. */
  function rateOf({ origin, leg, to, agent }: Unnumbered): Rate {
    if (agent !== undefined) return deps.usage.rateOfStreams();
    const isInbound = origin !== 'dialled' && calls.peek(leg)?.direction === 'inbound';
    return isInbound ? deps.usage.rateOf('inbound', 'sip') : deps.usage.rateOf('outbound', to);
  }

  async function placeInto(mpcUuid: string, rivals: Rivals): Promise<Result<Addition>> {
    const reply = await sessions.ask<MultipartyCallReply>(mpcUuid, { type: 'add-participant', rivals });
    if (reply === 'done') return accepted({ rivals, mpcUuid });
    return refused(problemOfRefusal(mpcUuid, reply ?? { because: 'ended' }));
  }

  return { add, join };
}
