/** The four header bytes of an MPEG audio frame of layer III (ISO 11172-3 §2.4.1.3, ISO 13818-3 §2.4.1.3). */
export interface MpegHeader {
  readonly sampleRate: number;
  /** Bytes of the whole frame, header included. */
  readonly bytes: number;
  /** Samples of each channel. */
  readonly samples: number;
}

const kilobitsOfMpeg1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const kilobitsOfMpeg2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const rates = [44_100, 48_000, 32_000];
const layerIII = 1;

/** Undefined where no frame of layer III begins; free-format frames do not state their length and are not recognised. */
export function readMpegHeader(bytes: Uint8Array, at: number): MpegHeader | undefined {
  if (at + 4 > bytes.length || bytes[at] !== 0xff) return undefined;
  const second = bytes[at + 1]!;
  const third = bytes[at + 2]!;
  // 0: MPEG 2.5 (no standard, but common), 1: reserved, 2: MPEG 2, 3: MPEG 1.
  const version = (second >> 3) & 3;
  if ((second & 0xe0) !== 0xe0 || version === 1 || ((second >> 1) & 3) !== layerIII) return undefined;
  const kilobits = (version === 3 ? kilobitsOfMpeg1 : kilobitsOfMpeg2)[third >> 4];
  const rate = rates[(third >> 2) & 3];
  if (kilobits === undefined || kilobits === 0 || rate === undefined) return undefined;
  const sampleRate = rate >> (version === 3 ? 0 : version === 2 ? 1 : 2);
  const samples = version === 3 ? 1152 : 576;
  const padding = (third >> 1) & 1;
  return { sampleRate, samples, bytes: Math.floor((samples * kilobits * 125) / sampleRate) + padding };
}
