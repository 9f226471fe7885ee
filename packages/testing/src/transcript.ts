import type { PhoneCall } from '@jackfield/testkit/for-customers';
import { SpokenTextReader } from './spoken-text.ts';

/** What one call of a phone has heard, as text. */
export class Transcript {
  readonly #call: PhoneCall;
  readonly #reader = new SpokenTextReader();
  #frames = 0;
  /** The text up to here was matched by an earlier expectation. */
  #matched = 0;

  constructor(call: PhoneCall) {
    this.#call = call;
  }

  /** Each utterance is a line. */
  get text(): string {
    const { heard } = this.#call;
    for (; this.#frames < heard.length; this.#frames++) this.#reader.hear(heard[this.#frames]!.samples);
    return this.#reader.texts.join('\n');
  }

  /** Looks behind the text that earlier expectations matched; a match moves that position. */
  match(what: string | RegExp): RegExpExecArray | undefined {
    const rest = this.text.slice(this.#matched);
    const found = patternOf(what).exec(rest);
    if (found === null) return undefined;
    this.#matched += found.index + found[0].length;
    return found;
  }
}

/** A text matches in any case, and over any white space. */
export function patternOf(what: string | RegExp): RegExp {
  if (what instanceof RegExp) return new RegExp(what.source, what.flags.replace(/[gy]/g, ''));
  const words = what.trim().split(/\s+/).map(escaped);
  return new RegExp(words.join('\\s+'), 'i');
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
