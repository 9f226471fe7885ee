import type { SipResponse } from '@jackfield/sip';
import {
  type Agreed,
  type Described,
  heardFrom,
  isDescription,
  type LegAudio,
  makeAnswer,
  previewAnswer,
  withOpenOffer,
  withoutOpenOffer,
} from './leg-audio.ts';

/** Phones of one forked call whose answers are kept; further ones are ignored. */
const mostForks = 64;

/**
 * Audio before the answer, of phones named by the To tag of their early dialog (RFC 3960 §2). Each phone of a forked call has an agreement
 * of its own: by a provisional answer to our offer, or by its own offer (UPDATE, RFC 3311 §5.2). The leg plays the first phone that
 * answers; the agreement with the phone that answers the call is final.
 */
export interface EarlyAnswers {
  /** The offer of our INVITE. */
  readonly offer: string;
  /** Answers to it by To tag. */
  readonly answers: ReadonlyMap<string, string>;
  /** Offers of phones by To tag. */
  readonly offers: ReadonlyMap<string, string>;
  /** The phone whose offer was answered last. */
  readonly last: string | undefined;
  /** The phone whose audio the leg plays. */
  readonly playing: string | undefined;
}

/** No phone has answered this offer. */
export function noEarlyAnswers(offer: string): EarlyAnswers {
  return { offer, answers: new Map(), offers: new Map(), last: undefined, playing: undefined };
}

/** The next state after a provisional response. */
export interface EarlyAgreed extends Agreed {
  readonly early: EarlyAnswers;
  /** The leg plays the phone that sent the response. */
  readonly isPlaying: boolean;
}

/** A provisional response: its description is the answer, or a preview where it is not sent reliably (RFC 3261 §13.2.1). */
export function takeProvisional(before: EarlyAnswers, was: LegAudio, response: SipResponse): EarlyAgreed {
  const audio = heardFrom(was, response);
  const { body: answer, headers } = response;
  if (answer === '' || !isDescription(response)) return { early: before, audio, isPlaying: false };
  const tag = tagOfTo(headers);
  const early = withAnswer(before, tag, answer);
  // The phone has sent a later offer, even if this packet arrived after that offer.
  if (early.offers.has(tag)) return { early, audio, isPlaying: true };
  if (early.playing !== undefined && early.playing !== tag) return { early, audio, isPlaying: false };
  const agreed = previewAnswer(audio, early.offer, answer);
  return agreed === undefined
    ? { early, audio, isPlaying: false }
    : { early: { ...early, playing: tag }, ...agreed, isPlaying: true };
}

/** Answers the offer of the phone with this tag; without a description, and without an agreement, when there is nothing in common. */
export function answerEarlyOffer(
  early: EarlyAnswers,
  was: LegAudio,
  tag: string,
  offer: string,
): { readonly early: EarlyAnswers } & Agreed & Partial<Described> {
  const audio = withoutOpenOffer(was);
  const answered = makeAnswer(audio, offer);
  if (answered === undefined) {
    return { early, audio: early.last === undefined ? withOpenOffer(audio, early.offer) : audio };
  }
  const offers = new Map(early.offers).set(tag, offer);
  return { early: { ...early, offers, last: tag, playing: tag }, ...answered };
}

/**
 * A phone has answered the call. The audio is what was agreed with that phone, or waits for the returned answer: the description of the
 * 2xx, or the phone's earlier one where the 2xx has none.
 */
export function takeFinalAnswer(
  early: EarlyAnswers,
  was: LegAudio,
  response: SipResponse,
): Agreed & { readonly answer: string } {
  const audio = heardFrom(was, response);
  const { headers, body } = response;
  const tag = tagOfTo(headers);
  const answer = body === '' ? (early.answers.get(tag) ?? '') : body;
  if (early.last === undefined || early.last === tag) return { audio, answer };
  const offer = early.offers.get(tag);
  if (offer === undefined) return { audio: withOpenOffer(audio, early.offer), answer };
  return { ...(makeAnswer(audio, offer) ?? { audio }), answer };
}

function withAnswer(early: EarlyAnswers, tag: string, answer: string): EarlyAnswers {
  const { answers } = early;
  if (!answers.has(tag) && answers.size >= mostForks) return early;
  return { ...early, answers: new Map(answers).set(tag, answer) };
}

function tagOfTo(headers: SipResponse['headers']): string {
  return headers.address('To')?.tag ?? '';
}
