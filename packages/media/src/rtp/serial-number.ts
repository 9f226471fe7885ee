/** Signed distance from one 16-bit sequence number to another: −32768…32767, so that 65535 → 0 is 1 (RFC 3550 A.1, RFC 1982). */
export function sequenceDistance(from: number, to: number): number {
  return ((to - from) << 16) >> 16;
}

/** Signed distance from one 32-bit RTP timestamp to another, across the wrap (RFC 3550 §5.1, RFC 1982). */
export function timestampDistance(from: number, to: number): number {
  return (to - from) | 0;
}
