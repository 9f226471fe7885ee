import { notify } from './report.ts';

/** What a page does with the client of the hosted service's browser SDK. */
interface Client {
  login(username: string, password: string): boolean;
  loginWithAccessToken(token: string): boolean;
  loginWithAccessTokenGenerator(generator: { getAccessToken(): Promise<string> }): boolean;
  logout(): boolean;
  call(to: string, headers: Readonly<Record<string, string>>): boolean;
  answer(callUuid: string): boolean;
  hangup(): boolean;
  reject(callUuid: string): boolean;
  sendDtmf(digit: string): void;
  mute(): boolean;
  unmute(): boolean;
  getCallUUID(): string | null;
  on(event: string, listener: (...args: readonly unknown[]) => void): void;
}

type Sdk = new (options: object) => { readonly client: Client };

/** Of the SDK: each becomes a report whose `args` are those of the event. */
const events = [
  'onLogin',
  'onLoginFailed',
  'onLogout',
  'onCalling',
  'onCallRemoteRinging',
  'onCallAnswered',
  'onCallTerminated',
  'onCallFailed',
  'onIncomingCall',
  'onIncomingCallCanceled',
  'onConnectionChange',
  'onMediaConnected',
] as const;

let client: Client;
let tokens: string[] = [];

/** Creates the client of the hosted SDK, or of another one with its names; `url` is of the SIP WebSocket. */
export function openWith(sdk: object, url: string): void {
  const { default: given, Plivo: named } = sdk as { default?: Sdk | { default: Sdk }; Plivo?: Sdk };
  const Plivo = (typeof given === 'function' ? given : (given?.default ?? named)) as Sdk;
  client = new Plivo({
    debug: 'ERROR',
    permOnClick: false,
    enableTracking: true,
    registrationDomainSocket: [url],
  }).client;
  for (const event of events)
    client.on(event, (...args) => notify(event, { args: JSON.parse(JSON.stringify(args)) }));
}

export function login(username: string, password: string): void {
  client.login(username, password);
}

export function loginWithToken(token: string): void {
  client.loginWithAccessToken(token);
}

/** Gives these tokens one after another, the last one again and again. */
export function loginWithTokens(...given: string[]): void {
  tokens = given;
  client.loginWithAccessTokenGenerator({
    async getAccessToken() {
      const token = tokens.length > 1 ? tokens.shift()! : tokens[0]!;
      notify('token-asked', { left: tokens.length });
      return token;
    },
  });
}

export function call(to: string, headers: Readonly<Record<string, string>> = {}): void {
  client.call(to, headers);
}

export function answer(callUuid: string): void {
  client.answer(callUuid);
}

export function reject(callUuid: string): void {
  client.reject(callUuid);
}

export function hangUp(): void {
  client.hangup();
}

export function digits(text: string): void {
  for (const digit of text) client.sendDtmf(digit);
}

export function mute(): void {
  client.mute();
}

export function unmute(): void {
  client.unmute();
}

export function callUuid(): string | null {
  return client.getCallUUID();
}
