import type { HeaderPairs } from '../dialog/answers.ts';
import type { Content } from '../dialog/session-state.ts';

/** One address that the INVITE is sent to. */
export interface InviteTarget {
  /** Request-URI. */
  readonly uri: string;
  /** The flow on which the binding was registered; the URI leads when it is gone or absent. */
  readonly flow?: string;
  /** Route values that lead there, after those of the call (RFC 3327). */
  readonly path?: readonly string[];
  /** Other flows of the same phone: the next is tried when this one has failed (RFC 5626 §5.3). */
  readonly otherFlows?: readonly InviteTarget[];
}

/** An outgoing call. `from` and `to` are header values without tag. */
export interface InviteOptions {
  /** At least one; all are called at once and the first 2xx wins. */
  readonly targets: readonly InviteTarget[];
  readonly from: string;
  readonly to: string;
  readonly headers?: HeaderPairs;
  /** The offer. */
  readonly content: Content;
  /** Route values that every INVITE starts with, such as an outbound proxy. */
  readonly routes?: readonly string[];
  /** How often the INVITE may be forwarded, 0 to 255; 70 unless told (RFC 3261 §8.1.1.6). */
  readonly maxForwards?: number;
  /** Whether something may be sent to an IP address, where the targets were named by somebody who may mean any; all are reached without. */
  readonly reaches?: (address: string) => boolean;
}
