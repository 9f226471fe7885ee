import type { EndpointCredential } from './registrations.ts';

/** What signalling needs of trunks; implemented by the trunks feature. */
export interface Trunks {
  /**
   * The trunk with this identifier as it is at this moment, or undefined when there is none; never throws for odd input.
   * `sourceAddress` is held against its address list.
   */
  accessOf(trunkId: string, sourceAddress: string): Promise<TrunkAccess | undefined>;
  /** What answers the challenges of an origination URI, by the name that its dial target carries; undefined for a name of nothing. */
  loginOf(account: string): Promise<TrunkLogin | undefined>;
  /** Tells the trunk's account that a call was refused; returns at once, and may be called for every datagram. */
  refused(refusal: RefusedTrunkCall): void;
}

/** Who may call through a trunk. */
export interface TrunkAccess {
  readonly trunk: string;
  readonly account: string;
  /** The account itself, or the one whose subaccount it is. */
  readonly mainAccount: string;
  /** Why nobody may call, whoever it is. */
  readonly closedBecause: 'trunk-disabled' | 'trunk-inbound' | undefined;
  /** Only requests that came over TLS are let in. */
  readonly isSecure: boolean;
  /** The source address is on its address list: no password is asked for. */
  readonly isListed: boolean;
  /** Whoever knows the password of one of these is let in: the credential, and while it lasts the one before its last change. */
  readonly credentials: readonly TrunkPassword[];
  /** The credential that it had was deleted, and it has none instead. */
  readonly hasLostCredential: boolean;
}

/** What a telephone system of a customer asks for; never logged. */
export interface TrunkLogin {
  readonly username: string;
  readonly password: string;
}

/** A username and the hashes of its password, as of an endpoint. */
export type TrunkPassword = Pick<EndpointCredential, 'username' | 'ha1'>;

/** Why a call through a trunk was refused. */
export type TrunkRefusal =
  | NonNullable<TrunkAccess['closedBecause']>
  | 'credential-deleted'
  | 'address-not-listed'
  | 'not-over-tls'
  | 'wrong-username'
  | 'wrong-password';

/** One refused call, in what it said of itself. */
export interface RefusedTrunkCall {
  readonly access: TrunkAccess;
  readonly reason: TrunkRefusal;
  readonly sourceAddress: string;
  /** The username that it claimed, or empty. */
  readonly username: string;
  readonly from: string;
  readonly to: string;
}
