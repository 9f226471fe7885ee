import type { AudioCodec } from './audio-codec.ts';
import { pcma, pcmu } from './g711.ts';
import { G722 } from './g722/g722.ts';
import { l16 } from './l16.ts';

/**
 * The codec of this RTP encoding name for one leg, matched without case (RFC 4855 §3); undefined for an unknown name.
 */
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
