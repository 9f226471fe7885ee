import type { Leg } from './leg.ts';

/** Sends a packet to the network; the next packet, also of another leg, overwrites the bytes. */
export type SendPacket = (
  leg: number,
  bytes: Uint8Array,
  length: number,
  address: string,
  port: number,
) => void;

/** Sends plain RTP or SRTP as the leg requires; packets are encrypted in place. */
export function sendProtected(send: SendPacket, legs: readonly (Leg | undefined)[]): SendPacket {
  return (index, bytes, length, address, port) => {
    const leg = legs[index];
    if (leg?.awaitsKeys === true) return;
    const protection = leg?.protection;
    const size = protection === undefined ? length : protection.sender.protect(bytes, length);
    if (size > 0) send(index, bytes, size, address, port);
  };
}
