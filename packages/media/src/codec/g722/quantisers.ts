/*
 * Quantisers of ITU-T G.722 at 64 kbit/s: six bits for the lower sub-band, of which the adaptation uses the upper four, and
 * two bits for the higher one. Levels are relative to the scale, in 1/4096 [q6] and 1/32768.
 */

/** Decision levels of the lower sub-band, ascending [q6]. */
export const decisionLevels = Int16Array.of(
  ...[0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650],
  ...[714, 786, 858, 940, 1023, 1121, 1219, 1339, 1458, 1612, 1765, 1980, 2195, 2557, 2919],
);

/** Code of the interval below the n-th decision level (n from 1 to 30), for differences below 0 [ILN]. */
export const negativeCodes = Uint8Array.of(
  ...[0, 63, 62, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19],
  ...[18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4],
);
/** The same for differences of 0 and more [ILP]. */
export const positiveCodes = Uint8Array.of(
  ...[0, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47],
  ...[46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32],
);

/** Decoded levels of the six-bit codes [QM6]. */
export const sixBitLevels = Int16Array.of(
  ...[-136, -136, -136, -136, -24808, -21904, -19008, -16704, -14984, -13512, -12280, -11192, -10232],
  ...[-9360, -8576, -7856, -7192, -6576, -6000, -5456, -4944, -4464, -4008, -3576, -3168, -2776, -2400],
  ...[-2032, -1688, -1360, -1040, -728, 24808, 21904, 19008, 16704, 14984, 13512, 12280, 11192, 10232],
  ...[9360, 8576, 7856, 7192, 6576, 6000, 5456, 4944, 4464, 4008, 3576, 3168, 2776, 2400, 2032, 1688],
  ...[1360, 1040, 728, 432, 136, -432, -136],
);

/** Levels of the upper four bits, for the adaptation [QM4]. */
export const fourBitLevels = Int16Array.of(
  ...[0, -20456, -12896, -8968, -6288, -4240, -2584, -1200],
  ...[20456, 12896, 8968, 6288, 4240, 2584, 1200, 0],
);
/** Changes of the scale's logarithm by the upper four bits [RL42 with WL]. */
export const lowMultipliers = Int16Array.of(
  ...[-60, 3042, 1198, 538, 334, 172, 58, -30, 3042, 1198, 538, 334, 172, 58, -30, -60],
);

/** Levels of the two-bit codes of the higher sub-band [QM2]. */
export const twoBitLevels = Int16Array.of(-7408, -1616, 7408, 1616);
/** Changes of its scale's logarithm [RH2 with WH]. */
export const highMultipliers = Int16Array.of(798, -214, 798, -214);

/** Decision level of the higher sub-band, in 1/4096. */
export const highDecisionLevel = 564;
