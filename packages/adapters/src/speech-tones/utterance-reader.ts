import { isSilent, SpokenTextReader } from './spoken-text.ts';

/** A pause of this length ends an utterance, as engines report phrases. */
const pauseMs = 300;
const frameMs = 20;

/** Reads spoken texts from frames of 20 ms, and reports each when its speaker pauses. */
export class UtteranceReader {
  readonly #reader = new SpokenTextReader();
  readonly #report: (text: string, heardMs: number) => void;
  #reported = 0;
  #heardMs = 0;
  #silentMs = 0;

  constructor(report: (text: string, heardMs: number) => void) {
    this.#report = report;
  }

  hear(frame: Int16Array): void {
    this.#heardMs += frameMs;
    this.#reader.hear(frame);
    this.#silentMs = isSilent(frame) ? this.#silentMs + frameMs : 0;
    if (this.#silentMs >= pauseMs) this.finish();
  }

  /** Reports what was said since the last report. */
  finish(): void {
    const { texts } = this.#reader;
    for (; this.#reported < texts.length; this.#reported++)
      this.#report(texts[this.#reported]!, this.#heardMs);
  }
}
