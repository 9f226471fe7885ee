import type { Call } from '../call/call.ts';
import type { CallEnd } from '../call/call-state.ts';
import type { Environment } from '../environment.ts';
import { readToken } from '../phone/client-token.ts';
import { Phone, type PhoneOptions } from '../phone/phone.ts';
import { VoiceError } from '../voice-error.ts';
import { type CallInfo, callInfoOf, causeOf, type EndWords, endWordsOf, tokenErrorOf } from './call-info.ts';
import { ClientEmitter } from './client-emitter.ts';
import { createDeviceControls, type DeviceControls } from './device-controls.ts';
import { metricOf } from './metrics.ts';
import type { ConfiguationOptions } from './options.ts';
import { Tones } from './tones.ts';

type Headers = Readonly<Record<string, string>>;
type Login = Pick<PhoneOptions, 'token' | 'username' | 'password'>;

/** What the hosted SDK sends: `X-PH-` with up to 19 more characters, and 120 of these as value. */
const headerName = /^X-PH-[\w-]{1,18}$/i;
const headerValue = /^[\w\-+()%.]{1,120}$/;

/** The client of the hosted service's browser SDK, by its method and event names, over a phone of this SDK. */
export class Client extends ClientEmitter {
  readonly audio: DeviceControls;
  /** The UUID of the current call. */
  callUUID: string | null = null;
  isLoggedIn = false;
  readonly #options: ConfiguationOptions;
  readonly #environment: Environment | undefined;
  readonly #tones = new Tones();
  readonly #headers = new WeakMap<Call, Headers>();
  /** Calls that ring here, by UUID. */
  readonly #incoming = new Map<string, Call>();
  #phone: Phone | undefined;
  #user = '';
  #current: Call | undefined;
  #lastUuid: string | null = null;
  #isMuteAhead = false;

