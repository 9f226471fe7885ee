import type { Instant } from '@jackfield/ports';
import {
  answerOffer,
  applyAnswer,
  type CodecCapability,
  type CryptoKey,
  createOffer,
  type Direction,
  pcmaCapability,
  pcmuCapability,
} from '@jackfield/sdp';
import type { Call, CallListener, Content, EndReason, IncomingInvite } from '@jackfield/sip';
import type { HeardFrame, PhoneAudio } from './phone-audio.ts';

const usualCodecs: readonly CodecCapability[] = [pcmuCapability, pcmaCapability];

export interface PhoneCallDeps {
  readonly audio: PhoneAudio;
  readonly mediaAt: { readonly address: string; readonly port: number };
  readonly sessionId: string;
  /** A fresh key for SRTP; RTP in the clear when absent. */
  readonly newKey?: () => CryptoKey;
  readonly now: () => Instant;
  /** PCMU and PCMA when absent. */
  readonly codecs?: readonly CodecCapability[];
}

/** One call of a simulated phone, from its INVITE to its end. */
export class PhoneCall {
  readonly direction: 'incoming' | 'outgoing';
  /** When this side knew of the answer. */
  answeredAt: Instant | undefined;
  isRinging = false;
  /** The user part of From in an incoming INVITE. */
  caller: string | undefined;
  /** Its display name. */
  callerName: string | undefined;
  end: EndReason | undefined;
  endedAt: Instant | undefined;
  /** When the other side first answered the BYE of this phone; undefined while it has not. */
  byeAnsweredAt: Instant | undefined;
  /** Final statuses of re-INVITEs of this phone, 200 included. */
  readonly offerOutcomes: number[] = [];
  /** Of its last REFER: the final status, and those of the requested call as the platform reported them. */
  readonly transferStatuses: number[] = [];
  readonly #deps: PhoneCallDeps;
  #leg: Call | undefined;
  #sent: string | undefined;
  #early: Content | undefined;
  #keys: readonly CryptoKey[];

  constructor(direction: PhoneCall['direction'], deps: PhoneCallDeps) {
    this.direction = direction;
    this.#deps = deps;
    this.#keys = deps.newKey === undefined ? [] : [deps.newKey()];
  }

  get heard(): readonly HeardFrame[] {
    return this.#deps.audio.heard;
  }

  get audio(): PhoneAudio {
    return this.#deps.audio;
  }

  /** Answered and not over. */
  get isUp(): boolean {
    return this.answeredAt !== undefined && this.end === undefined;
  }

  get callId(): string | undefined {
    return this.#leg?.callId;
  }

  /** Sends keys by RFC 4733. */
  press(digits: string): void {
    this.#deps.audio.press(digits);
  }

  /** Sends BYE, CANCEL or 603, according to the state of the call. */
  hangUp(): void {
    this.#leg?.hangUp();
  }

  /** Sends a re-INVITE: `sendonly` or `inactive` puts the other side on hold, `sendrecv` resumes. */
  reinvite(direction: Direction): void {
    this.#leg?.offer(this.#offer(direction));
  }

  /** The value of Replaces that names this call; undefined for a call that is not up. */
  get replaces(): string | undefined {
    const dialog = this.#leg?.snapshot()?.dialog;
    // RFC 3891 §3: the to-tag is that of the receiver.
    return dialog && `${dialog.callId};to-tag=${dialog.remoteTag};from-tag=${dialog.localTag}`;
  }

  /** Sends REFER: to a URI, or to the other party of another call of this phone (RFC 5589 §7.3). */
  transfer(to: string | { readonly replaces: string | undefined }): void {
    const uri =
      typeof to === 'string'
        ? to
        : `sip:other@${this.#deps.mediaAt.address}?Replaces=${encodeURIComponent(to.replaces ?? '')}`;
    this.#leg?.refer(uri);
  }

