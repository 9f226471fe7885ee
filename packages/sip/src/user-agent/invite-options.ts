import type { HeaderPairs } from '../dialog/answers.ts';
import type { Content } from '../dialog/session-state.ts';

/** One target of the INVITE. */
export interface InviteTarget {
  /** Request-URI. */
  readonly uri: string;
  /** The flow on which the binding was registered; if it is closed or absent the URI gives the route. */
  readonly flow?: string;
  /** Names of the phone: requests of its dialog follow it when `phoneReturned` names one of them. */
  readonly phone?: readonly string[];
  /** Route values towards the target, after those of the call (RFC 3327). */
  readonly path?: readonly string[];
  /** Other flows of the same phone, tried in order when this one fails (RFC 5626 §5.3). */
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
  /** Max-Forwards of the INVITE, 0 to 255; the default is 70 (RFC 3261 §8.1.1.6). */
  readonly maxForwards?: number;
  /** Whether an IP address is allowed, for targets that an outsider chose. Without it every address is. */
  readonly reaches?: (address: string) => boolean;
}
