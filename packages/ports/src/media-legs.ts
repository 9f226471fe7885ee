import type { SoundClip } from './media.ts';

/** The media engine as signalling sees it: one media leg for each call leg, named by its UUID. */
export interface MediaLegs {
  /**
   * Opens the leg and resolves with the port for the SDP; rejects when no port is left or the name is open. With credentials of ICE the leg
   * is one of WebRTC: it shares a port with others, and rejects where WebRTC is off. Without them it has a pair of ports. A leg of WebRTC
   * that has not agreed on anything may be opened again without credentials, for plain RTP or keys in SDP. `beside` names a leg or a mix
   * that the leg is opened near, because they will hear each other.
   */
  open(leg: string, ice?: IceCredentials, beside?: string): Promise<OpenedLeg>;
  /**
   * Sets the target, the codec and the direction, also after a re-INVITE: they change without a gap. Ignored for a leg that is
   * not open. `direction` is our own, as in our SDP: `sendonly` sends and does not receive. The address 0.0.0.0 or ::
   * (hold of RFC 2543) keeps the previous address.
   */
  connect(leg: string, agreed: AgreedMedia): void;
  /** Closes sockets and forgets the leg. Safe to call twice: the second time resolves with zeros. */
  close(leg: string): Promise<LegStatistics>;
}

/** Counters of legs that are open. */
export interface LegMeasures {
  /** Their counters until now, in the order of the names; undefined for a leg that is not open. */
  measure(legs: readonly string[]): Promise<readonly (LegStatistics | undefined)[]>;
}

/** Where a leg receives. */
export interface OpenedLeg {
  readonly port: number;
  /** Of a leg of WebRTC: the certificate of its handshake, and whether the port takes TCP as well (RFC 6544). */
  readonly webrtc?: { readonly fingerprint: CertificateFingerprint; readonly takesTcp: boolean };
}

/** What an offer and its answer agreed on for one audio stream. */
export interface AgreedMedia {
  readonly address: string;
  readonly port: number;
  /** IP addresses that the signalling came from: a phone behind NAT sends from one of them. RTP from other addresses is dropped. */
  readonly signalledFrom?: readonly string[];
  /** Equal to `port` when RTP and RTCP share it (RFC 5761); `port` + 1 when absent. */
  readonly rtcpPort?: number;
  /** The codec that we send. */
  readonly codec: AgreedCodec;
  /** Hz of the RTP timestamps, needed for L16, which has several; the codec's only rate when absent. */
  readonly clockRate?: number;
  /** The codec's `a=fmtp` parameters of the other side. */
  readonly parameters?: string;
  /** 0–127, from the other side's SDP (RFC 3264 §5.1: the receiver assigns the numbers). */
  readonly payloadType: number;
  /** The payload type of RFC 4733 events in the other side's SDP; when absent no event can be sent. */
  readonly telephoneEventPayloadType?: number;
  /** Hz of event durations; the codec's clock rate when absent. */
  readonly telephoneEventClockRate?: number;
  /** Keys for the leg are not sent as events but reported as `keys-to-send`: its phone is at another node. */
  readonly reportsKeys?: true;
  /** Codecs that the other side may send, under our numbers, switching at any time; our sent codec when absent. One clock and sample rate. */
  readonly receive?: readonly AgreedPayload[];
  /** Our payload type for received events; `telephoneEventPayloadType` when absent. */
  readonly receiveTelephoneEventPayloadType?: number;
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';
  /** The packet time that the other side requests: 10, or a multiple of 20 up to 60; others are rounded. */
  readonly ptimeMs: number;
  /** SRTP (RFC 3711) in both directions; plain RTP when absent. A leg that cannot be protected as agreed is not connected. */
  readonly protection?: AgreedProtection;
}

/** Where the keys of SRTP come from: the descriptions, or a DTLS handshake on the path of the media. Never logged or stored. */
export type AgreedProtection = AgreedKeys | AgreedHandshake;

/** Master key, then salt, of each direction. */
export interface AgreedKeys {
  readonly by: 'sdes';
  readonly suite: AgreedSuite;
  readonly sendKey: Uint8Array;
  readonly receiveKey: Uint8Array;
}

/** WebRTC: the leg is silent until a certificate with one of these fingerprints has agreed on keys (RFC 5763). */
export interface AgreedHandshake {
  readonly by: 'dtls';
  readonly fingerprints: readonly CertificateFingerprint[];
  /** Our credentials of ICE; new ones are a restart. */
  readonly ice: IceCredentials;
}

/** A hash of a certificate (RFC 8122 §5): a name such as `sha-256`, and pairs of upper-case digits between colons. */
export interface CertificateFingerprint {
  readonly hash: string;
  readonly value: string;
}

/** Our user name fragment and password for one leg (RFC 8445 §5.3). */
export interface IceCredentials {
  readonly fragment: string;
  readonly password: string;
}

/** Crypto suites by their names in SDP (RFC 4568 §6.2, RFC 6188 §4, RFC 7714 §14.1). */
export type AgreedSuite =
  | 'AES_CM_128_HMAC_SHA1_80'
  | 'AES_CM_128_HMAC_SHA1_32'
  | 'AES_256_CM_HMAC_SHA1_80'
  | 'AES_256_CM_HMAC_SHA1_32'
  | 'AEAD_AES_128_GCM'
  | 'AEAD_AES_256_GCM';

/** The codecs of legs, by their RTP encoding names. */
export type AgreedCodec = 'PCMU' | 'PCMA' | 'G722' | 'L16' | 'opus';

/** A codec under one RTP payload type, 0–127. */
export interface AgreedPayload {
  readonly payloadType: number;
  readonly codec: AgreedCodec;
  readonly clockRate?: number;
}

/** Loads clips, which mixes then play by name; the same name again replaces the clip. */
export interface MediaClips {
  loadClip(name: string, clip: SoundClip): Promise<void>;
  /**
   * Adds to the end of a clip that grows, which the first piece begins: it can be played once that has resolved, and plays wait at its end
   * for more until the last piece. All pieces have one rate.
   */
  growClip(name: string, piece: SoundClip, isLast: boolean): Promise<void>;
  dropClip(name: string): void;
}

/** Counters of one leg from its opening to its end. */
export interface LegStatistics {
  readonly packetsReceived: number;
  readonly bytesReceived: number;
  readonly packetsSent: number;
  readonly bytesSent: number;
  /** RFC 3550 §6.4.1: expected minus received; duplicates make it negative. */
  readonly packetsLost: number;
  /** RFC 3550 §6.4.1 interarrival jitter at the end. */
  readonly jitterMs: number;
  /** Frames concealed because the packet was late or lost. */
  readonly framesConcealed: number;
  readonly packetsLate: number;
  /** Packets from an address that is not the leg's. */
  readonly strangersDropped: number;
  /** Packets that are not RTP, carry a payload type outside the agreement, or are longer than 120 ms or 2,047 bytes. */
  readonly malformedDropped: number;
  /** SRTP: packets with a wrong key, altered in transit or unencrypted. */
  readonly unauthenticatedDropped: number;
  /** SRTP: packets that had been accepted before. */
  readonly replayedDropped: number;
  readonly digitsReceived: number;
  readonly digitsSent: number;
  /** The last sent codec; undefined without an agreement. */
  readonly codec?: AgreedCodec;
  /** The SRTP suite at the end; undefined for plain RTP. */
  readonly protection?: AgreedSuite;
  /** From RTCP; undefined until the other side has reported. */
  readonly roundTripMs?: number;
  /** Fraction (0–1) of our packets that the other side reported lost last. */
  readonly remoteFractionLost?: number;
}
