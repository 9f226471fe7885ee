import { statusOfEnd } from '../domain/cause-of-end.ts';
import type { OwnedLegNotice } from '../public-api.ts';

/** The phone that waits for an outcome. */
interface Awaiting {
  readonly leg: string;
  /** The leg that decides it comes from another node. */
  readonly isFetched: boolean;
}

/** Outcomes of transfers, for the phones that have requested them (RFC 3515 §2.4.5). */
export class TransferOutcomes {
  /** By the leg that decides the outcome. */
  readonly #awaited = new Map<string, Awaiting>();
  readonly #report: (leg: string, status: number) => void;

  /** `report` reports a status to the phone of a leg, which may live at another node. */
  constructor(report: (leg: string, status: number) => void) {
    this.#report = report;
  }

  /** The phone waits for what becomes of the leg that decides. */
  expect(decisive: string, phone: Awaiting): void {
    this.#awaited.set(decisive, phone);
  }

  /** False when the outcome of this leg has been reported. */
  forget(decisive: string): boolean {
    return this.#awaited.delete(decisive);
  }

  observed(notice: OwnedLegNotice): void {
    const waiting = this.#awaited.get(notice.leg);
    const status = waiting === undefined ? undefined : statusOf(notice, waiting);
    if (waiting === undefined || status === undefined) return;
    this.#report(waiting.leg, status);
    if (status >= 200) this.#awaited.delete(notice.leg);
  }
}

/** Undefined for a notice without a status. */
function statusOf(notice: OwnedLegNotice, { isFetched }: Awaiting): number | undefined {
  switch (notice.type) {
    case 'leg-ringing':
      return 180;
    case 'leg-answered':
    case 'leg-given':
      return 200;
    case 'leg-taken':
      // Its home has kept it. That of a leg of this node comes for its owner before.
      return isFetched ? 480 : undefined;
    case 'leg-ended':
      return statusOfEnd(notice.end);
    default:
      return undefined;
  }
}