  /** Uses another key from this side's next offer or answer on. */
  renewKey(): void {
    if (this.#deps.newKey !== undefined) this.#keys = [this.#deps.newKey()];
  }

  /** Called by the phone with its outgoing INVITE. */
  dialled(invite: (content: Content, listener: CallListener) => Call): void {
    this.#leg = invite(this.#offer('sendrecv'), this.#listener());
  }

  /** Called by the phone with an incoming INVITE. */
  offered(invite: IncomingInvite): void {
    this.#leg = invite;
    this.caller = /sips?:([^@>;]+)@/.exec(invite.request.headers.get('From') ?? '')?.[1];
    this.callerName = invite.request.headers.address('From')?.displayName;
    invite.listen(this.#listener());
  }

  ring(invite: IncomingInvite, isHeard = false): void {
    this.isRinging = true;
    this.#early = isHeard ? this.#answer(invite.request.body) : undefined;
    if (this.#early === undefined) invite.ring();
    else invite.ring(183, { content: this.#early });
  }

  answer(invite: IncomingInvite): void {
    if (this.end !== undefined) return;
    const content = this.#early ?? this.#answer(invite.request.body);
    if (content === undefined) {
      invite.reject(488);
      return;
    }
    invite.accept(content);
    this.answeredAt = this.#deps.now();
  }

  /** Called by the phone with a 2xx to a BYE of this call. */
  byeAnswered(): void {
    this.byeAnsweredAt ??= this.#deps.now();
  }

  #listener(): CallListener {
    return {
      ringing: ({ body }) => {
        this.isRinging = true;
        // Early media: the description of the 183 is valid until the 200 repeats it.
        if (body !== '') this.#takeAnswer(body);
      },
      answered: (response) => {
        this.#takeAnswer(response.body);
        this.answeredAt = this.#deps.now();
      },
      offered: (request) => {
        const content = this.#answer(request.body);
        if (content === undefined) this.#leg?.refuseOffer(488);
        else this.#leg?.answerOffer(content);
      },
      offerAnswered: (response) => {
        this.#takeAnswer(response.body);
        this.offerOutcomes.push(200);
      },
      offerRefused: (status) => this.offerOutcomes.push(status),
      referAnswered: (status) => this.transferStatuses.push(status),
      referNotified: (status) => this.transferStatuses.push(status),
      ended: (reason) => {
        this.end = reason;
        this.endedAt = this.#deps.now();
        this.#deps.audio.close();
      },
    };
  }

  #offer(direction: Direction): Content {
    const protocols = [this.#keys.length === 0 ? 'RTP/AVP' : 'RTP/SAVP'];
    this.#sent = createOffer({ ...this.#local(), protocols, direction, ...this.#session() });
    return sdp(this.#sent);
  }

  #answer(offer: string): Content | undefined {
    const outcome = answerOffer(offer, this.#local(), this.#session());
    if ('problem' in outcome) return undefined;
    this.#sent = outcome.answer;
    this.#deps.audio.connect(outcome.agreed);
    return sdp(outcome.answer);
  }

  #takeAnswer(answer: string): void {
    const outcome = this.#sent === undefined ? undefined : applyAnswer(this.#sent, answer, this.#codecs);
    if (outcome === undefined || 'problem' in outcome) this.hangUp();
    else this.#deps.audio.connect(outcome.agreed);
  }

  #local() {
    const secured = this.#keys.length === 0 ? {} : { crypto: this.#keys, protocols: ['RTP/AVP', 'RTP/SAVP'] };
    return { codecs: this.#codecs, ...this.#deps.mediaAt, ...secured };
  }

  get #codecs(): readonly CodecCapability[] {
    return this.#deps.codecs ?? usualCodecs;
  }

  #session() {
    const session = { sessionId: this.#deps.sessionId };
    return this.#sent === undefined ? session : { ...session, previous: this.#sent };
  }
}

function sdp(body: string): Content {
  return { body, contentType: 'application/sdp' };
}
