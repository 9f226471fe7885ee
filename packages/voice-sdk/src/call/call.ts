import {
  type CallListener,
  type Call as Dialog,
  decodeUtf8,
  type IncomingInvite,
  type SipMessage,
} from '@jackfield/sip/phone';
import { Emitter } from '../emitter.ts';
import type { Environment } from '../environment.ts';
import type { CallQuality } from '../quality/call-quality.ts';
import type { QualitySample } from '../quality/quality-sample.ts';
import type { QualityWarning } from '../quality/quality-warnings.ts';
import { createRunner, type Runner } from '../runner.ts';
import { described } from '../sip-client.ts';
import { Timers } from '../timers.ts';
import { VoiceError } from '../voice-error.ts';
import { CallAudio } from './call-audio.ts';
import { callEndOf } from './call-end.ts';
import { stepCall } from './call-machine.ts';
import {
  type CallEffect,
  type CallEnd,
  type CallInput,
  type CallPhase,
  type CallState,
  type CallTimer,
  newCall,
  phaseOf,
} from './call-state.ts';

/** Events of a call. */
export interface CallEvents {
  readonly ringing: undefined;
  readonly accepted: undefined;
  /** The audio has a path to the server, also after a loss. */
  readonly connected: undefined;
  readonly reconnecting: undefined;
  readonly reconnected: undefined;
  readonly muted: boolean;
  readonly held: { readonly isHeld: boolean; readonly by: 'local' | 'remote' };
  /** The server refused to hold or resume the call. */
  readonly 'hold-failed': { readonly status: number };
  /** A digit of `sendDigits` is on its way. */
  readonly digit: string;
  readonly quality: QualitySample;
  readonly warning: { readonly warning: QualityWarning; readonly isActive: boolean };
  /** The browser plays no sound before a click; call `phone.unlockAudio()` in its handler. */
  readonly 'audio-blocked': undefined;
  readonly ended: CallEnd;
}

/** What a phone gives a call. */
export interface CallDeps {
  readonly environment: Environment;
  /** The user or number of the other side, and the name that it shows. */
  readonly peer: { readonly number: string; readonly name: string };
  readonly headers: Readonly<Record<string, string>>;
  readonly id: string | undefined;
  /** An incoming call. */
  readonly invite?: IncomingInvite;
  /** Sends the INVITE of an outgoing call. */
  readonly dial?: (sdp: string, listener: CallListener) => Dialog;
  /** The URI of a number or username. */
  readonly uriOf: (to: string) => string;
  readonly reportsQuality: boolean;
  readonly ended: () => void;
}

