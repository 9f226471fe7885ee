import type { AudioCodec } from '../../codec/audio-codec.ts';
import { pcmu } from '../../codec/g711.ts';

/** G.711 in place of Opus, which notes its work: payloads are recognisable, and the engine treats it as costly. */
export function costlyCodec(work: { encode(): void; decode(): void; rest?(): void }): AudioCodec {
  return {
    ...pcmu,
    name: 'opus',
    remembers: true,
    isCostly: true,
    encode(...given) {
      work.encode();
      return pcmu.encode(...given);
    },
    decode(...given) {
      work.decode();
      return pcmu.decode(...given);
    },
    rest: () => work.rest?.(),
  };
}
