/**
 * A REFER of the peer, and the subscription that accepting it makes (RFC 3515 §2.4.4).
 *
 *   none ──REFER──▶ asked ──accept, 202──▶ accepted ──final report, limit, NOTIFY refused──▶ none
 *                     ╰──refuse, limit, end of the session──▶ none
 *
 * `isSilent`: the peer wants no subscription (RFC 4488), and is told nothing.
 */
export type Referral =
  | { readonly state: 'none'; readonly taken: number }
  | {
      readonly state: 'asked';
      readonly taken: number;
      readonly transaction: string;
      readonly cseq: number;
      readonly isSilent: boolean;
    }
  | {
      readonly state: 'accepted';
      readonly taken: number;
      readonly cseq: number;
      readonly isSilent: boolean;
    };

/** What a NOTIFY says. */
export interface Notice {
  /** The CSeq of the REFER whose subscription it belongs to (RFC 3515 §2.4.6). */
  readonly refer: number;
  readonly event: string;
  readonly subscription: string;
  readonly status: number;
}

/**
 * The NOTIFY that has no answer yet, and those that wait for it, of its own subscription or of another one: one that is overtaken by the next
 * within the dialog is out of order (RFC 3261 §12.2.2), and refused.
 */
export interface Notifying {
  readonly cseq: number;
  readonly notice: Notice;
  readonly waiting: readonly Notice[];
}

/** No REFER has come yet. */
export const noReferral: Referral = { state: 'none', taken: 0 };

/** Whether this NOTIFY says that the subscription is over. */
export function isLast({ status }: Notice): boolean {
  return status >= 200;
}

/** Whether the end of a subscription is being told, or is to be. */
export function tellsEnd(notifying: Notifying | undefined): boolean {
  return notifying !== undefined && [notifying.notice, ...notifying.waiting].some(isLast);
}
