import type { RequestAccount } from '../../../http/index.ts';
import type { KeyedQueue } from '../../../kernel/keyed-queue.ts';
import { type Problem, problem } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import { type LiveLeg, liveCallOf } from '../../calls/index.ts';
import { type CommandDeps, noSuchCall, notAnswered } from '../commands.ts';
import type { TransferReply } from '../domain/document-run.ts';
import type { ActionRequest } from '../domain/instruction.ts';
import { ownerKind } from '../effects.ts';
import type { RequestedTransfer } from '../parameters.ts';
import type { RunOnLeg } from './run-on-leg.ts';

export type Transfer = ReturnType<typeof createTransfer>;

type TransferDeps = Pick<CommandDeps, 'sessions' | 'calls'> & {
  readonly queue: KeyedQueue;
  readonly runOnLeg: RunOnLeg;
};

interface Move {
  readonly leg: string;
  readonly request: ActionRequest;
  /** The partner that is moved as well: it is not hung up. */
  readonly kept: string | null;
}

/** Moves legs of a live call to other documents, whatever their owner. */
export function createTransfer(deps: TransferDeps) {
  const { sessions, calls } = deps;

  /** Gives the call UUIDs of the legs that were moved. */
  return async function transfer(
    viewer: RequestAccount,
    uuid: string,
    { aLeg, bLeg }: RequestedTransfer,
  ): Promise<Result<readonly string[]>> {
    const live = liveCallOf(calls, viewer, uuid);
    if (!live.ok) return live;
    const { leg } = live.value;
    const partner = bLeg === null ? undefined : calls.partnerOf(leg);
    if (bLeg !== null && partner === undefined) {
      const sentence = `legs must be aleg: call ${leg} has no other leg at this moment`;
      return refused({ ...problem('invalid-parameter', sentence), parameter: 'legs' });
    }
    const moves: Move[] = [];
    if (aLeg !== null) moves.push({ leg, request: aLeg, kept: partner ?? null });
    if (bLeg !== null && partner !== undefined) {
      const kept = aLeg === null ? null : leg;
      // A document that loses its partner continues, and may end its call: it is moved before its partner.
      if (runsItself(partner)) moves.unshift({ leg: partner, request: bLeg, kept });
      else moves.push({ leg: partner, request: bLeg, kept });
    }
    for (const move of moves) {
      const refusal = await deps.queue.run(move.leg, () => moved(move));
      if (refusal !== undefined) return refused(refusal);
    }
    return accepted(partner === undefined ? [leg] : aLeg === null ? [partner] : [leg, partner]);
  };

  async function moved(move: Move): Promise<Problem | undefined> {
    const live = calls.peek(move.leg);
    if (live === undefined) return noSuchCall(move.leg);
    if (live.direction === 'outbound' && live.phase !== 'answered') return notAnswered(move.leg);
    const reply = runsItself(move.leg) ? await replaced(move) : await claimed(move, live);
    switch (reply) {
      case 'transferred':
        return undefined;
      case 'unanswered':
        return notAnswered(move.leg);
      case 'busy':
        return problem('conflict', `recordings of call ${move.leg} are still being completed; try again`);
      default:
        return noSuchCall(move.leg);
    }
  }

  function runsItself(leg: string): boolean {
    const owner = calls.peek(leg)?.owner;
    return owner?.kind === ownerKind && owner.id === leg && sessions.peek(leg) !== undefined;
  }

  function replaced({ leg, request, kept }: Move): Promise<TransferReply | undefined> {
    return sessions.ask<TransferReply>(leg, { type: 'transfer', request, kept });
  }

  async function claimed({ request }: Move, live: LiveLeg): Promise<TransferReply | 'busy'> {
    const first = { request, reason: 'transfer', fallback: null, hangupOnRingSeconds: null } as const;
    const begun = await deps.runOnLeg(live, first);
    return begun === 'begun' ? 'transferred' : begun;
  }
}
