import type { LegMedia } from './leg-media.ts';

/** What early offers do with the audio of their leg. */
export type EarlyMedia = Pick<LegMedia, 'answer' | 'giveUpOffer' | 'offeredBefore'>;

/**
 * Offers of phones that have not answered the call, by UPDATE (RFC 3311 §5.2): each phone that it was forked to has agreed on something of
 * its own, and what counts is what was agreed with the one that answers.
 */
export class EarlyOffers {
  readonly #media: EarlyMedia;
  /** The offer of our INVITE. */
  readonly #first: string;
  readonly #offers = new Map<string, string>();
  #last: string | undefined;

  constructor(media: EarlyMedia, first: string) {
    this.#media = media;
    this.#first = first;
  }

  /** The answer to an offer of the phone with this tag; undefined when there is nothing in common, and then nothing changes. */
  answer(tag: string, offer: string): string | undefined {
    this.#media.giveUpOffer();
    const answer = this.#media.answer(offer);
    if (answer === undefined) {
      if (this.#last === undefined) this.#media.offeredBefore(this.#first);
      return undefined;
    }
    this.#offers.set(tag, offer);
    this.#last = tag;
    return answer;
  }

  /** The phone with this tag has answered the call: the audio is what was agreed on with it, or waits for its answer. */
  answeredBy(tag: string): void {
    if (this.#last === undefined || this.#last === tag) return;
    const offer = this.#offers.get(tag);
    if (offer === undefined) this.#media.offeredBefore(this.#first);
    else this.#media.answer(offer);
  }
}
