import type { AgreedMedia, LegStatistics, MediaLegs } from '@jackfield/ports';
import {
  type AgreedAudio,
  answerOffer,
  applyAnswer,
  type CodecCapability,
  createOffer,
  g722Capability,
  l16Capabilities,
  opusCapability,
  parseSdp,
  pcmaCapability,
  pcmuCapability,
} from '@jackfield/sdp';
import type { SipMessage } from '@jackfield/sip';
import { LegCrypto, protectionOf } from './leg-media-crypto.ts';
import { canonicalAddress, SignallingAddresses } from './signalling-addresses.ts';

export const sdpType = 'application/sdp';

/** What we offer: PCMU first, so that a far side without a preference of its own takes what costs and delays least. */
const offered = [pcmuCapability, pcmaCapability, g722Capability, opusCapability];
/** What we answer with, in the order that the offer prefers. */
const codecs = [...offered, ...l16Capabilities];

/** The audio of one leg: its port in the media engine and the state of its offer/answer exchange (RFC 3264). */
export class LegMedia {
  readonly #legs: MediaLegs;
  readonly #leg: string;
  readonly #address: string;
  readonly #sessionId: string;
  readonly #crypto: LegCrypto;
  readonly #signalling = new SignallingAddresses();
  #port: number | undefined;
  /** The description that we sent last; later ones count its version up. */
  #sent: string | undefined;
  #awaitsAnswer = false;
  #inUse: CodecCapability | undefined;
  #onlyTo: string | undefined;
  #describesEvents = true;

  constructor(
    legs: MediaLegs,
    leg: string,
    address: string,
    sessionId: string,
    crypto: LegCrypto = new LegCrypto(undefined),
  ) {
    this.#legs = legs;
    this.#leg = leg;
    this.#address = address;
    this.#sessionId = sessionId;
    this.#crypto = crypto;
  }

  /** SRTP of the leg: what has to be known before its first description. */
  get crypto(): LegCrypto {
    return this.#crypto;
  }

  /**
   * Whatever a description says, audio goes to this address until some has come from elsewhere: nobody without credentials has it sent
   * to a third party.
   */
  sendOnlyTo(address: string): void {
    this.#onlyTo = address;
  }

  /**
   * Offers name telephone events without their a=fmtp, as browsers' phones need them: the hosted browser SDK takes payload types from the
   * m= line and leaves their fmtp, which browsers then refuse. RFC 4733 §2.4.1: without it events 0–15 are meant.
   */
  leaveEventsUndescribed(): void {
    this.#describesEvents = false;
  }

  /** An offer of ours has no answer yet. */
  get awaitsAnswer(): boolean {
    return this.#awaitsAnswer;
  }

  /** A message of the leg's peer came: its audio may come from there as well (RFC 4961 behind a NAT). Before its description is taken. */
  cameFrom(message: SipMessage): void {
    this.#signalling.cameFrom(message);
  }

  /** Binds the port; rejects when none is left. */
  async open(): Promise<void> {
    this.#port = (await this.#legs.open(this.#leg)).port;
  }

