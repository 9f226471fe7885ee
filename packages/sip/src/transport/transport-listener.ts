import type { Flow, Protocol } from '../message/flow.ts';
import type { ByteString } from '../message/message.ts';

/** The target of a message: a flow, or a host (name or address without brackets) and port. */
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
  /** The reason, as a sentence for logs. */
  readonly sentence: string;
}

/** Events and policy of transports. Exceptions of these functions are counted and go to `onFault`. */
export interface TransportListener {
  /** The word in ids of connection flows that no other process uses, `tcp-<word>-<number>`; random when left out. */
  readonly flowInstance?: string;
  /** One datagram, or one message cut out of a stream; not parsed yet. */
  onMessage(text: ByteString, flow: Flow): void;
  /**
   * Whether a STUN Binding request on this UDP flow, a phone's keep-alive (RFC 5626 §4.4.2), is answered. The default is no:
   * the answer is larger than the request, and the source address may be forged.
   */
  answersStun?(flow: Flow): boolean;
  /** Whether a connection from this address is accepted; the default is yes. A refused one is closed without a response. */
  accepts?(remoteAddress: string): boolean;
  /** The source name for the limits per source; the default is the address. */
  sourceOf?(remoteAddress: string): string;
  /** Called after `send` has returned, never from inside it. */
  onSendFailed?(failure: SendFailure): void;
  /** A connection is closed; called once for each flow. */
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
