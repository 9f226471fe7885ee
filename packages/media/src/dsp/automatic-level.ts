import { bend, CEILING } from './soft-ceiling.ts';
import { createVoiceActivity } from './voice-activity.ts';

/** The loud parts of speech shall have −22 dBov: about −26 dBov of active speech, the level that telephony is designed for (ITU-T P.56). */
const TARGET_DB = -22;
/** Who is this near to the target stays as he is, bit for bit; who is not is brought up to half a decibel to it. */
const NEAR_ENOUGH_DB = 3;
const REACHED_DB = 0.5;
const LEAST_GAIN_DB = -12;
const MOST_GAIN_DB = 18;
/** No gain lifts the noise of a line above this; who sits in a louder noise is not turned up at all. */
const MOST_NOISE_DB = -44;
/** A frame of loud speech moves the gain by so much: 2 dB a second up, 6 down; without a mix that wants it, 10 back to nothing. */
const RISE_DB = 0.1;
const FALL_DB = 0.3;
const RETURN_DB = 0.2;
/** Loud parts: within 12 dB of the loudest frame, which is forgotten at 5 dB a second. Fifty of them, two or three seconds, are averaged. */
const LOUD_PART_DB = 12;
const FORGET_DB = 0.1;
const MOST_AVERAGED = 50;
/**
 * Speech falls by more than 9 dB and rises again two to six times a second, tones and noise do not: so many syllables must have come
 * within three seconds or so.
 */
const DIP_DB = 9;
const RISEN_DB = 4;
const WANTED_SYLLABLES = 2.5;
const SYLLABLES_KEPT = 0.993;

/** Brings what one talker says to the level of all others, one frame of 20 ms after another. */
export interface AutomaticLevel {
  /**
   * Takes the next frame, undefined for silence, and changes it in place. Of what is not the talker's own (made up, the tone of a
   * key) nothing is learnt. Where the level is not wanted any more, the gain returns to nothing.
   */
  adjust(frame: Int16Array | undefined, isOwn: boolean, isWanted: boolean): void;
  /** 0 leaves every sample as it is. */
  readonly gainDb: number;
}

/**
 * Creates the level of a talker of whom nothing is known. It moves while he speaks and never otherwise, so that noise stays
 * what it is in his pauses; what a gain would drive into overload ends that gain within the frame.
 */
export function createAutomaticLevel(): AutomaticLevel {
  const voice = createVoiceActivity();
  let gainDb = 0;
  let gain = 1;
  let isMoving = false;
  let speechDb = 0;
  let averaged = 0;
  let loudestDb = Number.NEGATIVE_INFINITY;
  let hasDipped = false;
  let syllables = 0;

  /** Whether this frame is a loud part of speech; keeps the level of these. */
  const learn = (): boolean => {
    const { energyDb, noiseDb } = voice;
    if (voice.isSpeaking !== true) return false;
    loudestDb = Math.max(energyDb, loudestDb - FORGET_DB);
    syllables *= SYLLABLES_KEPT;
    if (energyDb < loudestDb - DIP_DB) hasDipped = true;
    else if (hasDipped && energyDb > loudestDb - RISEN_DB) {
      hasDipped = false;
      syllables++;
    }
    if (energyDb < loudestDb - LOUD_PART_DB || energyDb < noiseDb + NEAR_ENOUGH_DB) return false;
    if (averaged < MOST_AVERAGED) averaged++;
    speechDb += (energyDb - speechDb) / averaged;
    return syllables > WANTED_SYLLABLES;
  };
  const move = (): void => {
    const quietEnough = Math.max(0, MOST_NOISE_DB - voice.noiseDb);
    const wanted = Math.max(LEAST_GAIN_DB, Math.min(MOST_GAIN_DB, quietEnough, TARGET_DB - speechDb));
    const missing = wanted - gainDb;
    if (Math.abs(missing) > NEAR_ENOUGH_DB) isMoving = true;
    else if (Math.abs(missing) < REACHED_DB) isMoving = false;
    if (isMoving) gainDb += Math.max(-FALL_DB, Math.min(RISE_DB, missing));
  };

  return {
    get gainDb() {
      return gainDb;
    },
    adjust(frame, isOwn, isWanted) {
      const gainBefore = gain;
      const before = gainDb;
      if (isWanted) {
        voice.hear(isOwn ? frame : undefined);
        if (isOwn && frame !== undefined && learn()) move();
      } else gainDb -= Math.max(-RETURN_DB, Math.min(RETURN_DB, gainDb));
      if (gainDb !== before) gain = 10 ** (gainDb / 20);
      if (frame === undefined || (gain === 1 && gainBefore === 1)) return;
      const peak = peakOf(frame);
      const most = Math.max(gain, gainBefore);
      if (most > 1 && peak * most > CEILING) {
        const rampEnd = Math.max(frame.length / 20, firstAbove(frame, CEILING / gainBefore));
        const bearable = Math.max(1, CEILING / peak);
        if (bearable < gain) {
          gain = bearable;
          gainDb = 20 * Math.log10(gain);
        }
        turnDown(frame, gainBefore, gain, rampEnd);
      } else amplify(frame, gainBefore, gain);
    },
  };
}

/** In whole numbers, a gain of one being 2¹²: a third of the time, and the most that comes (18 dB of full scale) fits 31 bits. */
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
