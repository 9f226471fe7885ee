import type { Flow, Protocol } from '../message/flow.ts';
import type { ByteString } from '../message/message.ts';

/** Where a message goes: back on a flow, or to a host (name or address without brackets) and port. */
export type SendTarget =
  | { readonly flow: string }
  | {
      readonly protocol: 'udp' | 'tcp' | 'tls';
      readonly host: string;
      readonly port: number;
      /** TLS: the domain that the peer's certificate must name (RFC 5922 §7.3); the host when absent. */
      readonly identity?: string;
    };

/** A message that did not reach the network. */
export interface SendFailure {
  readonly text: ByteString;
  readonly target: SendTarget;
  /** Why, in a sentence for logs. */
  readonly sentence: string;
}

/** What transports tell their owner. Exceptions of these functions are counted and go to `onFault`. */
export interface TransportListener {
  /** One datagram, or one message cut out of a stream; not parsed yet. */
  onMessage(text: ByteString, flow: Flow): void;
  /**
   * Whether a STUN Binding request on this flow over UDP is answered, as phones send it to keep the flow alive (RFC 5626 §4.4.2). None is
   * unless told: the answer is larger than the request, and a stranger's address may be forged.
   */
  answersStun?(flow: Flow): boolean;
  /** Whether a connection from this address is taken; all are unless told. Who is not is cut off without a word. */
  accepts?(remoteAddress: string): boolean;
  /** Under which name connections from this address are counted against the limits of one source; the address unless told. */
  sourceOf?(remoteAddress: string): string;
  /** Called after `send` has returned, never from inside it. */
  onSendFailed?(failure: SendFailure): void;
  /** A connection is gone; once per connection whose flow was ever shown. */
  onFlowClosed?(flow: Flow): void;
  /** A socket's error or a listener's exception, for the log. */
  onFault?(error: unknown): void;
}

/** A bound address. */
export interface LocalAddress {
  readonly protocol: Protocol;
  readonly address: string;
  readonly port: number;
}
