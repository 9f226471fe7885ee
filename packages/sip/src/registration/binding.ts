/** One registered contact of an address of record (RFC 3261 §10.3). Times are milliseconds. */
export interface Binding {
  /** The Contact URI as text. */
  readonly contact: string;
  /** Name of the transport flow on which the REGISTER came; empty where Path or contact determine the route. */
  readonly flow: string;
  /** Preference from 0 to 1. */
  readonly q: number;
  readonly expiresAt: number;
  readonly callId: string;
  readonly cseq: number;
  readonly userAgent: string;
  /** When the contact was first bound; a refresh keeps it. */
  readonly registeredAt: number;
  /** When a REGISTER last named it. */
  readonly refreshedAt?: number;
  /** Route values of requests to the contact, the nearest proxy first (RFC 3327); none when absent. */
  readonly path?: readonly string[];
  /** Identifies the phone across its contacts, e.g. `<urn:uuid:…>` (`+sip.instance`, RFC 5626 §4.1). */
  readonly instance?: string;
  /** How the REGISTER came: the transport, and the address and port of its sender, `192.0.2.1:5062`. */
  readonly transport?: string;
  readonly source?: string;
  /** Which of several flows of the instance this is (RFC 5626 §4.2); when present it identifies the binding instead of the contact. */
  readonly regId?: number;
}
