/** Samples of a frame that are compared, whatever its rate: 20 ms at 8 kHz. */
const SAMPLES = 160;
/**
 * Distances in samples at 8 kHz. A sine satisfies x(n+d) + x(n−d) = 2·cos(ωd)·x(n) for each of them. Speech that happens to satisfy one, because
 * its formant is narrow (3, 5) or its pitch has this period (41, 5.1 ms), does not satisfy the others.
 */
const SHORT = 3;
const MIDDLE = 5;
const LONG = 41;
/** Largest part of the power outside the tone: 14 dB below it. */
const MOST_MISFIT = 0.04;
/** −44 dB: a quiet recorder, louder than its hiss. */
const LEAST_POWER = (32767 * 10 ** (-44 / 20)) ** 2;
/** Largest changes of cos(5ω) and of the level from frame to frame: 1 % in frequency, 2 dB. */
const MOST_TURN = 0.08;
const MOST_STEP = 1.6;
/** 120 ms: no vowel is so steady. 3 s: a longer tone is a dial tone or a fax. */
const LEAST_FRAMES = 6;
const MOST_FRAMES = 150;
/** 100 ms: concealment bridges at most 60 ms of lost audio, so the other side has stopped sending. */
const MOST_LOST = 5;

/** Finds the beep of a recorder: one steady tone of 120 ms to 3 s between 250 and 3400 Hz. */
export interface BeepDetector {
  /** Processes the next frame of 20 ms; reports a beep when it has lasted for 120 ms, and its end. Lost frames (undefined) end it after 100 ms in a row. */
  hear(frame: Int16Array | undefined): 'begun' | 'ended' | undefined;
  /** The last frame was one steady tone. */
  readonly isTone: boolean;
}

/** Creates a detector for one party. */
export function createBeepDetector(): BeepDetector {
  return new ToneBeepDetector();
}

class ToneBeepDetector implements BeepDetector {
  isTone = false;
  #frames = 0;
  #turn = 0;
  #power = 0;
  #lost = 0;

  hear(frame: Int16Array | undefined): 'begun' | 'ended' | undefined {
    if (frame === undefined) return ++this.#lost === MOST_LOST ? this.#follow(0, Number.NaN) : undefined;
    this.#lost = 0;
    const stride = Math.max(1, Math.floor(frame.length / SAMPLES));
    const power = powerOf(frame, stride);
    return this.#follow(power, power < LEAST_POWER ? Number.NaN : toneOf(frame, stride));
  }

  /** `turn` is NaN for a frame that is not one tone. */
  #follow(power: number, turn: number): 'begun' | 'ended' | undefined {
    const before = this.#frames;
    this.isTone = !Number.isNaN(turn);
    if (!this.isTone) this.#frames = 0;
    else if (before > 0 && isSteady(this.#turn, turn, this.#power, power)) this.#frames = before + 1;
    else this.#frames = 1;
    this.#turn = turn;
    this.#power = power;
    if (this.#frames === LEAST_FRAMES) return 'begun';
    return this.#frames <= 1 && before >= LEAST_FRAMES && before <= MOST_FRAMES ? 'ended' : undefined;
  }
}

function isSteady(turn: number, newTurn: number, power: number, newPower: number): boolean {
  if (Math.abs(newTurn - turn) > MOST_TURN) return false;
  return newPower < power * MOST_STEP && power < newPower * MOST_STEP;
}

function powerOf(frame: Int16Array, stride: number): number {
  let sum = 0;
  for (let n = 0; n < SAMPLES; n++) sum += frame[n * stride]! ** 2;
  return sum / SAMPLES;
}

/** cos(5ω) of the only tone in the frame; NaN when there is more than one tone. */
function toneOf(frame: Int16Array, stride: number): number {
  if (misfit(frame, stride, LONG) > MOST_MISFIT) return Number.NaN;
  if (misfit(frame, stride, SHORT) > MOST_MISFIT || misfit(frame, stride, MIDDLE) > MOST_MISFIT)
    return Number.NaN;
  const next = cosine(frame, stride, 1);
  // 250 Hz and 3400 Hz: below is hum, above no recorder beeps.
  if (next > 0.981 || next < -0.891) return Number.NaN;
  return cosine(frame, stride, MIDDLE);
}

/** The part of the power that no single tone explains. */
function misfit(frame: Int16Array, stride: number, distance: number): number {
  const double = 2 * cosine(frame, stride, distance);
  let rest = 0;
  let all = 0;
  for (let n = distance; n < SAMPLES - distance; n++) {
    const sum = frame[(n + distance) * stride]! + frame[(n - distance) * stride]!;
    const middle = frame[n * stride]!;
    rest += (sum - double * middle) ** 2;
    all += sum * sum + middle * middle * (2 + double * double);
  }
  return all === 0 ? 1 : rest / all;
}

/** Least squares of cos(ω·distance). */
function cosine(frame: Int16Array, stride: number, distance: number): number {
  let product = 0;
  let square = 0;
  for (let n = distance; n < SAMPLES - distance; n++) {
    const middle = frame[n * stride]!;
    product += middle * (frame[(n + distance) * stride]! + frame[(n - distance) * stride]!);
    square += middle * middle;
  }
  return square === 0 ? 0 : Math.max(-1, Math.min(1, product / (2 * square)));
}
