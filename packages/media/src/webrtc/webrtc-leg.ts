import type { DtlsEndpoint, DtlsKeys, DtlsSession } from '../dtls/dtls-session.ts';
import type { AgreedHandshake, AgreedKeys, CertificateFingerprint } from '../engine/commands.ts';
import { IceAgent, type IceCredentials } from '../ice/ice-agent.ts';
import type { IceEffect, IceSource } from '../ice/ice-machine.ts';
import type { StunMessage } from '../ice/stun-message.ts';
import type { SrtpCiphers } from '../rtp/srtp-suite.ts';

/** The common parts of all legs of one media thread. */
export interface WebrtcLegDeps {
  readonly ciphers: SrtpCiphers;
  readonly dtls: DtlsEndpoint;
  readonly now: () => number;
  /** Runs after this many milliseconds; the result cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** The bytes are valid during the call only. */
  readonly send: (source: IceSource, bytes: Uint8Array, length: number) => void;
  /** Packets of the source belong to the leg from now on, or no longer (`forget`). */
  readonly admit: (source: IceSource, leg: WebrtcLeg) => void;
  readonly forget: (source: IceSource, leg: WebrtcLeg) => void;
  readonly register: (fragment: string, leg: WebrtcLeg) => void;
  readonly unregister: (fragment: string) => void;
  /** The agreed certificate has proven itself with these keys. */
  readonly secured: (leg: WebrtcLeg, keys: AgreedKeys) => void;
  /** No path is left, and none was checked for `silentMs`: the browser is gone. */
  readonly silent: (leg: WebrtcLeg, forMs: number) => void;
  readonly silentMs: number;
}

/** A handshake costs half a millisecond; a browser makes one, and one more when it changes its certificate. */
const mostHandshakes = 8;

/** A leg of WebRTC: its ICE agent, its DTLS association, and where its packets go. */
export class WebrtcLeg {
  readonly name: string;
  /** The engine's index of the leg. */
  readonly index: number;
  /** Where packets go; undefined while no source is checked. */
  target: IceSource | undefined;
  /** Another media thread has the leg: its packets are passed on to this port of the same machine, as they are. */
  relayedTo: { readonly address: string; readonly port: number } | undefined;
  /** Packets may reach the engine: the agreed certificate has proven itself. */
  isSecured = false;
  readonly #deps: WebrtcLegDeps;
  readonly #agent: IceAgent;
  #session: DtlsSession | undefined;
  /** The session has proven itself: it only repeats its last flight. */
  #isVerified = false;
  #expected: readonly CertificateFingerprint[] | undefined;
  #proven: { readonly by: CertificateFingerprint; readonly keys: AgreedKeys } | undefined;
  #handshakes = 0;
  #cancelConsent: (() => void) | undefined;
  #cancelResend: (() => void) | undefined;
  #cancelSilence: (() => void) | undefined;
  #checkedMs = 0;

