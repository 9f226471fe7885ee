/** The direction of media, seen from the writer of the description (RFC 3264 §5.1). */
export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

/** True when the writer of this direction sends. */
export function sends(direction: Direction): boolean {
  return direction === 'sendrecv' || direction === 'sendonly';
}

/** True when the writer of this direction receives. */
export function receives(direction: Direction): boolean {
  return direction === 'sendrecv' || direction === 'recvonly';
}

/** The direction of a side that sends, receives, both or neither. */
export function directionOf(isSending: boolean, isReceiving: boolean): Direction {
  if (isSending) return isReceiving ? 'sendrecv' : 'sendonly';
  return isReceiving ? 'recvonly' : 'inactive';
}

/** Our direction: we send if we request it and they receive, and vice versa (RFC 3264 §6.1). */
export function meet(ours: Direction, theirs: Direction): Direction {
  return directionOf(sends(ours) && receives(theirs), receives(ours) && sends(theirs));
}
