import type { SipRequest } from '../message/message.ts';
import { answerInDialog, infoEvent } from './answers.ts';
import { isOutOfOrder, refreshTarget, withRemoteCseq } from './dialog.ts';
import type { EarlyDialog, InviteBranch } from './outgoing-call-state.ts';
import type { SessionEffect } from './session-state.ts';

/** An early dialog with the branch that it belongs to. */
export interface FoundEarly {
  readonly name: string;
  readonly tag: string;
  readonly branch: InviteBranch;
  readonly early: EarlyDialog;
}

/** Names the dialog that a fork of a branch makes, early and confirmed. */
export function sessionId(branch: string, tag: string): string {
  return `${branch};${tag}`;
}

/** The first early dialog for whose branch name and To tag `isIt` is true. */
export function findEarly(
  branches: ReadonlyMap<string, InviteBranch>,
  isIt: (name: string, tag: string) => boolean,
): FoundEarly | undefined {
  for (const [name, branch] of branches) {
    for (const [tag, early] of branch.early) if (isIt(name, tag)) return { name, tag, branch, early };
  }
  return undefined;
}

/** A request of the callee before its 2xx; `isAwaited` means that the owner still waits for this call. */
export function onEarlyRequest(
  early: EarlyDialog,
  transaction: string,
  request: SipRequest,
  isAwaited: boolean,
): { readonly early: EarlyDialog; readonly effects: readonly SessionEffect[] } {
  if (isOutOfOrder(early.dialog, request)) {
    return { early, effects: [{ do: 'respond', transaction, status: 500 }] };
  }
  const { method } = request;
  const isRefresh = method === 'UPDATE' && request.body === '';
  const numbered = withRemoteCseq(early.dialog, request);
  const next = { ...early, dialog: isRefresh ? refreshTarget(numbered, request) : numbered };
  const status = isRefresh ? 200 : earlyStatus(method, early.answer !== '');
  if (status !== undefined) return { early: next, effects: [{ do: 'respond', transaction, status }] };
  const answer = answerInDialog(request);
  const effects: SessionEffect[] = [{ do: 'respond', transaction, ...answer }];
  const info = isAwaited ? infoEvent(request, answer) : undefined;
  if (info) effects.push(info);
  return { early: next, effects };
}

function earlyStatus(method: string, isAnswered: boolean): number | undefined {
  switch (method) {
    case 'INVITE':
      return 491; // RFC 3261 §14.2: our INVITE is in progress.
    case 'BYE':
      return 200; // RFC 3261 §15: the callee MUST NOT send BYE here; the INVITE's own final response ends the branch.
    case 'UPDATE':
      // RFC 3311 §5.2: 491 while our offer has no answer. Afterwards the owner answers, or 487 if it no longer waits for this call.
      return isAnswered ? 487 : 491;
    case 'PRACK':
      return 481;
    default:
      return undefined;
  }
}
