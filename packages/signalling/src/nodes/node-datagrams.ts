import type { ByteString, Flow } from '@jackfield/sip';

/** A SIP message on its way between two nodes, with the flow on which it came or goes. */
export interface NodeDatagram {
  readonly flow: Flow;
  readonly text: ByteString;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Two bytes with the length of the flow as JSON, the flow, and the message: one byte for each character. */
export function datagramBytes({ flow, text }: NodeDatagram): Uint8Array {
  const head = encoder.encode(JSON.stringify(flow));
  const bytes = new Uint8Array(2 + head.length + text.length);
  bytes[0] = head.length >> 8;
  bytes[1] = head.length & 0xff;
  bytes.set(head, 2);
  for (let at = 0; at < text.length; at++) bytes[2 + head.length + at] = text.charCodeAt(at);
  return bytes;
}

/** The flow is that of another node: messages to it may be lost, whatever it was there. */
export function readDatagram(bytes: Uint8Array): NodeDatagram {
  const length = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  const flow = JSON.parse(decoder.decode(bytes.subarray(2, 2 + length))) as Flow;
  const text = Buffer.from(bytes.subarray(2 + length)).toString('latin1');
  return { flow: { ...flow, reliable: false }, text };
}
