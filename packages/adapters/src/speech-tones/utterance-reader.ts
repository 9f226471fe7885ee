import { SpokenTextReader } from './spoken-text.ts';

const frameMs = 20;

/** Reads spoken texts from frames of 20 ms, and reports each at its end. */
export class UtteranceReader {
  readonly #reader = new SpokenTextReader();
  readonly #report: (text: string, heardMs: number) => void;
  #reported = 0;
  #heardMs = 0;

  constructor(report: (text: string, heardMs: number) => void) {
    this.#report = report;
  }

  hear(frame: Int16Array): void {
    this.#heardMs += frameMs;
    this.#reader.hear(frame);
    if (!this.#reader.isWithinText) this.finish();
  }

  /** Reports what was said since the last report. */
  finish(): void {
    const { texts } = this.#reader;
    for (; this.#reported < texts.length; this.#reported++)
      this.#report(texts[this.#reported]!, this.#heardMs);
  }
}
