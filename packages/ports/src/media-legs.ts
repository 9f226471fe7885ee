import type { SoundClip } from './media.ts';

/** The media engine as signalling sees it: one media leg for each call leg, named by its UUID. */
export interface MediaLegs {
  /** Binds a port pair for the leg. Resolves with what goes into SDP; rejects when no port is left or the name is open. */
  open(leg: string): Promise<{ port: number }>;
  /**
   * Where to send, what to send and expect; again after a re-INVITE: address, codec and direction move without a gap. A
   * leg that is not open (any more) is ignored. `direction` is our own, as in our SDP: `sendonly` sends and does not listen.
   * An address of 0.0.0.0 or :: names nobody (hold as RFC 2543 did it): the one before stays.
   */
  connect(leg: string, agreed: AgreedMedia): void;
  /** Closes sockets and forgets the leg. Safe to call twice: the second time resolves with zeros. */
  close(leg: string): Promise<LegStatistics>;
}

/** What an offer and its answer agreed on for one audio stream. */
export interface AgreedMedia {
  readonly address: string;
  readonly port: number;
  /** IP addresses that the signalling came from: a phone behind NAT sends from one of them. Nothing is taken from any other address. */
  readonly signalledFrom?: readonly string[];
  /** Equal to `port` when RTP and RTCP share it (RFC 5761); `port` + 1 when left out. */
  readonly rtcpPort?: number;
  /** What we send. */
  readonly codec: AgreedCodec;
  /** Of RTP timestamps, which tells the rates of L16 apart; the codec's only one when left out. */
  readonly clockRate?: number;
  /** What the other side's `a=fmtp` says about it. */
  readonly parameters?: string;
  /** 0–127: the number under which the other side wants it (RFC 3264 §5.1: numbers belong to who receives them). */
  readonly payloadType: number;
  /** The number under which the other side wants RFC 4733 events; none can be sent when left out. */
  readonly telephoneEventPayloadType?: number;
  /** Of the durations of events; that of the codec when left out. */
  readonly telephoneEventClockRate?: number;
  /** All that the other side may send, under our numbers, switching at any time; what we send when left out. One clock and sample rate. */
  readonly receive?: readonly AgreedPayload[];
  /** Our number for events that come; `telephoneEventPayloadType` when left out. */
  readonly receiveTelephoneEventPayloadType?: number;
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';
  /** What the other side wants to receive: 10, or a multiple of 20 up to 60; others are rounded. */
  readonly ptimeMs: number;
  /** SRTP (RFC 3711) both ways; RTP in the clear when left out. A leg that cannot be protected as agreed on is not connected. */
  readonly protection?: AgreedProtection;
}

/** Master keys and salts of both directions, one behind the other; they are written down nowhere. */
export interface AgreedProtection {
  readonly suite: AgreedSuite;
  readonly sendKey: Uint8Array;
  readonly receiveKey: Uint8Array;
}

/** Crypto suites by their names in SDP (RFC 4568 §6.2, RFC 6188 §4). */
export type AgreedSuite =
  | 'AES_CM_128_HMAC_SHA1_80'
  | 'AES_CM_128_HMAC_SHA1_32'
  | 'AES_256_CM_HMAC_SHA1_80'
  | 'AES_256_CM_HMAC_SHA1_32';

/** The codecs that legs speak, by their RTP encoding names. */
export type AgreedCodec = 'PCMU' | 'PCMA' | 'G722' | 'L16' | 'opus';

/** A codec under one RTP payload type, 0–127. */
export interface AgreedPayload {
  readonly payloadType: number;
  readonly codec: AgreedCodec;
  readonly clockRate?: number;
}

/** Clips are loaded before they are played by name; the same name again replaces the clip. */
export interface MediaClips {
  loadClip(name: string, clip: SoundClip): Promise<void>;
  dropClip(name: string): void;
}

/** Counters of one leg over its life. */
export interface LegStatistics {
  readonly packetsReceived: number;
  readonly bytesReceived: number;
  readonly packetsSent: number;
  readonly bytesSent: number;
  /** RFC 3550 §6.4.1: expected minus received; duplicates make it negative. */
  readonly packetsLost: number;
  /** RFC 3550 §6.4.1 interarrival jitter at the end. */
  readonly jitterMs: number;
  /** Frames that had to be made up because the packet came late or never. */
  readonly framesConcealed: number;
  readonly packetsLate: number;
  /** Packets from an address that is not the leg's. */
  readonly strangersDropped: number;
  /** Packets that are no RTP, or carry a payload type that was not agreed on. */
  readonly malformedDropped: number;
  /** SRTP: packets of another key, changed on their way or in the clear. */
  readonly unauthenticatedDropped: number;
  /** SRTP: packets that had been taken before. */
  readonly replayedDropped: number;
  readonly digitsReceived: number;
  readonly digitsSent: number;
  /** What was sent last; undefined when nothing was agreed on. */
  readonly codec?: AgreedCodec;
  /** Of SRTP at the end; undefined where RTP went in the clear. */
  readonly protection?: AgreedSuite;
  /** From RTCP; undefined until the other side has reported. */
  readonly roundTripMs?: number;
  /** Fraction (0–1) of our packets that the other side reported lost last. */
  readonly remoteFractionLost?: number;
  /** Estimated mean opinion score (ITU-T G.107) of what came, 1–4.5; undefined when nothing came. */
  readonly mos?: number;
}