  /** An offer: in our INVITE, or in the 200 to one without; it prefers the codec that is in use. */
  offer(): string {
    this.#awaitsAnswer = true;
    const inUse = this.#inUse;
    const preferred = inUse === undefined ? offered : [inUse, ...offered.filter((codec) => codec !== inUse)];
    const secured = this.#crypto.offering(this.#profile());
    const about = { ...this.#session(), describesEvents: this.#describesEvents };
    this.#sent = createOffer({ ...this.#local(), codecs: preferred, ...secured, ...about });
    return this.#sent;
  }

  /** The first offer again, for a new INVITE, when the old one was refused and leaving SRTP to the phone may help; else undefined. */
  relent(status: number): string | undefined {
    if (this.#inUse !== undefined || !this.#crypto.relents(status)) return undefined;
    this.#sent = undefined;
    return this.offer();
  }

  /** Another phone than the one that was agreed with meanwhile has answered this offer of ours. */
  offeredBefore(offer: string): void {
    this.#sent = offer;
    this.#awaitsAnswer = true;
  }

  /** No answer came to our offer: what was agreed on before holds. */
  giveUpOffer(): void {
    this.#awaitsAnswer = false;
  }

  /** Connects the audio as the answer to our offer says; false when there is nothing in common. */
  takeAnswer(answer: string): boolean {
    if (!this.#awaitsAnswer || this.#sent === undefined) return this.#sent !== undefined;
    const outcome = applyAnswer(this.#sent, answer, codecs, this.#limits());
    if ('problem' in outcome) return false;
    this.#awaitsAnswer = false;
    this.#connect(outcome.agreed);
    return true;
  }

  /**
   * Connects the audio as an answer to this offer of ours says, which another one may follow: the leg is heard before it is answered.
   * False when there is nothing in common.
   */
  preview(offer: string, answer: string): boolean {
    const outcome = applyAnswer(offer, answer, codecs, this.#limits());
    if ('problem' in outcome) return false;
    this.#crypto.agreed(outcome.agreed.crypto?.suite);
    this.#legs.connect(this.#leg, this.#mediaOf(outcome.agreed));
    return true;
  }

  /** The answer to a description that was only repeated: whoever moved meanwhile says so in it. */
  renewAnswer(response: SipMessage): void {
    this.cameFrom(response);
    if (this.#awaitsAnswer || this.#sent === undefined) return;
    const outcome = applyAnswer(this.#sent, response.body, codecs, this.#limits());
    if (!('problem' in outcome)) this.#connect(outcome.agreed);
  }

  /** Answers an offer and connects the audio; undefined when there is nothing in common, and then nothing changes. */
  answer(offer: string): string | undefined {
    const outcome = answerOffer(offer, { ...this.#local(), ...this.#crypto.answering() }, this.#session());
    if ('problem' in outcome) return undefined;
    this.#sent = outcome.answer;
    this.#connect(outcome.agreed);
    return outcome.answer;
  }

  async close(): Promise<LegStatistics | undefined> {
    return this.#port === undefined ? undefined : this.#legs.close(this.#leg);
  }

  #limits() {
    return { requiresCrypto: this.#crypto.isDemanded };
  }

  /** Of the description that we sent last, where it was agreed on. */
  #profile(): string | undefined {
    if (this.#inUse === undefined || this.#sent === undefined) return undefined;
    const parsed = parseSdp(this.#sent);
    if ('problem' in parsed) return undefined;
    return parsed.session.media.find(({ kind, port }) => kind === 'audio' && port !== 0)?.protocol;
  }

  #local() {
    return { codecs, address: this.#address, port: this.#port ?? 0 };
  }

  #session() {
    const previous = this.#sent;
    return previous === undefined ? { sessionId: this.#sessionId } : { sessionId: this.#sessionId, previous };
  }

  #connect(agreed: AgreedAudio): void {
    this.#inUse = agreed.codec;
    this.#crypto.agreed(agreed.crypto?.suite);
    this.#legs.connect(this.#leg, this.#mediaOf(agreed));
  }

  #mediaOf(agreed: AgreedAudio): AgreedMedia {
    const media = agreedMediaOf(agreed);
    const signalledFrom = this.#signalling.list;
    return {
      ...media,
      address: this.#onlyTo ?? media.address,
      ...(signalledFrom.length === 0 ? {} : { signalledFrom }),
    };
  }
}

/** RFC 3261 §8.2.3: a body of another type is answered with 415. Without a type it can only be the description. */
export function isDescription({ headers, body }: Pick<SipMessage, 'headers' | 'body'>): boolean {
  const type = headers.get('Content-Type');
  return body === '' || type === undefined || /^application\/sdp[ \t]*(?:;|$)/i.test(type);
}

/** Whether an INVITE's body can be answered at all; an empty one leaves the offer to us. */
export function isAnswerable(offer: string, crypto: LegCrypto): boolean {
  if (offer === '') return true;
  const probe = { codecs, address: '127.0.0.1', port: 9, ...crypto.answering() };
  return !('problem' in answerOffer(offer, probe, { sessionId: '0' }));
}

function agreedMediaOf(agreed: AgreedAudio): AgreedMedia {
  return {
    address: canonicalAddress(agreed.remoteAddress),
    port: agreed.remotePort,
    rtcpPort: agreed.rtcpPort,
    ...codecOf(agreed.codec),
    ...(agreed.fmtp === undefined ? {} : { parameters: agreed.fmtp }),
    payloadType: agreed.payloadType,
    ...(agreed.telephoneEventPayloadType === undefined
      ? {}
      : { telephoneEventPayloadType: agreed.telephoneEventPayloadType }),
    receive: agreed.receive.map(({ payloadType, codec }) => ({ payloadType, ...codecOf(codec) })),
    ...(agreed.receiveTelephoneEventPayloadType === undefined
      ? {}
      : { receiveTelephoneEventPayloadType: agreed.receiveTelephoneEventPayloadType }),
    ...(agreed.telephoneEventClockRate === undefined
      ? {}
      : { telephoneEventClockRate: agreed.telephoneEventClockRate }),
    direction: agreed.direction,
    ptimeMs: agreed.ptimeMs,
    ...(agreed.crypto === undefined ? {} : { protection: protectionOf(agreed.crypto) }),
  };
}

function codecOf({ name, clockRate }: CodecCapability): Pick<AgreedMedia, 'codec' | 'clockRate'> {
  return name === 'L16' ? { codec: name, clockRate } : { codec: name as AgreedMedia['codec'] };
}
