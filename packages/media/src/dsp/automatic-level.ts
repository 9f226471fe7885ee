import { bend, CEILING } from './soft-ceiling.ts';
import { createVoiceActivity } from './voice-activity.ts';

/**
 * Target of the loud parts of speech: −22 dBov, about −26 dBov of active speech, the design level of telephony (ITU-T
 * P.56).
 */
const TARGET_DB = -22;
/**
 * Within this distance from the target, a talker passes bit for bit. Further away, the gain moves until half a decibel
 * is left.
 */
const NEAR_ENOUGH_DB = 3;
const REACHED_DB = 0.5;
const LEAST_GAIN_DB = -12;
const MOST_GAIN_DB = 18;
/** No gain raises the noise of a line above this; a talker in louder noise is not amplified. */
const MOST_NOISE_DB = -44;
/** Change of the gain per loud frame: 2 dB a second of speech up, 6 down; 10 back to 0 dB when not requested. */
const RISE_DB = 0.1;
const FALL_DB = 0.3;
const RETURN_DB = 0.2;
/**
 * Loud parts are within 12 dB of the loudest frame, which decays by 5 dB a second. The average covers 50 of them, 2–3
 * s.
 */
const LOUD_PART_DB = 12;
const FORGET_DB = 0.1;
const MOST_AVERAGED = 50;
/**
 * Speech falls by more than 9 dB and rises again two to six times a second; tones and noise do not. This many such
 * syllables are required within about three seconds.
 */
const DIP_DB = 9;
const RISEN_DB = 4;
const REQUIRED_SYLLABLES = 2.5;
const SYLLABLES_KEPT = 0.993;

/** Adjusts one talker to the common level, frame by frame of 20 ms. */
export interface AutomaticLevel {
  /**
   * Changes the next frame in place; undefined for silence. With `isOwn` false (concealed, or the tone of a key), the
   * level learns nothing. With `isRequested` false, the gain returns to 0 dB.
   */
  adjust(frame: Int16Array | undefined, isOwn: boolean, isRequested: boolean): void;
  /** 0 leaves every sample unchanged. */
  readonly gainDb: number;
}

/**
 * Creates the level of an unknown talker. The gain changes only during speech, so the noise in pauses is constant. When
 * the gain would cause overload, it falls within the frame.
 */
export function createAutomaticLevel(): AutomaticLevel {
  return new SpeechLevel();
}

class SpeechLevel implements AutomaticLevel {
  gainDb = 0;
  readonly #voice = createVoiceActivity();
  #gain = 1;
  #isMoving = false;
  #speechDb = 0;
  #averaged = 0;
  #loudestDb = Number.NEGATIVE_INFINITY;
  #hasDipped = false;
  #syllables = 0;

  adjust(frame: Int16Array | undefined, isOwn: boolean, isRequested: boolean): void {
    const gainBefore = this.#gain;
    const before = this.gainDb;
    if (isRequested) {
      this.#voice.hear(isOwn ? frame : undefined);
      if (isOwn && frame !== undefined && this.#learn()) this.#move();
    } else this.gainDb -= Math.max(-RETURN_DB, Math.min(RETURN_DB, this.gainDb));
    if (this.gainDb !== before) this.#gain = 10 ** (this.gainDb / 20);
    if (frame === undefined || (this.#gain === 1 && gainBefore === 1)) return;
    const peak = peakOf(frame);
    const most = Math.max(this.#gain, gainBefore);
    if (most > 1 && peak * most > CEILING) {
      const rampEnd = Math.max(frame.length / 20, firstAbove(frame, CEILING / gainBefore));
      const bearable = Math.max(1, CEILING / peak);
      if (bearable < this.#gain) {
        this.#gain = bearable;
        this.gainDb = 20 * Math.log10(bearable);
      }
      turnDown(frame, gainBefore, this.#gain, rampEnd);
    } else amplify(frame, gainBefore, this.#gain);
  }

  /** Whether this frame is a loud part of speech; updates the average level. */
  #learn(): boolean {
    const { energyDb, noiseDb } = this.#voice;
    if (this.#voice.isSpeaking !== true) return false;
    this.#loudestDb = Math.max(energyDb, this.#loudestDb - FORGET_DB);
    this.#syllables *= SYLLABLES_KEPT;
    if (energyDb < this.#loudestDb - DIP_DB) this.#hasDipped = true;
    else if (this.#hasDipped && energyDb > this.#loudestDb - RISEN_DB) {
      this.#hasDipped = false;
      this.#syllables++;
    }
    if (energyDb < this.#loudestDb - LOUD_PART_DB || energyDb < noiseDb + NEAR_ENOUGH_DB) return false;
    if (this.#averaged < MOST_AVERAGED) this.#averaged++;
    this.#speechDb += (energyDb - this.#speechDb) / this.#averaged;
    return this.#syllables > REQUIRED_SYLLABLES;
  }

  #move(): void {
    const quietEnough = Math.max(0, MOST_NOISE_DB - this.#voice.noiseDb);
    const rawTarget = TARGET_DB - this.#speechDb;
    const target = Math.max(LEAST_GAIN_DB, Math.min(MOST_GAIN_DB, quietEnough, rawTarget));
    const missing = target - this.gainDb;
    if (Math.abs(missing) > NEAR_ENOUGH_DB) this.#isMoving = true;
    else if (Math.abs(missing) < REACHED_DB) this.#isMoving = false;
    if (this.#isMoving) this.gainDb += Math.max(-FALL_DB, Math.min(RISE_DB, missing));
  }
}

/**
 * Integer arithmetic with a gain of 1 as 2¹² takes a third of the time; the largest product (18 dB above full scale)
 * fits 31 bits.
 */
function amplify(frame: Int16Array, before: number, after: number): void {
  const from = before * 4096;
  const step = (after * 4096 - from) / frame.length;
  for (let i = 0; i < frame.length; i++) {
    const gain = (from + step * (i + 1)) | 0;
    frame[i] = (Math.imul(frame[i]!, gain) + 2048) >> 12;
  }
}

function turnDown(frame: Int16Array, before: number, after: number, rampEnd: number): void {
  const step = (after - before) / rampEnd;
  for (let i = 0; i < frame.length; i++) {
    frame[i] = Math.round(bend(frame[i]! * (i < rampEnd ? before + step * (i + 1) : after)));
  }
}

function peakOf(frame: Int16Array): number {
  let peak = 0;
  for (let i = 0; i < frame.length; i++) {
    const sample = frame[i]!;
    const size = sample < 0 ? -sample : sample;
    if (size > peak) peak = size;
  }
  return peak;
}

function firstAbove(frame: Int16Array, limit: number): number {
  for (let i = 0; i < frame.length; i++) if (Math.abs(frame[i]!) > limit) return i;
  return frame.length;
}
