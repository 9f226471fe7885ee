/** Which way media flows, seen from whoever wrote the description (RFC 3264 §5.1). */
export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

/** True when the writer of this direction sends. */
export function sends(direction: Direction): boolean {
  return direction === 'sendrecv' || direction === 'sendonly';
}

/** True when the writer of this direction receives. */
export function receives(direction: Direction): boolean {
  return direction === 'sendrecv' || direction === 'recvonly';
}

/** The direction of somebody who does these two. */
export function directionOf(isSending: boolean, isReceiving: boolean): Direction {
  if (isSending) return isReceiving ? 'sendrecv' : 'sendonly';
  return isReceiving ? 'recvonly' : 'inactive';
}

/** What is left for us: we send where we want to and they receive, and the other way round (RFC 3264 §6.1). */
export function meet(ours: Direction, theirs: Direction): Direction {
  return directionOf(sends(ours) && receives(theirs), receives(ours) && sends(theirs));
}
