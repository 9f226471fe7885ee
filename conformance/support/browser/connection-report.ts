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
  /** The other side's ICE user name fragment, a new one after each restart (RFC 8445 §2.4); empty before its description is set. */
  readonly remoteUfrag: string;
  readonly dtls: string;
  readonly srtp: string;
}
