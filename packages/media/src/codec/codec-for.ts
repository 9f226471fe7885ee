import type { AudioCodec } from './audio-codec.ts';
import { pcma, pcmu } from './g711.ts';
import { G722 } from './g722/g722.ts';
import { l16 } from './l16.ts';

/** A codec of this RTP encoding name for one leg, matched without case as SDP wants it (RFC 4855 §3); undefined when we have none. */
export function codecFor(name: string, clockRate = 8000): AudioCodec | undefined {
  switch (name.toUpperCase()) {
    case 'PCMU':
      return pcmu;
    case 'PCMA':
      return pcma;
    case 'G722':
      return new G722();
    case 'L16':
      return l16(clockRate);
    default:
      return undefined;
  }
}
