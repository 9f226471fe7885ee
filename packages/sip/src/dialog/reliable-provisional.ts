import type { SipMessage, SipRequest, SipResponse } from '../message/message.ts';
import { parseDigits, trimSpace } from '../message/tokens.ts';
import type { HeaderPairs } from './answers.ts';
import { createCallerDialog, cseqOf, type Dialog, dialogRequest } from './dialog.ts';
import type { EarlyDialog } from './outgoing-call-state.ts';
import type { Content } from './session-state.ts';
import { namesOption } from './session-timer.ts';

/** A 1xx, repeated every minute. */
export interface Provisional {
  readonly status: number;
  readonly headers?: HeaderPairs;
  readonly content?: Content;
}

/** Largest RSeq (RFC 3262 §7.1). */
const MAX_RSEQ = 0xffff_ffff;

/** The first RSeq for a random number in [0, 1): from 1 to 2^31−1 (RFC 3262 §3). */
export function firstRSeq(chance: number): number {
  return 1 + Math.floor(chance * 0x7fff_ffff);
}

/** Whether the sender of an INVITE supports or requires reliable provisional responses (RFC 3262 §3). */
export function reliabilityOf(invite: SipRequest): 'none' | 'supported' | 'required' {
  if (namesOption(invite, 'Require', '100rel')) return 'required';
  return namesOption(invite, 'Supported', '100rel') ? 'supported' : 'none';
}

/** A provisional response with the headers that make it reliable (RFC 3262 §3). */
export function madeReliable(response: Provisional, rseq: number): Provisional {
  const headers = [...(response.headers ?? []), ['Require', '100rel'], ['RSeq', String(rseq)]] as const;
  return { ...response, headers: headers as HeaderPairs };
}

/** Whether a PRACK acknowledges the response with this RSeq to this INVITE: RAck is "RSeq CSeq INVITE" (RFC 3262 §7.2). */
export function acknowledges(prack: SipRequest, rseq: number, invite: SipRequest): boolean {
  const parts = trimSpace(prack.headers.get('RAck') ?? '').split(/[ \t]+/);
  const [acknowledged = '', cseq = '', method] = parts;
  return (
    parts.length === 3 &&
    parseDigits(acknowledged, MAX_RSEQ) === rseq &&
    parseDigits(cseq, MAX_RSEQ) === cseqOf(invite) &&
    method === 'INVITE'
  );
}

/** The RSeq of a reliable provisional response; undefined for an unreliable one. */
function rseqOf(response: SipMessage): number | undefined {
  if (!namesOption(response, 'Require', '100rel')) return undefined;
  return parseDigits(trimSpace(response.headers.get('RSeq') ?? ''), MAX_RSEQ);
}

/** The early dialog after a provisional response, and the PRACK for it. */
export interface ProvisionalTaken {
  readonly early: EarlyDialog;
  readonly prack: SipRequest | undefined;
}

/**
 * Accepts a provisional response of a fork. Undefined for a reliable response out of order: a retransmission, or one
 * whose predecessor has not arrived (RFC 3262 §4).
 */
export function takeProvisional(
  known: EarlyDialog | undefined,
  invite: SipRequest,
  response: SipResponse,
): ProvisionalTaken | undefined {
  const early = known ?? { dialog: createCallerDialog(invite, response), rseq: undefined, answer: '' };
  const rseq = rseqOf(response);
  if (rseq === undefined) return { early, prack: undefined };
  if (early.rseq !== undefined && rseq !== early.rseq + 1) return undefined;
  const { dialog, request } = prackFor(early.dialog, invite, rseq);
  // RFC 3262 §5: the first description in a reliable response is the answer; later ones are ignored.
  const answer = early.answer === '' ? response.body : early.answer;
  return { early: { dialog, rseq, answer }, prack: request };
}

/** The PRACK for a response to our INVITE (RFC 3262 §4). */
export function prackFor(
  dialog: Dialog,
  invite: SipRequest,
  rseq: number,
): { readonly dialog: Dialog; readonly request: SipRequest } {
  return dialogRequest(dialog, 'PRACK', undefined, [['RAck', `${rseq} ${cseqOf(invite)} INVITE`]]);
}
