/** MPEG audio layer III, by the two bits of the version in a frame header (ISO/IEC 11172-3 §2.4.2.3, 13818-3). */
const rates: Readonly<Record<number, readonly number[]>> = {
  3: [44_100, 48_000, 32_000],
  2: [22_050, 24_000, 16_000],
  0: [11_025, 12_000, 8_000],
};
const kilobitsOfMpeg1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const kilobitsOfMpeg2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

export const mp3FrameHeaderBytes = 4;

/**
 * The content of a file without recorded sound, because players refuse an empty file. Three frames of MPEG 2.5, mono, 8 kHz, 8 kbit/s, whose side
 * information is zero, which is silence.
 */
export const silentMp3 = Uint8Array.from(
  { length: 3 * 72 },
  (_, at) => [0xff, 0xe3, 0x18, 0xc4][at % 72] ?? 0,
);

/** The fields of a frame header. */
export interface Mp3Frame {
  readonly bytes: number;
  readonly samples: number;
  readonly sampleRate: number;
}

/**
 *     11111111 111 VV 01 P | BBBB RR p x | …      V version, B bit rate, R sample rate, p padding
 *
 * Undefined where no frame of layer III begins.
 */
export function readMp3Frame(first: number, second: number, third: number): Mp3Frame | undefined {
  if (first !== 0xff || (second & 0xe6) !== 0xe2) return undefined;
  const version = (second >> 3) & 3;
  const sampleRate = rates[version]?.[(third >> 2) & 3];
  const kilobits = (version === 3 ? kilobitsOfMpeg1 : kilobitsOfMpeg2)[third >> 4];
  if (sampleRate === undefined || kilobits === undefined || kilobits === 0) return undefined;
  const samples = version === 3 ? 1152 : 576;
  const bytes = Math.floor((samples / 8) * ((kilobits * 1000) / sampleRate)) + ((third >> 1) & 1);
  return { bytes, samples, sampleRate };
}
