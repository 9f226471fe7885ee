/**
 * Messages between the nodes of one cluster. The bus keeps nothing: a message that no node receives at once is lost. A node is
 * addressed by the token of its incarnation. Subjects and tokens have letters, digits and hyphens.
 */
export interface Bus {
  /**
   * Sends a request to one node and resolves with its answer, byte for byte. Rejects with a `BusError`, within `deadlineMs`.
   * The receiver may get the request after the deadline.
   */
  ask(to: string, subject: string, body: Uint8Array, deadlineMs: number): Promise<Uint8Array>;
  /** At most once, to one node or to all others; in order between two nodes while the connection stands. Never throws for a lost message. */
  notify(to: string | typeof everyone, subject: string, body: Uint8Array): void;
  /** Handles the messages of a subject, once per subject. Only an answer that is a promise goes back to a node that asks. */
  serve(subject: string, handle: BusReceiver): void;
  /** False while messages reach no other node. */
  readonly isConnected: boolean;
  close(): Promise<void>;
}

/** Receives a message and its sender's token; a promise is the answer to a request. */
export type BusReceiver = (body: Uint8Array, from: string) => Promise<Uint8Array> | undefined;

/** Addresses all nodes but the sender. */
export const everyone = '*';

/** The largest message, in bytes: what a NATS server accepts unless it is configured otherwise, without its headers. */
export const longestBusMessage = 1_000_000;

/**
 * - `bus-no-receiver`: no node received the request; it may be repeated.
 * - `bus-not-connected`: this node reaches no other, so the request was not sent and says nothing of its receiver; it may be repeated.
 * - `bus-no-answer`: the receiver may have carried out the request.
 * - `bus-too-long`: the request was not sent.
 */
export type BusErrorCode = 'bus-no-receiver' | 'bus-not-connected' | 'bus-no-answer' | 'bus-too-long';

/** Why a message was not sent, or a request has no answer. */
export class BusError extends Error {
  readonly code: BusErrorCode;

  constructor(code: BusErrorCode, sentence: string, cause?: unknown) {
    super(sentence, { cause });
    this.name = 'BusError';
    this.code = code;
  }
}
