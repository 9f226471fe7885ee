import { powerOf } from '../samples/sample-loops.ts';

/** Frames before the first result: 100 ms. */
const LEARNING_FRAMES = 5;
/** Loud frames among the last four that begin speech: 60 to 80 ms, longer than a click. */
const ONSET_FRAMES = 3;
/** Frames without speech that end it, unless the caller says otherwise: 500 ms, longer than the pauses between words. */
const HANG_FRAMES = 25;
/** Margin of speech above noise; frames of noise vary by 3 dB at most. */
const MARGIN_DB = 8;
/** Speech is never below this, whatever the noise, unless the caller says otherwise: −52 dB is a whisper far from the telephone. */
const QUIETEST_SPEECH_DB = -52;
/** Range of the noise estimate: steady sound above −36 dB is music or a tone, which counts as speech. */
const LEAST_NOISE_DB = -62;
const MOST_NOISE_DB = -36;
/** The initial estimate, the noise of a usual line: speech from −34 dB on is detected at once. */
const FIRST_NOISE_DB = -42;
/**
 * The estimate falls by half the distance per frame, so each pause between syllables shows the noise. It rises by 15 dB
 * a second in calm frames and 3 in loud ones.
 */
const FALL_PART = 0.5;
const CALM_RISE_DB = 0.3;
const LOUD_RISE_DB = 0.06;

/** Distinguishes speech from noise by energy, frame by frame of 20 ms. */
export interface VoiceActivity {
  /** Processes the next frame; undefined for a frame that is silent, concealed or a key's tone. */
  hear(frame: Int16Array | undefined): void;
  /** Undefined for the first 100 ms. */
  readonly isSpeaking: boolean | undefined;
  /**
   * Levels of the last frame and of the noise, in dB relative to a full-scale square wave; −Infinity for an undefined
   * frame.
   */
  readonly energyDb: number;
  readonly noiseDb: number;
}

/**
 * Creates a detector. The noise estimate follows the quietest moments: speech falls to it between syllables, steady
 * noise does not.
 */
export function createVoiceActivity(
  hangFrames: number = HANG_FRAMES,
  quietestDb: number = QUIETEST_SPEECH_DB,
): VoiceActivity {
  return new EnergyActivity(hangFrames, quietestDb);
}

class EnergyActivity implements VoiceActivity {
  energyDb = Number.NEGATIVE_INFINITY;
  noiseDb = FIRST_NOISE_DB;
  readonly #hangFrames: number;
  readonly #quietestDb: number;
  #frames = 0;
  /** Loudness of the last four frames, one bit each; the lowest bit is the newest. */
  #recent = 0;
  #quietFrames = 0;
  #isSpeaking = false;

  constructor(hangFrames: number, quietestDb: number) {
    this.#hangFrames = hangFrames;
    this.#quietestDb = quietestDb;
  }

  get isSpeaking(): boolean | undefined {
    return this.#frames < LEARNING_FRAMES ? undefined : this.#isSpeaking;
  }

  hear(frame: Int16Array | undefined): void {
    if (this.#frames < LEARNING_FRAMES) this.#frames++;
    const energyDb = frame === undefined ? Number.NEGATIVE_INFINITY : energyOf(frame);
    const isLoud = energyDb > this.#quietestDb && energyDb > this.noiseDb + MARGIN_DB;
    this.energyDb = energyDb;
    if (frame !== undefined) this.noiseDb = follow(this.noiseDb, energyDb, isLoud);
    const recent = ((this.#recent << 1) | (isLoud ? 1 : 0)) & 0xf;
    this.#recent = recent;
    if (isLoud && loudFrames(recent) >= ONSET_FRAMES) {
      this.#isSpeaking = true;
      this.#quietFrames = 0;
    } else if (this.#isSpeaking && isLoud && loudFrames(recent) > 1) this.#quietFrames = 0;
    else if (this.#isSpeaking && ++this.#quietFrames >= this.#hangFrames) this.#isSpeaking = false;
  }
}

function follow(noiseDb: number, energyDb: number, isLoud: boolean): number {
  const next =
    energyDb < noiseDb
      ? noiseDb + FALL_PART * (Math.max(energyDb, LEAST_NOISE_DB) - noiseDb)
      : Math.min(energyDb, noiseDb + (isLoud ? LOUD_RISE_DB : CALM_RISE_DB));
  return Math.max(LEAST_NOISE_DB, Math.min(MOST_NOISE_DB, next));
}

/** Mean power in dB relative to a full-scale square wave, without the line's offset. */
function energyOf(frame: Int16Array): number {
  return 10 * Math.log10(Math.max(powerOf(frame), 1e-9) / (32767 * 32767));
}

function loudFrames(recent: number): number {
  return (recent & 1) + ((recent >> 1) & 1) + ((recent >> 2) & 1) + (recent >> 3);
}
