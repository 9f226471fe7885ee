import type { AgreedMedia, LegStatistics, MediaLegs } from '@jackfield/platform';
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
  #port: number | undefined;
  /** The description that we sent last; later ones count its version up. */
  #sent: string | undefined;
  #awaitsAnswer = false;

  constructor(legs: MediaLegs, leg: string, address: string, sessionId: string) {
    this.#legs = legs;
    this.#leg = leg;
    this.#address = address;
    this.#sessionId = sessionId;
  }

  /** An offer of ours has no answer yet. */
  get awaitsAnswer(): boolean {
    return this.#awaitsAnswer;
  }

  /** Binds the port; rejects when none is left. */
  async open(): Promise<void> {
    this.#port = (await this.#legs.open(this.#leg)).port;
  }

  /** An offer: in our INVITE, or in the 200 to one without. */
  offer(): string {
    this.#awaitsAnswer = true;
    this.#sent = createOffer({ ...this.#local(), codecs: offered, ...this.#session() });
    return this.#sent;
  }

  /** No answer came to our offer: what was agreed on before holds. */
  giveUpOffer(): void {
    this.#awaitsAnswer = false;
  }

  /** Connects the audio as the answer to our offer says; false when there is nothing in common. */
  takeAnswer(answer: string): boolean {
    if (!this.#awaitsAnswer || this.#sent === undefined) return this.#sent !== undefined;
    const outcome = applyAnswer(this.#sent, answer, codecs);
    if ('problem' in outcome) return false;
    this.#awaitsAnswer = false;
    this.#connect(outcome.agreed);
    return true;
  }

  /** The answer to a description that was only repeated: whoever moved meanwhile says so in it. */
  renewAnswer(answer: string): void {
    if (this.#awaitsAnswer || this.#sent === undefined) return;
    const outcome = applyAnswer(this.#sent, answer, codecs);
    if (!('problem' in outcome)) this.#connect(outcome.agreed);
  }

  /** Answers an offer and connects the audio; undefined when there is nothing in common, and then nothing changes. */
  answer(offer: string): string | undefined {
    const outcome = answerOffer(offer, this.#local(), this.#session());
    if ('problem' in outcome) return undefined;
    this.#sent = outcome.answer;
    this.#connect(outcome.agreed);
    return outcome.answer;
  }

  async close(): Promise<LegStatistics | undefined> {
    return this.#port === undefined ? undefined : this.#legs.close(this.#leg);
  }

  #local() {
    return { codecs, address: this.#address, port: this.#port ?? 0 };
  }

  #session() {
    const previous = this.#sent;
    return previous === undefined ? { sessionId: this.#sessionId } : { sessionId: this.#sessionId, previous };
  }

  #connect(agreed: AgreedAudio): void {
    this.#legs.connect(this.#leg, agreedMediaOf(agreed));
  }
}

/** Whether an INVITE's body can be answered at all; an empty one leaves the offer to us. */
export function isAnswerable(offer: string): boolean {
  if (offer === '') return true;
  const probe = { codecs, address: '127.0.0.1', port: 9 };
  return !('problem' in parseSdp(offer)) && !('problem' in answerOffer(offer, probe, { sessionId: '0' }));
}

function agreedMediaOf(agreed: AgreedAudio): AgreedMedia {
  return {
    address: agreed.remoteAddress,
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
  };
}

function codecOf({ name, clockRate }: CodecCapability): Pick<AgreedMedia, 'codec' | 'clockRate'> {
  return name === 'L16' ? { codec: name, clockRate } : { codec: name as AgreedMedia['codec'] };
}
