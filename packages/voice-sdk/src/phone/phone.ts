import { decodeUtf8, type IncomingInvite, parseNameAddr, parseSipUri } from '@jackfield/sip/phone';
import { AudioDevices, type AudioOptions } from '../browser/audio-devices.ts';
import { browserEnvironment } from '../browser/browser-environment.ts';
import { Call } from '../call/call.ts';
import { Emitter } from '../emitter.ts';
import type { Environment, Socket } from '../environment.ts';
import type { PreflightOptions, PreflightReport } from '../preflight.ts';
import { createRunner, type Runner } from '../runner.ts';
import { createSipClient, customHeaders, type Identity, type SipClient } from '../sip-client.ts';
import { Timers } from '../timers.ts';
import { VoiceError } from '../voice-error.ts';
import { readToken } from './client-token.ts';
import { stepPhone } from './phone-machine.ts';
import {
  newPhone,
  type PhoneEffect,
  type PhoneEvent,
  type PhoneFailure,
  type PhoneInput,
  type PhonePhase,
  type PhoneState,
  type PhoneTimer,
} from './phone-state.ts';

/** Options of a phone: where its server is, and a token or a password. */
export interface PhoneOptions {
  /** `wss://` or, on the same machine, `ws://`; the path is `/sip`. */
  readonly url: string;
  /** A client token, or a function that fetches one; it is called again at 80 % of the token's life. */
  readonly token?: string | (() => Promise<string> | string);
  /** Instead of a token: the credentials of an endpoint. */
  readonly username?: string;
  readonly password?: string;
  /** The SIP domain of the server; the default is the host of `url`. */
  readonly domain?: string;
  readonly audio?: AudioOptions;
  /** Codecs in the order of preference, such as `['opus', 'PCMU']`; the default is the browser's. */
  readonly codecs?: readonly string[];
  /** Needed behind networks that allow neither UDP nor TCP to the server's media port. */
  readonly iceServers?: readonly RTCIceServer[];
  /** Whether samples of each call's quality go to the server as SIP INFO, every half minute; the default is no. */
  readonly reportsQuality?: boolean;
}

/** Options of a call. */
export interface CallOptions {
  /** Extension headers of the INVITE; their names begin with `X-`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Events of a phone. */
export interface PhoneEvents {
  readonly state: PhonePhase;
  readonly incoming: Call;
  /** The phone is offline although it should be registered. */
  readonly failed: VoiceError;
  /** A token that no function fetches ends soon: give the phone another one with `useToken`. */
  readonly 'token-will-expire': Date;
}

/** Seconds of a registration. */
const EXPIRES_S = 600;

/** A phone in a web page. */
export class Phone extends Emitter<PhoneEvents> {
  readonly devices: AudioDevices;
  readonly #options: PhoneOptions;
  readonly #environment: Environment;
  readonly #runner: Runner<PhoneState, PhoneInput>;
  readonly #timers: Timers<PhoneTimer>;
  readonly #sip: SipClient;
  readonly #calls = new Set<Call>();
  readonly #unwatch: readonly (() => void)[];
  #socket: Socket | undefined;
  /** Counts up with each REGISTER and lost socket: the response to an earlier one means nothing. */
  #registration = 0;
  #waiting: { resolve(): void; reject(error: VoiceError): void }[] = [];

