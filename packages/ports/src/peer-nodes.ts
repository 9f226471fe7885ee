import type { everyone } from './bus.ts';

/** The other nodes of a cluster. A node is named by the token of its incarnation: lower-case letters and digits. */
export interface PeerNodes {
  /** The token of this node. */
  readonly own: string;
  /** Whether this is the token of another node that runs, as far as this node knows. */
  isAlive(token: string): boolean;
  /** At most once, to one node or to all others; in order between two nodes. */
  notify(to: string | typeof everyone, subject: string, body: Uint8Array): void;
  /** Receives the notices of a subject, once per subject; those before the start of the platform are lost. */
  listen(subject: string, receive: (body: Uint8Array, from: string) => void): void;
}
