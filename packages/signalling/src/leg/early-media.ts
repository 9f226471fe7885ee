import { type SipResponse, tagOf } from '@jackfield/sip';
import { isDescription, type LegMedia } from './leg-media.ts';

/** What early media does with the audio of its leg. */
export type EarlyAudio = Pick<LegMedia, 'answer' | 'preview' | 'giveUpOffer' | 'offeredBefore' | 'cameFrom'>;

/** Answers of more phones than this, which one call was forked to, are not kept. */
const mostForks = 64;

/**
 * Audio before the call is answered, of phones named by the To tag of their early dialog (RFC 3960 §2). Each phone that the call was forked
 * to has agreed on something of its own, by answering our offer in a provisional response or by an offer of its own (UPDATE, RFC 3311 §5.2).
 * Of those that answer, the first is heard; what counts in the end is what was agreed with the one that answers the call.
 */
export class EarlyMedia {
  readonly #audio: EarlyAudio;
  /** The offer of our INVITE. */
  readonly #first: string;
  readonly #answers = new Map<string, string>();
  readonly #offers = new Map<string, string>();
  /** Whose offer was answered last. */
  #last: string | undefined;
  #heard: string | undefined;

  constructor(audio: EarlyAudio, first: string) {
    this.#audio = audio;
    this.#first = first;
  }

  /**
   * Takes a provisional response: its description is the answer, or a foretaste of it where it is not sent reliably (RFC 3261 §13.2.1). True
   * when its phone is heard now.
   */
  hears(response: SipResponse): boolean {
    this.#audio.cameFrom(response);
    const { body: answer, headers } = response;
    if (answer === '' || !isDescription(response)) return false;
    const tag = tagOf(headers.get('To') ?? '') ?? '';
    if (this.#answers.has(tag) || this.#answers.size < mostForks) this.#answers.set(tag, answer);
    // An offer of its own came after this answer, even if this packet came after that one.
    if (this.#offers.has(tag)) return true;
    if (this.#heard !== undefined && this.#heard !== tag) return false;
    if (!this.#audio.preview(this.#first, answer)) return false;
    this.#heard = tag;
    return true;
  }

  /** The answer to an offer of the phone with this tag; undefined when there is nothing in common, and then nothing changes. */
  answer(tag: string, offer: string): string | undefined {
    this.#audio.giveUpOffer();
    const answer = this.#audio.answer(offer);
    if (answer === undefined) {
      if (this.#last === undefined) this.#audio.offeredBefore(this.#first);
      return undefined;
    }
    this.#offers.set(tag, offer);
    this.#last = tag;
    this.#heard = tag;
    return answer;
  }

  /**
   * A phone has answered the call: the audio is what was agreed on with it, or waits for the answer that is returned. That is the description
   * of the 2xx, or where it has none the one that came before.
   */
  answeredBy(response: SipResponse): string {
    const { headers, body } = response;
    this.#audio.cameFrom(response);
    const tag = tagOf(headers.get('To') ?? '') ?? '';
    if (this.#last !== undefined && this.#last !== tag) {
      const offer = this.#offers.get(tag);
      if (offer === undefined) this.#audio.offeredBefore(this.#first);
      else this.#audio.answer(offer);
    }
    return body === '' ? (this.#answers.get(tag) ?? '') : body;
  }
}