  constructor(deps: WebrtcLegDeps, name: string, index: number, credentials: IceCredentials) {
    this.#deps = deps;
    this.name = name;
    this.index = index;
    this.#agent = new IceAgent(
      {
        ciphers: deps.ciphers,
        send: deps.send,
        order: (effect) => this.#perform(effect),
      },
      credentials,
    );
    deps.register(credentials.fragment, this);
  }

  /** A check of this leg; false when it is not authentic. */
  check(message: StunMessage, bytes: Uint8Array, source: IceSource): boolean {
    const nowMs = this.#deps.now();
    const isAuthentic = this.#agent.receive(message, bytes, source, nowMs);
    if (isAuthentic) this.#checkedMs = nowMs;
    return isAuthentic;
  }

  connectionLost(source: IceSource): void {
    this.#agent.step({ type: 'connection-lost', source }, this.#deps.now());
  }

  /** Applies an agreement, first or later. The handshake may be over before the answer arrives. */
  agree({ fingerprints, ice }: AgreedHandshake): void {
    if (this.#agent.state.fragments[0] !== ice.fragment) {
      this.#deps.register(ice.fragment, this);
      this.#agent.restart(ice, this.#deps.now());
    }
    this.#expected = fingerprints;
    const proven = this.#proven;
    if (proven !== undefined && fingerprints.some((each) => isSame(each, proven.by))) {
      this.#deps.secured(this, proven.keys);
      return;
    }
    // Another certificate means another phone: the keys of the first are no longer valid.
    this.#proven = undefined;
    this.#isVerified = false;
    this.isSecured = false;
    if (this.#session?.state === 'connected') this.#verify(this.#session);
  }

  /** A DTLS datagram from a checked source. */
  receiveHandshake(bytes: Uint8Array, length: number): void {
    let session = this.#session;
    if (session === undefined) {
      if (!isClientHello(bytes, length) || this.#handshakes >= mostHandshakes) return;
      this.#handshakes++;
      session = this.#deps.dtls.open('server');
      this.#session = session;
      this.#isVerified = false;
    }
    session.receive(bytes, length);
    this.#advance(session);
  }

  /**
   * A packet was authentic, so the other side has our last flight: the association, which takes 64 KiB, is no longer needed. A second
   * handshake keeps its association, because packets under the first keys prove nothing about it.
   */
  heard(): void {
    if (this.#session !== undefined && this.#handshakes === 1) this.#endSession();
  }

  close(): void {
    this.#cancelConsent?.();
    this.#cancelSilence?.();
    this.#endSession();
    const { fragments, sources } = this.#agent.state;
    for (const source of sources) this.#deps.forget(source, this);
    for (const fragment of fragments) this.#deps.unregister(fragment);
    this.#agent.close();
    this.target = undefined;
    this.isSecured = false;
  }

  #perform(effect: Exclude<IceEffect, { readonly do: 'answer' }>): void {
    const { admit, forget, unregister, after, now } = this.#deps;
    switch (effect.do) {
      case 'admit':
        admit(effect.source, this);
        return;
      case 'forget':
        forget(effect.source, this);
        return;
      case 'send-to':
        this.target = effect.target;
        this.#awaitPath();
        return;
      case 'forget-fragment':
        unregister(effect.fragment);
        return;
      case 'start-timer':
        this.#cancelConsent?.();
        this.#cancelConsent = after(effect.dueMs - now(), () =>
          this.#agent.step({ type: 'timer-fired' }, now()),
        );
    }
  }

  /** A browser that returns in time restarts ICE. On hold there is no audio whose absence would show that the browser is gone. */
  #awaitPath(): void {
    const { after, now, silent, silentMs } = this.#deps;
    this.#cancelSilence?.();
    this.#cancelSilence = undefined;
    if (this.target !== undefined) return;
    this.#cancelSilence = after(Math.max(0, this.#checkedMs + silentMs - now()), () =>
      silent(this, Math.round(now() - this.#checkedMs)),
    );
  }

  /** Sends the datagrams of the session, and handles a change of its state. */
  #advance(session: DtlsSession): void {
    const { target } = this;
    for (const datagram of session.take())
      if (target !== undefined) this.#deps.send(target, datagram, datagram.length);
    this.#cancelResend?.();
    this.#cancelResend = undefined;
    if (session.state === 'failed') this.#endSession();
    else if (session.state === 'connected') this.#verify(session);
    else this.#awaitAnswer(session);
  }

  #awaitAnswer(session: DtlsSession): void {
    const { resendInMs } = session;
    if (resendInMs === undefined) return;
    this.#cancelResend = this.#deps.after(Math.max(1, resendInMs), () => {
      session.resend();
      this.#advance(session);
    });
  }

  /** RFC 5763 §5: the fingerprint decides about the certificate. Before the answer there is none: the session waits. */
  #verify(session: DtlsSession): void {
    if (this.#expected === undefined || this.#isVerified) return;
    const by = this.#expected.find(({ hash, value }) => session.fingerprint(hash) === value);
    const keys = by === undefined ? undefined : session.keys();
    if (by === undefined || keys === undefined) {
      this.#endSession();
      return;
    }
    this.#proven = { by, keys: agreedKeysOf(keys) };
    this.#isVerified = true;
    this.isSecured = true;
    this.#deps.secured(this, this.#proven.keys);
  }

  #endSession(): void {
    this.#cancelResend?.();
    this.#cancelResend = undefined;
    this.#session?.close();
    this.#session = undefined;
  }
}

function agreedKeysOf({ suite, sendKey, receiveKey }: DtlsKeys): AgreedKeys {
  return { by: 'sdes', suite, sendKey, receiveKey };
}

function isSame(one: CertificateFingerprint, other: CertificateFingerprint): boolean {
  return one.hash === other.hash && one.value === other.value;
}

/** RFC 6347 §4.1, §4.2.2: a handshake record of epoch 0 whose first message is a ClientHello. Repeated flights of a past handshake are not. */
function isClientHello(bytes: Uint8Array, length: number): boolean {
  return length > 13 && bytes[0] === 22 && bytes[3] === 0 && bytes[4] === 0 && bytes[13] === 1;
}
