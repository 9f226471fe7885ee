/** The protocols that share one socket. */
export type DatagramKind = 'stun' | 'dtls' | 'rtp';

/** RFC 9443 §2: the first byte of a datagram shows its protocol; undefined for other protocols. RTP includes RTCP. */
export function datagramKind(bytes: Uint8Array, length: number): DatagramKind | undefined {
  if (length === 0) return undefined;
  const first = bytes[0]!;
  if (first <= 3) return 'stun';
  if (first >= 20 && first <= 63) return 'dtls';
  return first >= 128 && first <= 191 ? 'rtp' : undefined;
}
