import type { CallEnd } from './domain/hangup-cause.ts';

/**
 * The door of the calls feature for those who own legs: a multiparty call, a direct call. An owner is named by kind and
 * id and is told what happens to its legs.
 */
export interface Calls {
  /** Each kind of owner registers once how it is told. Called after the leg's own record was committed. */
  ownedBy(kind: string, tell: (owner: string, notice: OwnedLegNotice) => void): void;
  /**
   * Records an outbound leg and dials it. Whatever goes wrong (no such destination, not registered, busy, no answer)
   * arrives as `leg-ended`; the promise resolves when the record is durable.
   */
  dial(leg: OutboundLeg): Promise<void>;
  /** Ends a leg with a cause of ours; no-op for one that ended already. */
  hangUp(leg: string, end: CallEnd): void;
}

export interface OutboundLeg {
  /** Call UUID, chosen by the caller so that the API can name it before it rings. */
  readonly leg: string;
  readonly account: string;
  readonly owner: { readonly kind: string; readonly id: string };
  readonly from: string;
  readonly callerName: string;
  /** A number in E.164 (with or without +), an endpoint's username, or its SIP URI. */
  readonly to: string;
  readonly ringTimeoutSeconds: number;
  /** Names without the `X-PH-` prefix. */
  readonly sipHeaders: Readonly<Record<string, string>>;
}

export type OwnedLegNotice =
  | { readonly type: 'leg-ringing'; readonly leg: string }
  | { readonly type: 'leg-answered'; readonly leg: string }
  | {
      readonly type: 'leg-ended';
      readonly leg: string;
      readonly end: CallEnd;
      readonly durationSeconds: number;
    };
