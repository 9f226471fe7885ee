import type { NameAddr } from './name-addr.ts';

/**
 * SIP text as a "byte string": one character per byte (latin1), exactly as on the wire. Content-Length counts its characters,
 * and only display names are decoded, on request. Transports convert.
 */
export type ByteString = string;

/** A request (RFC 3261 §7.1); its headers may be changed, as a hop does to Via. */
export interface SipRequest {
  readonly kind: 'request';
  readonly method: string;
  /** Request-URI as text; see `parseUri`. */
  readonly uri: string;
  readonly headers: SipHeaders;
  readonly body: ByteString;
  /** Challenges that our request and those before it have answered; undefined for none. */
  readonly answered?: number;
  /** Source IP address; undefined for our own messages. */
  readonly sourceAddress?: string;
}

/** A response (RFC 3261 §7.2); `status` is from 100 to 699. */
export interface SipResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly reason: string;
  readonly headers: SipHeaders;
  readonly body: ByteString;
  /** Source IP address; undefined for our own messages. */
  readonly sourceAddress?: string;
}

/** Either message; `kind` discriminates. */
export type SipMessage = SipRequest | SipResponse;

/**
 * Header fields in order. Names match without case and in compact form (RFC 3261 §7.3.3);
 * `all` splits comma-separated lists where the grammar allows them (Via, Contact, Route, Record-Route, …).
 */
export interface SipHeaders {
  /** The first value; of a list header the topmost one, not its whole line. */
  get(name: string): string | undefined;
  /** The parsed first value of a field with an address, such as From; undefined when it is absent or malformed. Parsed once. */
  address(name: string): NameAddr | undefined;
  all(name: string): readonly string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  append(name: string, value: string): void;
  /** Puts a field above the others of its name, as a Via or Record-Route is. */
  prepend(name: string, value: string): void;
  remove(name: string): void;
  /** Removes only the topmost value of a list header (a UA popping its Via). */
  removeFirst(name: string): void;
  /** Replaces only the topmost value of a list header, or puts a field above the others. */
  replaceFirst(name: string, value: string): void;
  entries(): Iterable<readonly [name: string, value: string]>;
}
