import type { Instant } from '@jackfield/ports';

/**
 * The form of messages between nodes. A node refuses a request of another protocol; neighbouring releases speak the same one.
 *
 * | request | bytes |
 * |---|---|
 * | protocol | 1 |
 * | sent at, by the sender's clock, as a double | 8 |
 * | identifier, counted by the sender, as a double | 8 |
 * | time left until the sender's deadline, in ms | 4 |
 * | body | all others |
 */
export interface RequestEnvelope {
  readonly sentAt: Instant;
  readonly id: number;
  readonly leftMs: number;
  readonly body: Uint8Array;
}

const protocol = 1;
const requestHeadBytes = 21;

export function requestBytes({ sentAt, id, leftMs, body }: RequestEnvelope): Uint8Array {
  const bytes = new Uint8Array(requestHeadBytes + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, protocol);
  view.setFloat64(1, sentAt);
  view.setFloat64(9, id);
  view.setUint32(17, leftMs);
  bytes.set(body, requestHeadBytes);
  return bytes;
}

/** Undefined for another protocol. */
export function readRequest(bytes: Uint8Array): RequestEnvelope | undefined {
  if (bytes[0] !== protocol || bytes.length < requestHeadBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    sentAt: view.getFloat64(1),
    id: view.getFloat64(9),
    leftMs: view.getUint32(17),
    body: bytes.subarray(requestHeadBytes),
  };
}

/** `failed`: the receiver began and could not answer. The last two: it did not begin. */
const outcomes = ['answered', 'failed', 'expired', 'other-protocol'] as const;

export type Outcome = (typeof outcomes)[number];

export function answerBytes(outcome: Outcome, body: Uint8Array = new Uint8Array()): Uint8Array {
  const bytes = new Uint8Array(1 + body.length);
  bytes[0] = outcomes.indexOf(outcome);
  bytes.set(body, 1);
  return bytes;
}

/** An answer that a later release gives, and this one does not know, is a failure. */
export function readAnswer(bytes: Uint8Array): { readonly outcome: Outcome; readonly body: Uint8Array } {
  return { outcome: outcomes[bytes[0] ?? outcomes.length] ?? 'failed', body: bytes.subarray(1) };
}

export function noticeBytes(body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + body.length);
  bytes[0] = protocol;
  bytes.set(body, 1);
  return bytes;
}

/** Undefined for another protocol. */
export function readNotice(bytes: Uint8Array): Uint8Array | undefined {
  return bytes[0] === protocol ? bytes.subarray(1) : undefined;
}