  /** `environment` is for tests. */
  constructor(options: ConfiguationOptions, environment?: Environment) {
    super();
    this.#options = options;
    this.#environment = environment;
    this.audio = createDeviceControls(() => this.#phone?.devices, this.#tones);
  }

  login(username: string, password: string): boolean {
    if (!username || !password) return this.#refuse('Username and password must be filled out');
    return this.#login({ username, password }, username);
  }

  loginWithAccessToken(token: string): boolean {
    const read = readToken(token, Date.now());
    return read === undefined ? this.#refuse('INVALID_ACCESS_TOKEN') : this.#login({ token }, read.user);
  }

  /** `getAccessToken` is called again before each token ends. */
  loginWithAccessTokenGenerator(generator: { getAccessToken(): Promise<string> }): boolean {
    if (typeof generator?.getAccessToken !== 'function') return this.#refuse('INVALID_ACCESS_TOKEN');
    const token = async (): Promise<string> => {
      const text = await generator.getAccessToken();
      this.#user = readToken(text, Date.now())?.user ?? this.#user;
      return text;
    };
    return this.#login({ token }, '');
  }

  logout(): boolean {
    if (this.#phone === undefined) return false;
    this.#phone.close();
    this.#phone = undefined;
    this.isLoggedIn = false;
    this.emit('onConnectionChange', { state: 'disconnected', reason: 'unregistered' });
    this.emit('onLogout');
    return true;
  }

  /** Whether a call was begun; its course comes as events. */
  call(to: string, headers: Headers = {}): boolean {
    const phone = this.#phone;
    if (phone === undefined || this.#current !== undefined || !to) return false;
    const own = Object.fromEntries(
      Object.entries(headers)
        .filter(([name, value]) => headerName.test(name) && headerValue.test(value))
        .map(([name, value]) => [name, String(value)]),
    );
    let call: Call;
    try {
      call = phone.call(to, { headers: own });
    } catch (error) {
      if (error instanceof VoiceError) return false;
      throw error;
    }
    this.#headers.set(call, own);
    this.#begin(call);
    this.emit('onCalling');
    return true;
  }

  /** Answers a call, the newest one without its UUID; `others` says what becomes of the other calls that ring. */
  answer(callUuid?: string, others: '' | 'reject' | 'ignore' | 'letring' = ''): boolean {
    const call = this.#ringing(callUuid);
    if (call === undefined) return false;
    for (const other of [...this.#incoming.values()]) {
      if (other === call) continue;
      if (others === 'reject') other.reject();
      else if (others === 'ignore') this.#ignore(other);
    }
    this.#current?.hangUp();
    this.#incoming.delete(call.id ?? '');
    this.#begin(call);
    this.#tones.stop('ring');
    call.accept();
    return true;
  }

  hangup(): boolean {
    if (this.#current === undefined) return false;
    this.#current.hangUp();
    return true;
  }

  reject(callUuid?: string): boolean {
    const call = this.#ringing(callUuid);
    call?.reject();
    return call !== undefined;
  }

  ignore(callUuid?: string): boolean {
    const call = this.#ringing(callUuid);
    if (call !== undefined) this.#ignore(call);
    return call !== undefined;
  }

  sendDtmf(digit: string | number): void {
    const key = String(digit);
    if (this.#current?.state !== 'active' || !/^[0-9*#]$/.test(key)) return;
    this.#current.sendDigits(key);
    this.#tones.play(`dtmf-${key}`);
  }

  /** Without a call the next one begins muted. */
  mute(): boolean {
    return this.#mute(true);
  }

  unmute(): boolean {
    return this.#mute(false);
  }

  setRingTone(value: string | boolean): boolean {
    return this.#tones.set('ring', value);
  }

  setRingToneBack(value: string | boolean): boolean {
    return this.#tones.set('ring-back', value);
  }

  setConnectTone(_value: boolean): boolean {
    return true;
  }

  setDtmfTone(digit: string, value: string | boolean): boolean {
    return this.#tones.set(`dtmf-${digit}`, value);
  }

  getCallUUID(): string | null {
    return this.#current?.id ?? null;
  }

  getLastCallUUID(): string | null {
    return this.#lastUuid;
  }

  getIncomingCalls(): readonly CallInfo[] {
    return [...this.#incoming.values()].map((call) => this.#info(call, 'ringing'));
  }

  getErrorStringByErrorCodes(code: number): string {
    return tokenErrorOf(code);
  }

  isRegistered(): boolean {
    return this.#phone?.state === 'registered';
  }

  isConnecting(): boolean {
    return this.#phone?.state === 'connecting' || this.#phone?.state === 'reconnecting';
  }

  isConnected(): boolean {
    return this.isRegistered();
  }

  webRTC(): boolean {
    return typeof RTCPeerConnection !== 'undefined';
  }

  supportedBrowsers(): string {
    return 'Every browser with WebRTC and ECMAScript 2022';
  }

  setDebug(_level: string): void {}

  #login(login: Login, user: string): boolean {
    if (this.#current !== undefined) return this.#refuse('Cannot login when there is an ongoing call');
    if (!this.webRTC() && this.#environment === undefined) {
      this.emit('onWebrtcNotSupported');
      return false;
    }
    this.#phone?.close();
    this.#user = user;
    const {
      registrationDomainSocket: sockets,
      domain,
      audio,
      audioConstraints,
      enableTracking,
    } = this.#options;
    const [url = ''] = typeof sockets === 'string' ? sockets.split(',') : sockets;
    const constraints = audioConstraints === undefined ? {} : { constraints: audioConstraints };
    const phone = new Phone(
      {
        url: url.trim(),
        ...login,
        ...(domain === undefined ? {} : { domain }),
        audio: { ...constraints, ...audio },
        reportsQuality: enableTracking !== false,
      },
      this.#environment,
    );
    this.#phone = phone;
    phone.on('state', (state) => this.#stateChanged(phone, state));
    phone.on('failed', (error) => this.#failed(phone, error));
    phone.on('incoming', (call) => this.#invited(call));
    phone.devices.on('changed', () => this.emit('audioDeviceChange', { change: '', device: '' }));
    // Its failure is the event `failed`.
    phone.register().catch(() => undefined);
    return true;
  }

  #stateChanged(phone: Phone, state: Phone['state']): void {
    if (phone !== this.#phone) return;
    if (state === 'registered') {
      this.emit('onConnectionChange', { state: 'connected', reason: 'registered' });
      if (!this.isLoggedIn) this.emit('onLogin');
      this.isLoggedIn = true;
    } else if (state === 'reconnecting') {
      this.emit('onConnectionChange', { state: 'disconnected', reason: 'connection lost' });
    }
  }

  #failed(phone: Phone, { status, tokenError }: VoiceError): void {
    if (phone !== this.#phone) return;
    const cause = tokenError === undefined ? causeOf(status ?? 0) : tokenErrorOf(tokenError);
    if (this.isLoggedIn) this.emit('onLogout', cause);
    else this.emit('onLoginFailed', cause);
    this.isLoggedIn = false;
  }

  #refuse(cause: string): false {
    this.emit('onLoginFailed', cause);
    return false;
  }

  #invited(call: Call): void {
    const isBusy = this.#current !== undefined || this.#incoming.size > 0;
    if (isBusy && this.#options.allowMultipleIncomingCalls !== true) {
      call.reject();
      return;
    }
    const headers = Object.fromEntries(Object.entries(call.headers).filter(([name]) => /^X-PH-/i.test(name)));
    this.#headers.set(call, headers);
    this.#incoming.set(call.id ?? '', call);
    this.#follow(call);
    this.#tones.play('ring');
    const { number, name } = call.peer;
    const domain = this.#options.domain ?? new URL(this.#url()).hostname;
    this.emit('onIncomingCall', `${number}@${domain}`, headers, this.#info(call, 'ringing'), name);
  }

  #url(): string {
    const { registrationDomainSocket: sockets } = this.#options;
    return (typeof sockets === 'string' ? sockets.split(',')[0] : sockets[0])?.trim() ?? '';
  }

  /** Makes it the current call. */
  #begin(call: Call): void {
    this.#current = call;
    if (!call.isIncoming) this.#follow(call);
    if (this.#isMuteAhead) call.mute(true);
    this.#isMuteAhead = false;
  }

  #follow(call: Call): void {
    let wasAnswered = false;
    call.on('ringing', () => {
      this.callUUID = call.id ?? null;
      this.#tones.play('ring-back');
      this.emit('onCallRemoteRinging', this.#info(call, 'ringing'));
    });
    call.on('accepted', () => {
      wasAnswered = true;
      this.callUUID = this.#lastUuid = call.id ?? null;
      this.#tones.stop('ring-back');
      this.emit('onMediaPermission', { status: 'success' });
      this.emit('onCallAnswered', this.#info(call, 'answered'));
    });
    for (const event of ['connected', 'reconnected'] as const)
      call.on(event, () => this.emit('onMediaConnected', this.#info(call, 'answered')));
    call.on('warning', ({ warning, isActive }) => {
      this.emit('mediaMetrics', metricOf(warning, isActive));
      if (warning === 'no-audio-received') this.emit('remoteAudioStatus', !isActive);
    });
    call.on('ended', (end) => this.#ended(call, end, wasAnswered));
  }

  #ended(call: Call, end: CallEnd, wasAnswered: boolean): void {
    const words = endWordsOf(end);
    const isRinging = this.#incoming.delete(call.id ?? '');
    if (this.#current === call) this.#current = undefined;
    if (this.#current === undefined) this.callUUID = null;
    for (const tone of ['ring', 'ring-back'] as const) this.#tones.stop(tone);
    if (wasAnswered) {
      const about = { originator: words.originator, reason: words.cause };
      this.emit('onCallTerminated', about, this.#info(call, 'ended', words));
    } else if (isRinging && end.by === 'cancelled') {
      this.emit('onIncomingCallCanceled', this.#info(call, 'canceled', words));
    } else {
      // The hosted SDK calls a call that was given up before its answer canceled.
      const cause = end.by === 'local' ? (call.isIncoming ? 'Rejected' : 'Canceled') : words.cause;
      if (end.by === 'media-failed')
        this.emit('onMediaPermission', { status: 'failure', error: end.reason ?? '' });
      const state = cause === 'Rejected' ? 'rejected' : 'failed';
      this.emit('onCallFailed', cause, this.#info(call, state, { ...words, cause }));
    }
  }

  #ringing(callUuid?: string): Call | undefined {
    return callUuid ? this.#incoming.get(callUuid) : [...this.#incoming.values()].at(-1);
  }

  #ignore(call: Call): void {
    this.#incoming.delete(call.id ?? '');
    this.#tones.stop('ring');
    this.emit('onIncomingCallIgnored', this.#info(call, 'ignored'));
  }

  #mute(isMuted: boolean): boolean {
    if (this.#current === undefined) {
      this.#isMuteAhead = isMuted;
      return false;
    }
    this.#current.mute(isMuted);
    return true;
  }

  #info(call: Call, state: string, end?: EndWords): CallInfo {
    return callInfoOf(call, this.#user, this.#headers.get(call) ?? {}, state, end);
  }
}
