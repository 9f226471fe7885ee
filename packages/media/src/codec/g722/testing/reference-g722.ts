/*
 * G.722 at 64 kbit/s, block by block as the Recommendation draws it (§6.2), with its names: delay lines that are shifted by loops,
 * indexes from 1 on, and tables by magnitude and sign. Slow, and without any code or table of the codec.
 */

const wl = [-60, -30, 58, 172, 334, 538, 1198, 3042];
const rl42 = [0, 7, 6, 5, 4, 3, 2, 1, 7, 6, 5, 4, 3, 2, 1, 0];
const ilb = [
  2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834, 2896, 2960,
  3025, 3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008,
];
const wh = [0, -214, 798];
const rh2 = [2, 1, 2, 1];
const qm2 = [-7408, -1616, 7408, 1616];
const qm4 = [
  0, -20456, -12896, -8968, -6288, -4240, -2584, -1200, 20456, 12896, 8968, 6288, 4240, 2584, 1200, 0,
];
/** The decoded magnitudes of the 31 codes of one sign, from the outermost interval to the innermost. */
const magnitudes6 = [
  24_808, 21_904, 19_008, 16_704, 14_984, 13_512, 12_280, 11_192, 10_232, 9360, 8576, 7856, 7192, 6576, 6000,
  5456, 4944, 4464, 4008, 3576, 3168, 2776, 2400, 2032, 1688, 1360, 1040, 728, 432, 136,
];
const q6 = [
  0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714, 786, 858, 940, 1023, 1121, 1219,
  1339, 1458, 1612, 1765, 1980, 2195, 2557, 2919,
];
const qmf = [3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11];

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
const saturate = (value: number): number => clamp(value, -32_768, 32_767);

/** [ILN], [ILP]: the code of the mil-th interval; the two innermost negative ones are 62 and 63, which [MIL] 31 lacks. */
function codeOf(mil: number, isNegative: boolean): number {
  if (!isNegative) return mil <= 30 ? 62 - mil : 0;
  return mil <= 2 ? 64 - mil : 34 - mil;
}

/** [QM6] by code: codes 0 to 3 are not sent, and are decoded as the innermost interval. */
function decodedLevel(code: number): number {
  if (code < 4) return -magnitudes6[29]!;
  if (code < 32) return -magnitudes6[code - 4]!;
  if (code < 62) return magnitudes6[code - 32]!;
  return -magnitudes6[code === 62 ? 28 : 29]!;
}

class Band {
  s = 0;
  sp = 0;
  sz = 0;
  nb = 0;
  det: number;
  readonly r = [0, 0, 0];
  readonly a = [0, 0, 0];
  readonly p = [0, 0, 0];
  readonly d = [0, 0, 0, 0, 0, 0, 0];
  readonly b = [0, 0, 0, 0, 0, 0, 0];

  constructor(det: number) {
    this.det = det;
  }

  /** Blocks 3: LOGSCL and SCALEL, or LOGSCH and SCALEH. */
  scale(step: number, most: number, exponent: number): void {
    this.nb = clamp(((this.nb * 127) >> 7) + step, 0, most);
    const wd1 = (this.nb >> 6) & 31;
    const wd2 = exponent - (this.nb >> 11);
    this.det = (wd2 < 0 ? ilb[wd1]! << -wd2 : ilb[wd1]! >> wd2) << 2;
  }

  /** Block 4 with all its parts. */
  block4(dq: number): void {
    const { r, a, p, d, b } = this;
    d[0] = dq;
    r[0] = saturate(this.s + dq);
    p[0] = saturate(this.sz + dq);
    // UPPOL2
    const sg = p.map((each) => each >> 15);
    let wd1 = saturate(a[1]! << 2);
    let wd2 = sg[0] === sg[1] ? -wd1 : wd1;
    if (wd2 > 32_767) wd2 = 32_767;
    let wd3 = (wd2 >> 7) + (sg[0] === sg[2] ? 128 : -128);
    const ap2 = clamp(wd3 + ((a[2]! * 32_512) >> 15), -12_288, 12_288);
    // UPPOL1
    wd1 = sg[0] === sg[1] ? 192 : -192;
    wd3 = saturate(15_360 - ap2);
    const ap1 = clamp(saturate(wd1 + ((a[1]! * 32_640) >> 15)), -wd3, wd3);
    // UPZERO
    wd1 = dq === 0 ? 0 : 128;
    const bp = b.map((each, i) => {
      wd2 = d[i]! >> 15 === dq >> 15 ? wd1 : -wd1;
      return saturate(wd2 + ((each * 32_640) >> 15));
    });
    // DELAYA
    for (let i = 6; i > 0; i--) {
      d[i] = d[i - 1]!;
      b[i] = bp[i]!;
    }
    for (let i = 2; i > 0; i--) {
      r[i] = r[i - 1]!;
      p[i] = p[i - 1]!;
    }
    a[1] = ap1;
    a[2] = ap2;
    // FILTEP, FILTEZ, PREDIC
    wd1 = (a[1]! * saturate(r[1]! + r[1]!)) >> 15;
    wd2 = (a[2]! * saturate(r[2]! + r[2]!)) >> 15;
    this.sp = saturate(wd1 + wd2);
    this.sz = 0;
    for (let i = 6; i > 0; i--) this.sz += (b[i]! * saturate(d[i]! + d[i]!)) >> 15;
    this.sz = saturate(this.sz);
    this.s = saturate(this.sp + this.sz);
  }
}