  /** `environment` is for tests. */
  constructor(options: PhoneOptions, environment?: Environment) {
    super();
    const { token, username, url } = options;
    if (token === undefined && (username === undefined || options.password === undefined))
      throw new VoiceError('invalid-argument', 'A phone needs a token, or a username and a password.');
    if (!isSocketUrl(url))
      throw new VoiceError(
        'invalid-argument',
        `url cannot be '${url}': it must be a URL that begins with wss: or ws:, without a fragment.`,
      );
    this.#options = options;
    this.devices = new AudioDevices(options.audio);
    this.#environment =
      environment ??
      browserEnvironment(this.devices, { iceServers: options.iceServers ?? [], codecs: options.codecs });
    const { clock } = this.#environment;
    const login =
      token === undefined ? 'password' : typeof token === 'string' ? 'pushed-token' : 'fetched-token';
    const initial = newPhone(login, typeof token === 'string' ? this.#read(token) : undefined);
    this.#runner = createRunner(initial, stepPhone, clock.now, (effect: PhoneEffect) =>
      this.#perform(effect),
    );
    this.#timers = new Timers(clock, (key) =>
      this.#feed({ type: 'timer-fired', key, chance: this.#chance() }),
    );
    this.#sip = createSipClient(
      this.#environment,
      url.startsWith('wss:'),
      (text) => this.#socket?.send(text),
      (invite) => this.#invited(invite),
    );
    this.#unwatch = [
      this.#environment.watchNetwork(() => this.#feed({ type: 'network-changed' })),
      this.#environment.watchPage(() => this.close()),
    ];
  }

  /** Registers, calls the echo phone for some seconds, and reports how good the connection is. */
  static async preflight(
    options: PhoneOptions & PreflightOptions,
    environment?: Environment,
  ): Promise<PreflightReport> {
    const phone = new Phone(options, environment);
    const { runPreflight } = await import('../preflight.ts');
    return runPreflight(phone, options, phone.#environment.clock.now, VoiceError);
  }

  get state(): PhonePhase {
    return this.#runner.state.phase;
  }

  /** The live calls. */
  get calls(): readonly Call[] {
    return [...this.#calls];
  }

  /** Connects and registers; resolves when calls can come in, and keeps the phone registered from then on. */
  register(): Promise<void> {
    if (this.state === 'registered') return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#feed({ type: 'register' });
    });
  }

  /** Goes offline; live calls go on. A `register` that still waits rejects. */
  unregister(): void {
    this.#feed({ type: 'unregister' });
    this.#settle(({ reject }) => reject(new VoiceError('wrong-state', 'The phone was unregistered.')));
  }

  /** Replaces the token. */
  useToken(token: string): void {
    this.#feed({ type: 'token-fetched', token: this.#read(token), chance: this.#chance() });
  }

  /** Calls a number, a username or a SIP URI. */
  call(to: string, { headers = {} }: CallOptions = {}): Call {
    if (this.state !== 'registered')
      throw new VoiceError('wrong-state', `The phone is ${this.state}; call register() before.`);
    for (const [name, value] of Object.entries(headers))
      if (!/^X-[\w-]+$/i.test(name) || typeof value !== 'string' || /[\r\n]/.test(value))
        throw new VoiceError(
          'invalid-argument',
          `The header '${name}' is not allowed: names begin with X-, and values are text of one line.`,
        );
    const uri = this.#uriOf(to);
    return this.#add(
      (deps) =>
        new Call({
          ...deps,
          peer: { number: to, name: '' },
          headers: {},
          id: undefined,
          dial: (sdp, listener) => this.#sip.invite(this.#identity(), uri, sdp, headers, listener),
        }),
    );
  }

  /** Plays what the browser has blocked; to be called from a click. */
  unlockAudio(): Promise<void> {
    return this.devices.unlock();
  }

  /** Hangs up, unregisters and ends the phone. */
  close(): void {
    for (const call of this.#calls) call.hangUp();
    this.unregister();
    this.#timers.stopAll();
    for (const unwatch of this.#unwatch) unwatch();
    this.devices.end();
    this.#sip.close();
  }

  #add(create: (deps: Pick<ConstructorParameters<typeof Call>[0], Common>) => Call): Call {
    const call = create({
      environment: this.#environment,
      uriOf: (to) => this.#uriOf(to),
      reportsQuality: this.#options.reportsQuality === true,
      ended: () => {
        this.#calls.delete(call);
        this.#feed({ type: 'calls-counted', calls: this.#calls.size });
      },
    });
    this.#calls.add(call);
    this.#feed({ type: 'calls-counted', calls: this.#calls.size });
    return call;
  }

  #invited(invite: IncomingInvite): void {
    const { request } = invite;
    const from = parseNameAddr(request.headers.get('From') ?? '');
    const number = parseSipUri(from?.uri ?? '')?.user ?? '';
    const peer = { number: decodeUtf8(number), name: decodeUtf8(from?.displayName ?? '') };
    const id = request.headers.get('X-CallUUID');
    const call = this.#add(
      (deps) => new Call({ ...deps, peer, headers: customHeaders(request), id, invite }),
    );
    const silence = this.#environment.ring();
    call.on('accepted', silence);
    call.on('ended', silence);
    this.emit('incoming', call);
  }

  #feed(input: PhoneInput): void {
    this.#runner.feed(input);
  }

  #chance(): number {
    return this.#environment.chance();
  }

  #perform(effect: PhoneEffect): void {
    switch (effect.do) {
      case 'open-socket':
        void this.#open();
        break;
      case 'close-socket':
        this.#registration += 1;
        this.#socket?.close();
        this.#socket = undefined;
        break;
      case 'fetch-token':
        void this.#fetchToken();
        break;
      case 'send-register':
        this.#register();
        break;
      case 'send-unregister':
        this.#sip.register(this.#identity(), 0, () => undefined);
        break;
      case 'send-ping':
        this.#socket?.send('\r\n\r\n');
        break;
      case 'start-timer':
        this.#timers.start(effect.key, effect.at);
        break;
      case 'stop-timer':
        this.#timers.stop(effect.key);
        break;
      case 'emit':
        this.#publish(effect.event);
        break;
    }
  }

  async #open(): Promise<void> {
    if (this.#options.password !== undefined) await this.#sip.loadDigest();
    // The phone may have been closed meanwhile.
    if (this.#runner.state.socket !== 'opening') return;
    this.#socket = this.#environment.openSocket(this.#options.url, {
      opened: () => this.#feed({ type: 'socket-opened' }),
      received: (text) => {
        this.#feed({ type: 'heard' });
        if (text.trim() !== '') this.#sip.receive(text);
      },
      closed: () => this.#feed({ type: 'socket-closed', chance: this.#chance() }),
    });
  }

  #register(): void {
    this.#registration += 1;
    const current = this.#registration;
    this.#sip.register(this.#identity(), EXPIRES_S, (outcome) => {
      if (current !== this.#registration) return;
      const { status } = outcome;
      if (status >= 200 && status < 300) this.#feed({ type: 'registered', ...outcome });
      else this.#feed({ type: 'register-refused', ...outcome, chance: this.#chance() });
    });
  }

  async #fetchToken(): Promise<void> {
    const { token } = this.#options;
    if (typeof token !== 'function') return;
    try {
      this.useToken(await token());
    } catch (error) {
      const sentence = error instanceof Error ? error.message : String(error);
      this.#feed({ type: 'token-failed', sentence, chance: this.#chance() });
    }
  }

  #read(text: string) {
    const token = readToken(text, this.#environment.clock.now());
    if (token === undefined) throw new VoiceError('no-token', 'The token is no client token of the server.');
    return token;
  }

  #identity(): Identity {
    const { username = '', password, url, domain } = this.#options;
    const { token } = this.#runner.state;
    return {
      user: token?.user ?? username,
      domain: domain ?? new URL(url).hostname,
      password,
      token: token?.text,
    };
  }

  #uriOf(to: string): string {
    try {
      const user = encodeURIComponent(to.replace(/[\s()]/g, '')).replace('%2B', '+');
      const uri = /^sips?:/i.test(to) ? to : `sip:${user}@${this.#identity().domain}`;
      if (parseSipUri(uri)) return uri;
    } catch {
      // No text, or half of a character.
    }
    throw new VoiceError(
      'invalid-argument',
      `to cannot be '${to}': it must be the text of a number, a username or a SIP URI.`,
    );
  }

  #publish(event: PhoneEvent): void {
    switch (event.type) {
      case 'signalling':
        if (event.isUp) this.#sip.resume();
        for (const call of this.#calls) call.feed(event);
        break;
      case 'token-will-expire':
        this.emit('token-will-expire', new Date(event.expiresAt));
        break;
      case 'state':
        if (event.phase === 'registered') this.#settle(({ resolve }) => resolve());
        this.emit('state', event.phase);
        break;
      case 'failed': {
        const error = errorOf(event.failure);
        this.#settle(({ reject }) => reject(error));
        this.emit('failed', error);
        break;
      }
    }
  }

  #settle(how: (waiter: { resolve(): void; reject(error: VoiceError): void }) => void): void {
    for (const waiter of this.#waiting.splice(0)) how(waiter);
  }
}

/** Whether a WebSocket accepts the URL: one with a fragment is none for it. */
function isSocketUrl(url: string): boolean {
  try {
    return /^wss?:[^#]+$/.test(url) && new URL(url).hostname !== '';
  } catch {
    return false;
  }
}

/** What every call of a phone gets alike. */
type Common = 'environment' | 'uriOf' | 'reportsQuality' | 'ended';

function errorOf(failure: PhoneFailure): VoiceError {
  switch (failure.code) {
    case 'refused': {
      const why = failure.tokenError === undefined ? '' : ` (token error ${failure.tokenError})`;
      return new VoiceError(
        'refused',
        `The server refused to register the phone: ${failure.status}${why}.`,
        failure,
      );
    }
    case 'no-token':
      return new VoiceError('no-token', `No token could be fetched: ${failure.sentence}`);
    case 'unreachable':
      return new VoiceError('unreachable', 'The server could not be reached.');
  }
}
