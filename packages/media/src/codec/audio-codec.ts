import { pcma, pcmu } from './g711.ts';
import { G722 } from './g722/g722.ts';

/** The encoding names of RTP that we speak (RFC 3551 §6). */
export type CodecName = 'PCMU' | 'PCMA' | 'G722';

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
  /** Samples that `length` bytes of payload stand for, before decoding. */
  samplesIn(length: number): number;
}

/** A codec of this RTP encoding name for one leg, matched without case as SDP wants it (RFC 4855 §3); undefined when we have none. */
export function codecFor(name: string): AudioCodec | undefined {
  switch (name.toUpperCase()) {
    case 'PCMU':
      return pcmu;
    case 'PCMA':
      return pcma;
    case 'G722':
      return new G722();
    default:
      return undefined;
  }
}
