import type { Instant } from './machine.ts';
import type { Promised } from './promised.ts';

/** The endpoints, for the registrar and the authenticator of SIP; implemented by the sip-endpoints feature. */
export interface Registrations {
  /** The endpoint with this SIP user, or undefined; never throws for malformed input. */
  credentialOf(user: string): Promised<EndpointCredential | undefined>;
  /** The live bindings of an endpoint, newest first; expired ones are left out. */
  bindingsOf(endpoint: string): Promise<readonly Binding[]>;
  /** Whether a phone of the endpoint has registered as this instance, e.g. `<urn:uuid:…>`; only the latest instances are stored. */
  knowsInstance(endpoint: string, instance: string): Promise<boolean>;
  /**
   * Reads the live bindings, lets `decide` choose the next ones and writes them, as one atomic unit. `decide` is pure and
   * may be called again. Returning the same array writes nothing. `mostlySame`: that is what `decide` mostly does, so that a shared database
   * is asked before the unit, and has none to run.
   */
  update<Result>(
    endpoint: string,
    decide: (current: readonly Binding[]) => {
      readonly bindings: readonly Binding[];
      readonly result: Result;
    },
    options?: { readonly mostlySame?: boolean },
  ): Promise<Result>;
  /** Removes the bindings of a flow whose connection is lost (RFC 5626 §4.2.1). */
  dropFlow(flow: string): Promise<void>;
}

/** The credential of an endpoint: its user name and the hashes of its password. */
export interface EndpointCredential {
  readonly account: string;
  readonly endpoint: string;
  readonly username: string;
  /** HA1 of RFC 7616 §3.4.2 for our realm, hex, per algorithm; the password itself is never stored. */
  readonly ha1: { readonly md5: string; readonly sha256: string };
}

/** One registered contact of an endpoint (RFC 3261 §10.3). */
export interface Binding {
  /** The Contact URI, e.g. `sip:alice@192.0.2.1:5062;ob`. */
  readonly contact: string;
  /** Opaque name of the transport flow on which the REGISTER came, for requests to the phone; empty where Path or contact determine the route. */
  readonly flow: string;
  readonly q: number;
  readonly expiresAt: Instant;
  readonly callId: string;
  readonly cseq: number;
  readonly userAgent: string;
  /** When the contact was first bound; a refresh keeps it. */
  readonly registeredAt: Instant;
  /** When a REGISTER last named it; absent for bindings of an earlier release. */
  readonly refreshedAt?: Instant;
  /** Route values of requests to the contact, the nearest proxy first (RFC 3327); none when absent. */
  readonly path?: readonly string[];
  /** Identifies the phone, e.g. `<urn:uuid:…>` (RFC 5626 §4.1). */
  readonly instance?: string;
  /** How the REGISTER came: the transport, and the address and port of its sender, `192.0.2.1:5062`. */
  readonly transport?: string;
  readonly source?: string;
  /** Which of several flows of the instance this is (RFC 5626 §4.2): one of them carries a call, the others stand by. */
  readonly regId?: number;
  /** Set if the phone registered with a token that forbids calls from it. */
  readonly mayCall?: false;
}