/** A call of a phone. */
export class Call extends Emitter<CallEvents> {
  readonly isIncoming: boolean;
  /** The caller of an incoming call, the callee of an outgoing one. */
  readonly peer: { readonly number: string; readonly name: string };
  /** The extension headers (X-…) of an incoming call's INVITE. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #deps: CallDeps;
  readonly #runner: Runner<CallState, CallInput>;
  readonly #timers: Timers<CallTimer>;
  readonly #audio: CallAudio;
  #dialog: Dialog | undefined;
  #id: string | undefined;
  #quality: CallQuality | undefined;
  #transfer: { resolve(): void; reject(error: VoiceError): void } | undefined;

  /** Made by a phone. */
  constructor(deps: CallDeps) {
    super();
    const { environment, invite } = deps;
    this.#deps = deps;
    this.isIncoming = invite !== undefined;
    this.peer = deps.peer;
    this.headers = deps.headers;
    this.#id = deps.id;
    this.#dialog = invite;
    this.#runner = createRunner(
      newCall(invite !== undefined, invite && decodeUtf8(invite.request.body)),
      stepCall,
      environment.clock.now,
      (effect: CallEffect) => this.#perform(effect),
    );
    this.#timers = new Timers(environment.clock, (key) => this.feed({ type: 'timer-fired', key }));
    const feed = (input: CallInput): void => this.feed(input);
    this.#audio = new CallAudio(environment, feed, {
      connection: (state) => this.feed({ type: 'connection', state }),
      digit: (digit) => this.emit('digit', digit),
      blocked: () => this.emit('audio-blocked', undefined),
    });
    if (invite) {
      invite.listen(this.#listener);
      invite.ring();
    } else this.feed({ type: 'start' });
  }

  get state(): CallPhase {
    return phaseOf(this.#runner.state);
  }

  /** The `call_uuid` of the API; undefined until the server has named the call. */
  get id(): string | undefined {
    return this.#id;
  }

  get isMuted(): boolean {
    return this.#runner.state.isMuted;
  }

  /** Whether this side holds the call. */
  get isHeld(): boolean {
    return this.#runner.state.agreed.isHeld;
  }

  /** The warnings of the call's quality that last. */
  get warnings(): readonly QualityWarning[] {
    return this.#quality?.warnings ?? [];
  }

  /** Answers an incoming call. */
  accept(): void {
    this.feed({ type: 'accept' });
  }

  /** Refuses an incoming call: busy, or another SIP status from 400 on. */
  reject(status = 486): void {
    this.feed({ type: 'reject', status });
  }

  /** Stops ringing here; the caller and other devices of the user notice nothing. */
  ignore(): void {
    this.feed({ type: 'ignore' });
  }

  hangUp(): void {
    this.feed({ type: 'hang-up' });
  }

  mute(isMuted = true): void {
    this.feed({ type: 'mute', isMuted });
  }

  /** Holds or resumes the call; the event `held` follows. */
  hold(isHeld = true): void {
    this.feed({ type: 'hold', isHeld });
  }

  /** Sends keys; a comma waits for two seconds. */
  sendDigits(digits: string): void {
    if (!/^[0-9*#A-Da-d,]+$/.test(digits))
      throw new VoiceError(
        'invalid-argument',
        `digits cannot be '${digits}': use 0-9, *, #, A-D and commas.`,
      );
    this.#require('active');
    const byMedia = this.#audio.media?.canSendDigits() === true;
    this.feed({ type: 'digits', digits: digits.toUpperCase(), byMedia });
  }

  /** Connects the other side with a number or username; resolves when the target has answered, and this call ends. */
  transfer(to: string): Promise<void> {
    this.#require('active');
    if (this.#transfer) throw new VoiceError('wrong-state', 'The call is being transferred.');
    const uri = this.#deps.uriOf(to);
    return new Promise((resolve, reject) => {
      this.#transfer = { resolve, reject };
      this.feed({ type: 'transfer', uri });
    });
  }

  /** For the phone: an input of its machine. */
  feed(input: CallInput): void {
    this.#runner.feed(input);
  }

  #require(phase: CallPhase): void {
    if (this.state !== phase)
      throw new VoiceError('wrong-state', `The call is ${this.state}; it must be ${phase}.`);
  }

  readonly #listener: CallListener = {
    ringing: (response) => {
      this.#name(response);
      this.feed({ type: 'provisional', answer: decodeUtf8(response.body) });
    },
    answered: (response) => {
      this.#name(response);
      this.feed({ type: 'answered', answer: decodeUtf8(response.body) });
    },
    acknowledged: (body) => this.feed({ type: 'acknowledged', answer: decodeUtf8(body) }),
    offered: ({ body }) => this.feed({ type: 'offered', offer: decodeUtf8(body) }),
    offerAnswered: ({ body }) => this.feed({ type: 'offer-answered', answer: decodeUtf8(body) }),
    offerRefused: (status) => this.feed({ type: 'offer-refused', status }),
    infoAnswered: () => this.feed({ type: 'info-answered' }),
    referAnswered: (status) => {
      if (status >= 300) this.#transferred(status);
    },
    referNotified: (status, isLast) => {
      if (status >= 200 || isLast) this.#transferred(status);
    },
    ended: (reason) => this.feed({ type: 'dialog-ended', end: callEndOf(reason) }),
  };

  #name({ headers }: SipMessage): void {
    this.#id ??= headers.get('X-CallUUID');
  }

  #transferred(status: number): void {
    const transfer = this.#transfer;
    this.#transfer = undefined;
    if (status >= 200 && status < 300) transfer?.resolve();
    else
      transfer?.reject(new VoiceError('transfer-failed', `The transfer ended with ${status}.`, { status }));
  }

  #perform(effect: CallEffect): void {
    const dialog = this.#dialog;
    switch (effect.do) {
      case 'describe':
        this.#audio.describe(effect);
        break;
      case 'apply-answer':
        this.#audio.applyAnswer(effect.answer, effect.isEarly);
        break;
      case 'roll-back':
        this.#audio.rollBack();
        break;
      case 'close-media':
        this.#audio.close();
        break;
      case 'silence':
        this.#audio.media?.silence(effect.isSilent);
        break;
      case 'insert-digits':
        this.#audio.media?.insertDigits(effect.digits);
        break;
      case 'invite':
        this.#dialog = this.#deps.dial?.(effect.sdp, this.#listener);
        break;
      case 'send-answer':
        (dialog as IncomingInvite | undefined)?.accept(described(effect.sdp));
        break;
      case 'send-rejection':
        (dialog as IncomingInvite | undefined)?.reject(effect.status);
        break;
      case 'send-bye':
        dialog?.hangUp();
        break;
      case 'send-offer':
        dialog?.offer(described(effect.sdp), 'INVITE');
        break;
      case 'answer-offer':
        dialog?.answerOffer(described(effect.sdp));
        break;
      case 'refuse-offer':
        dialog?.refuseOffer(effect.status);
        break;
      case 'send-digit':
        dialog?.sendInfo({
          body: `Signal=${effect.digit}\r\nDuration=160\r\n`,
          contentType: 'application/dtmf-relay',
        });
        break;
      case 'send-refer':
        dialog?.refer(effect.uri);
        break;
      case 'sample-quality':
        // A sample that cannot be had is left out.
        this.#sample().catch(() => undefined);
        break;
      case 'start-timer':
        this.#timers.start(effect.key, effect.at);
        break;
      case 'stop-timer':
        this.#timers.stop(effect.key);
        break;
      case 'stop-timers':
        this.#timers.stopAll();
        break;
      case 'emit':
        this.#publish(effect.event);
        break;
    }
  }

  #publish(event: (CallEffect & { do: 'emit' })['event']): void {
    switch (event.type) {
      case 'muted':
        this.emit('muted', event.isMuted);
        break;
      case 'held':
        this.emit('held', { isHeld: event.isHeld, by: event.by });
        break;
      case 'hold-failed':
        this.emit('hold-failed', { status: event.status });
        break;
      case 'digit':
        this.emit('digit', event.digit);
        break;
      case 'ended':
        // The server ends this call when the target of its transfer has answered.
        this.#transferred(event.end.by === 'remote' ? 200 : (event.end.status ?? 487));
        this.#deps.ended();
        this.emit('ended', event.end);
        break;
      default:
        this.emit(event.type, undefined);
        break;
    }
  }

  async #sample(): Promise<void> {
    // Loaded with the first sample: a call begins without it.
    const { createCallQuality } = await import('../quality/call-quality.ts');
    const counters = await this.#audio.media?.counters();
    if (counters === undefined || this.state === 'ended') return;
    this.#quality ??= createCallQuality();
    const { isMuted, requested, isHeldByPeer } = this.#runner.state;
    const isHeld = requested.isHeld || isHeldByPeer;
    const at = this.#deps.environment.clock.now();
    const { sample, changes } = this.#quality.read(counters, at, { isSilent: isMuted || isHeld, isHeld });
    this.emit('quality', sample);
    for (const { do: what, warning } of changes)
      this.emit('warning', { warning, isActive: what === 'begin' });
    const report = this.#deps.reportsQuality && this.#quality.report(sample);
    if (report) this.#dialog?.sendInfo(report);
  }
}
