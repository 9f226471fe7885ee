/** The RTP encoding names that we support (RFC 3551 §6). */
export type CodecName = 'PCMU' | 'PCMA' | 'G722' | 'L16' | 'opus';

/**
 * A codec between 16-bit mono samples and RTP payloads. A stateful codec serves one stream each way. Neither direction
 * allocates.
 */
export interface AudioCodec {
  readonly name: CodecName;
  /** RTP timestamp units a second. */
  readonly clockRate: number;
  /** Samples a second; differs from the clock rate for some codecs (RFC 3551 §4.5.2). */
  readonly sampleRate: number;
  /** Samples of a frame of 20 ms. */
  readonly frameSamples: number;
  /** Encodes the first `count` samples to `outOffset` and returns the bytes written; the caller provides the space. */
  encode(samples: Int16Array, count: number, out: Uint8Array, outOffset: number): number;
  /**
   * Decodes `length` bytes from `offset` to `outOffset` (default 0) and returns the samples written, at most those that
   * fit.
   */
  decode(bytes: Uint8Array, offset: number, length: number, out: Int16Array, outOffset?: number): number;
  /** Duration in samples of a payload of `length` bytes from `offset`, without decoding it. */
  samplesIn(length: number, bytes: Uint8Array, offset: number): number;
  /** Bytes of a frame of 20 ms; 0 for a codec with payloads of varying length, which can be neither cut nor joined. */
  readonly frameBytes: number;
  /** Whether the codec is stateful, so that its payloads cannot be shared between listeners. */
  readonly remembers: boolean;
  /**
   * The settings of the encoder. Listeners of the same audio may share an encoder with the same settings although the codec `remembers`: a
   * receiver recovers from the change to another encoder's packets as from a lost packet. Undefined where encoders are not shared.
   */
  readonly encoding?: string;
  /** False while the codec cannot encode yet; true when absent. */
  readonly isReady?: boolean;
  /** The next encoded frame depends on no earlier one. */
  restart?(): void;
  /**
   * Decoding costs so much that frames without a listener are skipped; the decoder recovers from the gap as from a
   * loss. False when absent.
   */
  readonly isCostly?: boolean;
  /**
   * Conceals `count` missing samples from the decoder's state and returns how many it made. Undefined where the codec
   * has no concealment of its own.
   */
  conceal?(count: number, out: Int16Array, outOffset: number): number;
  /** Decodes a payload's redundancy about the `count` lost samples before it; conceals them where there is none. */
  recover?(
    bytes: Uint8Array,
    offset: number,
    length: number,
    count: number,
    out: Int16Array,
    outOffset: number,
  ): number;
  /** Copies the other codec's decoder state of a stream, so that encoding continues that stream. */
  continueFrom?(other: AudioCodec): void;
  /**
   * Frees the memory of encoder and decoder while neither is needed. The next frame in either direction creates a new one, so an encoded
   * frame depends on no earlier one.
   */
  rest?(): void;
  /** Frees memory outside JavaScript; the codec must not be used afterwards. */
  close?(): void;
}
