import type { Instant } from '@jackfield/ports';
import { isSilent, type PhoneCall, SpokenTextReader } from '@jackfield/testkit/phones';

/** A text without its end was interrupted when nothing has been heard for so long. */
const interruptedMs = 1_000;

/** What one call of a phone has heard, as text. */
export class Transcript {
  readonly #call: PhoneCall;
  readonly #reader = new SpokenTextReader();
  #frames = 0;
  #spokenAt: Instant | undefined;
  /** The text up to here was matched by an earlier expectation. */
  #matched = 0;

  constructor(call: PhoneCall) {
    this.#call = call;
  }

  /** Each utterance is a line. */
  get text(): string {
    const { heard } = this.#call;
    for (; this.#frames < heard.length; this.#frames++) {
      const { samples, at } = heard[this.#frames]!;
      this.#reader.hear(samples);
      if (!isSilent(samples)) this.#spokenAt = at;
    }
    return this.#reader.texts.join('\n');
  }

  /**
   * Looks behind the text that earlier expectations matched; a match moves that position. A pattern may reach to the end of the text only
   * when the text has come to its end or the call is over: `\d+` means the whole number, not the digits that were said so far.
   */
  match(what: string | RegExp, now: Instant): RegExpExecArray | undefined {
    const rest = this.text.slice(this.#matched);
    const found = patternOf(what).exec(rest);
    if (found === null) return undefined;
    const isAtEnd = found.index + found[0].length === rest.length;
    if (isAtEnd && typeof what !== 'string' && this.#isSpeaking(now)) return undefined;
    this.#matched += found.index + found[0].length;
    return found;
  }

  #isSpeaking(now: Instant): boolean {
    if (this.#call.end !== undefined || !this.#reader.isWithinText) return false;
    return this.#spokenAt !== undefined && now - this.#spokenAt < interruptedMs;
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
