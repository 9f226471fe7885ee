import type { EndpointCredential } from './registrations.ts';

/** What signalling needs of trunks; implemented by the trunks feature. */
export interface Trunks {
  /**
   * The current trunk with this identifier, or undefined when there is none; never throws for malformed input.
   * `sourceAddress` is compared with its address list.
   */
  accessOf(trunkId: string, sourceAddress: string): Promise<TrunkAccess | undefined>;
  /** The login for challenges of an origination URI, by the name in its dial target; undefined for an unknown name. */
  loginOf(account: string): Promise<TrunkLogin | undefined>;
  /** Reports a refused call to the trunk's account; returns at once, and may be called for every datagram. */
  refused(refusal: RefusedTrunkCall): void;
}

/** The access rules of a trunk for calls. */
export interface TrunkAccess {
  readonly trunk: string;
  readonly account: string;
  /** The account itself, or the parent of a subaccount. */
  readonly mainAccount: string;
  /** Why the trunk refuses every call. */
  readonly closedBecause: 'trunk-disabled' | 'trunk-inbound' | undefined;
  /** Only requests over TLS are admitted. */
  readonly isSecure: boolean;
  /** The source address is on its address list: no password is needed. */
  readonly isListed: boolean;
  /** Passwords that admit a caller: that of the credential and, for a grace period, the one before its last change. */
  readonly credentials: readonly TrunkPassword[];
  /** Its credential was deleted and has no replacement. */
  readonly hasLostCredential: boolean;
}

/** The login that a customer's telephone system demands; never logged. */
export interface TrunkLogin {
  readonly username: string;
  readonly password: string;
}

/** A username and the hashes of its password, in the form of an endpoint credential. */
export type TrunkPassword = Pick<EndpointCredential, 'username' | 'ha1'>;

/** Why a call through a trunk was refused. */
export type TrunkRefusal =
  | NonNullable<TrunkAccess['closedBecause']>
  | 'credential-deleted'
  | 'address-not-listed'
  | 'not-over-tls'
  | 'wrong-username'
  | 'wrong-password';

/** One refused call, with its own claims. */
export interface RefusedTrunkCall {
  readonly access: TrunkAccess;
  readonly reason: TrunkRefusal;
  readonly sourceAddress: string;
  /** The claimed username, or empty. */
  readonly username: string;
  readonly from: string;
  readonly to: string;
}
