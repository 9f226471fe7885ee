import type { IceServer } from '@jackfield/contract';
import type { Secrets } from '@jackfield/ports';

/** The operator's TURN server, such as coturn with `use-auth-secret`. */
export interface TurnServer {
  /** `turn:` and `turns:` URLs of one server. */
  readonly urls: readonly string[];
  /** Known to the TURN server and to us; credentials are made from it. */
  readonly secret: string;
}

/** Seconds that credentials are valid: longer than calls usually last, because a restart of ICE in a call needs them again. */
export const credentialSeconds = 12 * 3600;

/** The servers that a page gives to its peer connection, with credentials that end by themselves (draft-uberti-behave-turn-rest-00 §2.2). */
export function iceServers(
  turn: TurnServer | undefined,
  secrets: Pick<Secrets, 'signSha1'>,
  user: string,
  nowSeconds: number,
): IceServer[] {
  if (turn === undefined) return [];
  const username = `${nowSeconds + credentialSeconds}:${user}`;
  return [{ urls: [...turn.urls], username, credential: secrets.signSha1(turn.secret, username) }];
}
