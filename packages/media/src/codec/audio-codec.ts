/** The encoding names of RTP that we speak (RFC 3551 §6). */
export type CodecName = 'PCMU' | 'PCMA' | 'G722' | 'L16' | 'opus';

/** A codec between 16-bit mono samples and RTP payloads, of one stream each way where it remembers; neither direction allocates. */
export interface AudioCodec {
  readonly name: CodecName;
  /** Ticks of the RTP timestamp a second. */
  readonly clockRate: number;
  /** Samples a second; not the clock rate for every codec (RFC 3551 §4.5.2). */
  readonly sampleRate: number;
  /** Samples of a 20 ms frame. */
  readonly frameSamples: number;
  /** Encodes the first `count` samples to `outOffset` and returns the bytes written; the caller provides the room. */
  encode(samples: Int16Array, count: number, out: Uint8Array, outOffset: number): number;
  /** Decodes `length` bytes from `offset` to `outOffset` (default 0) and returns the samples written, no more than fit. */
  decode(bytes: Uint8Array, offset: number, length: number, out: Int16Array, outOffset?: number): number;
  /** Samples that a payload stands for, before decoding: `length` bytes from `offset`. */
  samplesIn(length: number, bytes: Uint8Array, offset: number): number;
  /** Bytes of a frame of 20 ms; 0 for a codec whose payloads can be neither cut nor joined, as their lengths differ. */
  readonly frameBytes: number;
  /** Whether what is coded depends on what was coded before, so that nobody else's payload can be sent to a listener. */
  readonly remembers: boolean;
  /**
   * Makes up `count` samples that are missing, from what was decoded before, and returns how many it made; undefined where the codec has
   * no concealment of its own.
   */
  conceal?(count: number, out: Int16Array, outOffset: number): number;
  /** Decodes what a payload tells about the `count` samples before its own, which were lost; conceals them where it tells nothing. */
  recover?(
    bytes: Uint8Array,
    offset: number,
    length: number,
    count: number,
    out: Int16Array,
    outOffset: number,
  ): number;
  /** Takes on the other codec's memory of a stream, so that what is encoded from now on continues what that one decoded. */
  continueFrom?(other: AudioCodec): void;
  /** Gives back memory outside of JavaScript; nothing is asked of it afterwards. */
  close?(): void;
}
