import type { Leg } from './leg.ts';

/** Hands a packet to the network; the bytes are reused in the next tick. */
export type SendPacket = (
  leg: number,
  bytes: Uint8Array,
  length: number,
  address: string,
  port: number,
) => void;

/** Sends in the clear or protected, as the leg needs it; packets are protected where they lie. */
export function sendProtected(send: SendPacket, legs: readonly (Leg | undefined)[]): SendPacket {
  return (index, bytes, length, address, port) => {
    const protection = legs[index]?.protection;
    const size = protection === undefined ? length : protection.sender.protect(bytes, length);
    if (size > 0) send(index, bytes, size, address, port);
  };
}
