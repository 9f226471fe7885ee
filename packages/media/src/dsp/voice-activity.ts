/** Frames of 20 ms that a listener is given before the first answer: 100 ms. */
const LEARNING_FRAMES = 5;
/** So many loud frames among the last four begin speech: 60 to 80 ms, more than a click. */
const ONSET_FRAMES = 3;
/** So long without speech ends it: 500 ms, longer than the pauses between words. */
const HANG_FRAMES = 25;
/** Speech stands out from the noise by so much: frames of noise itself vary by 3 dB at most. */
const MARGIN_DB = 8;
/** Below this nothing counts as speech, whatever the noise: −52 dB is a whisper far from the telephone. */
const QUIETEST_SPEECH_DB = -52;
/** Noise is looked for in this range only: what is louder than −36 dB for long is music or tones, which somebody wants heard. */
const LEAST_NOISE_DB = -62;
const MOST_NOISE_DB = -36;
/** Before anything is known, the noise of a usual line: speech from −34 dB on is found at once. */
const FIRST_NOISE_DB = -42;
/** The estimate falls by half the distance a frame, so each pause between syllables shows the noise; it rises by 15 and 3 dB a second. */
const FALL_PART = 0.5;
const CALM_RISE_DB = 0.3;
const LOUD_RISE_DB = 0.06;

/** Tells speech from noise by its energy, one frame of 20 ms after another. */
export interface VoiceActivity {
  /** Takes the next frame; undefined for one that is silent, was made up, or is a key's tone. */
  hear(frame: Int16Array | undefined): void;
  /** Undefined for the first 100 ms. */
  readonly isSpeaking: boolean | undefined;
  /** Of the last frame and of the noise, in dB relative to a full-scale square wave; −Infinity for a frame that was none. */
  readonly energyDb: number;
  readonly noiseDb: number;
}

/**
 * Creates a detector that knows nothing of its line yet. The noise floor follows the quietest moments: speech dips to it
 * between syllables, which steady noise never does.
 */
export function createVoiceActivity(): VoiceActivity {
  let noiseDb = FIRST_NOISE_DB;
  let frames = 0;
  /** The last four frames, the newest in the lowest bit: 1 where loud. */
  let recent = 0;
  let quietFrames = 0;
  let isSpeaking = false;
  let energyDb = Number.NEGATIVE_INFINITY;

  return {
    get energyDb() {
      return energyDb;
    },
    get noiseDb() {
      return noiseDb;
    },
    get isSpeaking() {
      return frames < LEARNING_FRAMES ? undefined : isSpeaking;
    },
    hear(frame) {
      if (frames < LEARNING_FRAMES) frames++;
      energyDb = frame === undefined ? Number.NEGATIVE_INFINITY : energyOf(frame);
      const isLoud = energyDb > QUIETEST_SPEECH_DB && energyDb > noiseDb + MARGIN_DB;
      if (frame !== undefined) noiseDb = follow(noiseDb, energyDb, isLoud);
      recent = ((recent << 1) | (isLoud ? 1 : 0)) & 0xf;
      if (isLoud && loudFrames(recent) >= ONSET_FRAMES) {
        isSpeaking = true;
        quietFrames = 0;
      } else if (isSpeaking && isLoud && loudFrames(recent) > 1) quietFrames = 0;
      else if (isSpeaking && ++quietFrames >= HANG_FRAMES) isSpeaking = false;
    },
  };
}

function follow(noiseDb: number, energyDb: number, isLoud: boolean): number {
  const next =
    energyDb < noiseDb
      ? noiseDb + FALL_PART * (Math.max(energyDb, LEAST_NOISE_DB) - noiseDb)
      : Math.min(energyDb, noiseDb + (isLoud ? LOUD_RISE_DB : CALM_RISE_DB));
  return Math.max(LEAST_NOISE_DB, Math.min(MOST_NOISE_DB, next));
}

/** Mean power in dB relative to a full-scale square wave; an offset of the line does not count. */
function energyOf(frame: Int16Array): number {
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < frame.length; i++) {
    const sample = frame[i]!;
    sum += sample;
    squares += sample * sample;
  }
  const mean = sum / frame.length;
  const power = squares / frame.length - mean * mean;
  return 10 * Math.log10(Math.max(power, 1e-9) / (32767 * 32767));
}

function loudFrames(recent: number): number {
  return (recent & 1) + ((recent >> 1) & 1) + ((recent >> 2) & 1) + (recent >> 3);
}