/** Both directions of one stream. */
export class ReferenceG722 {
  readonly #encoder = [new Band(32), new Band(8)] as const;
  readonly #decoder = [new Band(32), new Band(8)] as const;
  readonly #transmit: number[] = new Array(24).fill(0);
  readonly #receive: number[] = new Array(24).fill(0);

  encode(samples: ArrayLike<number>): number[] {
    const codes: number[] = [];
    for (let n = 0; n + 1 < samples.length; n += 2) {
      const x = this.#transmit;
      x.splice(0, 2);
      x.push(samples[n]!, samples[n + 1]!);
      let [odd, even] = [0, 0];
      for (let i = 0; i < 12; i++) {
        odd += x[2 * i]! * qmf[i]!;
        even += x[2 * i + 1]! * qmf[11 - i]!;
      }
      codes.push((this.#high((even - odd) >> 14) << 6) | this.#low((even + odd) >> 14));
    }
    return codes;
  }

  decode(codes: ArrayLike<number>): number[] {
    const samples: number[] = [];
    for (let n = 0; n < codes.length; n++) {
      const [low, high] = this.#decoder;
      const [ilow, ihigh] = [codes[n]! & 63, codes[n]! >> 6];
      const rlow = clamp(low.s + ((low.det * decodedLevel(ilow)) >> 15), -16_384, 16_383);
      this.#adaptLow(low, ilow);
      const rhigh = clamp(high.s + ((high.det * qm2[ihigh]!) >> 15), -16_384, 16_383);
      this.#adaptHigh(high, ihigh);
      const x = this.#receive;
      x.splice(0, 2);
      x.push(rlow + rhigh, rlow - rhigh);
      let [xout1, xout2] = [0, 0];
      for (let i = 0; i < 12; i++) {
        xout2 += x[2 * i]! * qmf[i]!;
        xout1 += x[2 * i + 1]! * qmf[11 - i]!;
      }
      samples.push(saturate(xout1 >> 11), saturate(xout2 >> 11));
    }
    return samples;
  }

  #low(xlow: number): number {
    const [band] = this.#encoder;
    const el = saturate(xlow - band.s);
    const wd = el >= 0 ? el : -(el + 1);
    let mil = 1;
    while (mil < 30 && wd >= (q6[mil]! * band.det) >> 12) mil++;
    const ilow = codeOf(mil, el < 0);
    this.#adaptLow(band, ilow);
    return ilow;
  }

  #high(xhigh: number): number {
    const [, band] = this.#encoder;
    const eh = saturate(xhigh - band.s);
    const wd = eh >= 0 ? eh : -(eh + 1);
    const mih = wd >= (564 * band.det) >> 12 ? 2 : 1;
    const ihigh = eh < 0 ? 2 - mih : 4 - mih;
    this.#adaptHigh(band, ihigh);
    return ihigh;
  }

  #adaptLow(band: Band, ilow: number): void {
    const ril = ilow >> 2;
    const dlow = (band.det * qm4[ril]!) >> 15;
    band.scale(wl[rl42[ril]!]!, 18_432, 8);
    band.block4(dlow);
  }

  #adaptHigh(band: Band, ihigh: number): void {
    const dhigh = (band.det * qm2[ihigh]!) >> 15;
    band.scale(wh[rh2[ihigh]!]!, 22_528, 10);
    band.block4(dhigh);
  }
}
