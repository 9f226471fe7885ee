import { callEnds } from '@jackfield/ports';
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

export type TransferDeps = Pick<CommandDeps, 'log'> & {
  readonly sessions: Pick<CommandDeps['sessions'], 'ask' | 'peek'>;
  readonly calls: Pick<CommandDeps['calls'], 'hangUp' | 'partnerOf' | 'peek'>;
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
    const moved = await carryOut(moves);
    if (!moved.ok) return moved;
    const legs = partner === undefined ? [leg] : [leg, partner];
    return accepted(legs.filter((each) => moved.value.includes(each)));
  };

  /** A refusal has changed nothing: each move is checked before the first is carried out. */
  async function carryOut(moves: readonly Move[]): Promise<Result<readonly string[]>> {
    for (const { leg } of moves) {
      const live = movable(leg);
      if (!live.ok) return live;
    }
    const moved: string[] = [];
    for (const move of moves) {
      const moving = deps.queue.run(move.leg, () => carriedOut(move));
      const refusal = await (moved.length === 0 ? moving : moving.catch((error) => failed(move, error)));
      if (refusal === undefined) moved.push(move.leg);
      else if (moved.length === 0) return refused(refusal);
      // The first move has left this leg with nothing that runs on it.
      else calls.hangUp(move.leg, callEnds(4000, 'API Request'));
    }
    return accepted(moved);
  }

  function failed({ leg }: Move, error: unknown): Problem {
    deps.log.error({ leg, err: error }, 'second leg of a transfer not moved');
    return noSuchCall(leg);
  }

  /** The leg, or why it cannot be moved now. */
  function movable(leg: string): Result<LiveLeg> {
    const live = calls.peek(leg);
    const run = sessions.peek(leg);
    if (live === undefined || run?.phase === 'leaving') return refused(noSuchCall(leg));
    if (live.direction === 'outbound' && live.phase !== 'answered') return refused(notAnswered(leg));
    return run?.phase === 'closing' ? refused(stillRecording(leg)) : accepted(live);
  }

  async function carriedOut(move: Move): Promise<Problem | undefined> {
    const live = movable(move.leg);
    if (!live.ok) return live.problem;
    const reply = runsItself(move.leg) ? await replaced(move) : await claimed(move, live.value);
    switch (reply) {
      case 'transferred':
        return undefined;
      case 'unanswered':
        return notAnswered(move.leg);
      case 'busy':
        return stillRecording(move.leg);
      default:
        return noSuchCall(move.leg);
    }
  }

  /** The run of an offered leg requests its first document while its owner is still null: that is saved meanwhile. */
  function runsItself(leg: string): boolean {
    const owner = calls.peek(leg)?.owner ?? { kind: ownerKind, id: leg };
    return owner.kind === ownerKind && owner.id === leg && sessions.peek(leg) !== undefined;
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

function stillRecording(leg: string): Problem {
  return problem('conflict', `recordings of call ${leg} are still being completed; try again`);
}
