/** What a peer connection of a page reports about itself (getStats). */
export interface ConnectionReport {
  readonly state: string;
  readonly iceState: string;
  readonly sent: { readonly packets: number; readonly bytes: number; readonly codec: string };
  readonly received: {
    readonly packets: number;
    readonly bytes: number;
    readonly lost: number;
    readonly codec: string;
  };
  /** Of the selected pair; empty before there is one. */
  readonly path: {
    /** Of the own candidate: host, srflx, prflx or relay. */
    readonly kind: string;
    /** To the other side, or to the TURN server. */
    readonly protocol: string;
    readonly remoteAddress: string;
    readonly remotePort: number;
    readonly localPort: number;
  };
  readonly dtls: string;
  readonly srtp: string;
}
