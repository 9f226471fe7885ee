import type { HmacSha1, SrtpCiphers } from '../rtp/srtp-suite.ts';
import {
  createIce,
  type IceEffect,
  type IceInput,
  type IceSource,
  type IceState,
  stepIce,
} from './ice-machine.ts';
import { hasRightFingerprint, isSigned } from './stun-integrity.ts';
import type { StunMessage } from './stun-message.ts';
import { stunWriterBytes, writeError, writeSuccess } from './stun-writer.ts';

/** Our user name fragment and password for one leg (RFC 8445 §5.3), from signalling. */
export interface IceCredentials {
  readonly fragment: string;
  readonly password: string;
}

/** The functions of the socket and the leg that an agent calls. */
export interface IceAgentDeps {
  readonly ciphers: SrtpCiphers;
  /** The bytes are valid during the call only. */
  readonly send: (source: IceSource, bytes: Uint8Array, length: number) => void;
  /** Effects that concern the leg: sources, target, timers and fragments. */
  readonly order: (effect: Exclude<IceEffect, { readonly do: 'answer' }>) => void;
}

const answer = new Uint8Array(stunWriterBytes);

/** The ICE machine of one leg with its keys: it authenticates checks and writes answers. */
export class IceAgent {
  readonly #deps: IceAgentDeps;
  readonly #passwords = new Map<string, HmacSha1>();
  #state: IceState;

  constructor(deps: IceAgentDeps, credentials: IceCredentials) {
    this.#deps = deps;
    this.#state = createIce(credentials.fragment);
    this.#keep(credentials);
  }

  get state(): IceState {
    return this.#state;
  }

  /**
   * Handles a request for one of our fragments. False when it is not signed with its password: such a request is dropped without an answer,
   * so that forged sources cost a victim nothing.
   */
  receive(message: StunMessage, bytes: Uint8Array, source: IceSource, nowMs: number): boolean {
    const fragment = fragmentOf(message);
    const password = fragment === undefined ? undefined : this.#passwords.get(fragment);
    if (fragment === undefined || password === undefined || message.kind !== 'request') return false;
    if (!hasRightFingerprint(bytes, message) || !isSigned(bytes, message, password)) return false;
    const { transaction, useCandidate: nominates, role, unknown } = message;
    this.step({ type: 'check-received', source, transaction, fragment, nominates, role, unknown }, nowMs);
    return true;
  }

  /** Replaces our credentials, for an ICE restart. */
  restart(credentials: IceCredentials, nowMs: number): void {
    this.#keep(credentials);
    this.step({ type: 'restarted', fragment: credentials.fragment }, nowMs);
  }

  step(input: IceInput, nowMs: number): void {
    const { state, effects } = stepIce(this.#state, input, nowMs);
    this.#state = state;
    for (const effect of effects) {
      if (effect.do === 'answer') this.#answer(effect);
      else this.#deps.order(effect);
      if (effect.do === 'forget-fragment') this.#drop(effect.fragment);
    }
  }

  /** Frees the keys; safe to call twice. */
  close(): void {
    for (const fragment of [...this.#passwords.keys()]) this.#drop(fragment);
  }

  #answer({
    source,
    transaction,
    fragment,
    code,
    unknown,
  }: Extract<IceEffect, { readonly do: 'answer' }>): void {
    const password = this.#passwords.get(fragment);
    if (password === undefined) return;
    const length =
      code === 200
        ? writeSuccess(answer, transaction, source, password)
        : writeError(answer, transaction, code, unknown, password);
    this.#deps.send(source, answer, length);
  }

  #keep({ fragment, password }: IceCredentials): void {
    if (this.#passwords.has(fragment)) return;
    const key = Uint8Array.from(password, (letter) => letter.charCodeAt(0));
    this.#passwords.set(fragment, this.#deps.ciphers.hmacSha1(key));
  }

  #drop(fragment: string): void {
    this.#passwords.get(fragment)?.close();
    this.#passwords.delete(fragment);
  }
}

/** The fragment that a request is for: the part of its user name before the colon (RFC 8445 §7.2.2). */
export function fragmentOf({ username }: StunMessage): string | undefined {
  const colon = username?.indexOf(':') ?? -1;
  return colon > 0 ? username!.slice(0, colon) : undefined;
}
