import { createVoiceActivity, type VoiceActivity } from './voice-activity.ts';

/** A piece of audio with speech in it. */
export interface Utterance {
  readonly samples: Int16Array;
  /** Since the start of the audio. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** How audio is cut into utterances, and who gets them. */
export interface UtteranceOptions {
  readonly sampleRate: number;
  /** Silence that ends an utterance. */
  readonly silenceMs: number;
  /** An utterance is cut at this length. */
  readonly mostMs: number;
  /** Audio that is kept from before the first sound, because the start of a word is quiet. */
  readonly leadMs: number;
  readonly take: (utterance: Utterance) => void;
}

const FRAME_MS = 20;

/** Cuts audio into utterances by voice activity. */
export class Utterances {
  readonly #options: UtteranceOptions;
  readonly #frame: Int16Array;
  readonly #activity: VoiceActivity;
  /** The utterance so far, or the audio just before the next one. */
  #kept: Int16Array;
  readonly #leadSamples: number;
  readonly #mostSamples: number;
  #length = 0;
  #inFrame = 0;
  #framesHeard = 0;
  #isSpeech = false;

  constructor(options: UtteranceOptions) {
    const { sampleRate, silenceMs, mostMs, leadMs } = options;
    const samplesIn = (ms: number): number => Math.round(ms / FRAME_MS) * this.#frame.length;
    this.#options = options;
    this.#frame = new Int16Array((sampleRate * FRAME_MS) / 1000);
    this.#activity = createVoiceActivity(Math.round(silenceMs / FRAME_MS));
    this.#leadSamples = samplesIn(leadMs);
    this.#mostSamples = samplesIn(mostMs) + this.#leadSamples;
    this.#kept = new Int16Array(Math.min(this.#mostSamples, 2 * this.#leadSamples + this.#frame.length));
  }

  /** Whether an utterance has begun. */
  get isSpeech(): boolean {
    return this.#isSpeech;
  }

  /** Consumes any number of samples. */
  write(samples: Int16Array): void {
    for (let at = 0; at < samples.length; ) {
      const part = samples.subarray(at, at + this.#frame.length - this.#inFrame);
      this.#frame.set(part, this.#inFrame);
      this.#inFrame += part.length;
      at += part.length;
      if (this.#inFrame < this.#frame.length) return;
      this.#inFrame = 0;
      this.#hear();
    }
  }

  /** The audio is over: an utterance that has begun is complete. */
  end(): void {
    if (this.#isSpeech) this.#hand();
  }

  #hear(): void {
    this.#framesHeard++;
    this.#activity.hear(this.#frame);
    const isSpeaking = this.#activity.isSpeaking === true;
    if (!this.#isSpeech && this.#length + this.#frame.length > this.#leadSamples) {
      this.#kept.copyWithin(0, this.#frame.length, this.#length);
      this.#length -= this.#frame.length;
    }
    this.#keep();
    if (this.#isSpeech && (!isSpeaking || this.#length >= this.#mostSamples)) this.#hand();
    this.#isSpeech = isSpeaking;
  }

  #keep(): void {
    if (this.#length + this.#frame.length > this.#kept.length) {
      const larger = new Int16Array(2 * this.#kept.length);
      larger.set(this.#kept.subarray(0, this.#length));
      this.#kept = larger;
    }
    this.#kept.set(this.#frame, this.#length);
    this.#length += this.#frame.length;
  }

  #hand(): void {
    const samples = this.#kept.slice(0, this.#length);
    const toMs = this.#framesHeard * FRAME_MS;
    this.#length = 0;
    this.#isSpeech = false;
    const fromMs = toMs - Math.round((samples.length * 1000) / this.#options.sampleRate);
    this.#options.take({ samples, fromMs, toMs });
  }
}
