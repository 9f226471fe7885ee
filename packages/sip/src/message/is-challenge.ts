/** Whether a response of this status asks for credentials: 401 of the server itself, 407 of a proxy (RFC 3261 §22.2, §22.3). */
export function isChallenge(status: number): boolean {
  return status === 401 || status === 407;
}
