/**
 * A REFER of the peer, and the subscription of an accepted one (RFC 3515 §2.4.4).
 *
 *   none ──REFER──▶ asked ──accept, 202──▶ accepted ──final report, limit, NOTIFY refused──▶ none
 *                     ╰──refuse, limit, end of the session──▶ none
 *
 * `isSilent`: the peer declined the subscription (RFC 4488) and gets no NOTIFY.
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

/** The content of a NOTIFY. */
export interface Notice {
  /** The CSeq of the REFER whose subscription it belongs to (RFC 3515 §2.4.6). */
  readonly refer: number;
  readonly event: string;
  readonly subscription: string;
  /** Status code and reason phrase. */
  readonly status: string;
}

/**
 * The unanswered NOTIFY, and the notices that wait for it, of its own subscription or of another one. The peer would refuse
 * a NOTIFY that the next one overtakes within the dialog (RFC 3261 §12.2.2).
 */
export interface Notifying {
  readonly cseq: number;
  readonly notice: Notice;
  readonly waiting: readonly Notice[];
}

/** Before the first REFER. */
export const noReferral: Referral = { state: 'none', taken: 0 };

/** Whether this NOTIFY ends the subscription. */
export function isLast({ status }: Notice): boolean {
  return Number.parseInt(status, 10) >= 200;
}

/** Whether a NOTIFY that ends a subscription is on its way or waiting. */
export function reportsEnd(notifying: Notifying | undefined): boolean {
  return notifying !== undefined && [notifying.notice, ...notifying.waiting].some(isLast);
}
