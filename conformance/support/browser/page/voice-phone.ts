import { type Call, Phone, type PhoneOptions } from '@jackfield/voice-sdk';
import { noiseSuppression } from '@jackfield/voice-sdk/noise-suppression';
import { notify } from './report.ts';

/** The phone of the page, by the voice SDK, and its newest call. */
let phone: Phone | undefined;
let call: Call | undefined;

/** All that the page has played on; those of the test itself are muted. */
const elements: HTMLAudioElement[] = [];
globalThis.Audio = new Proxy(globalThis.Audio, {
  construct(target, args, newTarget) {
    const element = Reflect.construct(target, args, newTarget) as HTMLAudioElement;
    elements.push(element);
    return element;
  },
});

interface Account {
  readonly url: string;
  readonly domain: string;
  readonly username?: string;
  readonly password?: string;
  /** Tokens that the page fetches one after another. */
  readonly tokens?: readonly string[];
  /** A token that the page gives the phone and does not replace. */
  readonly token?: string;
  readonly iceServers?: readonly RTCIceServer[];
  /** URL of a sound instead of a microphone. */
  readonly source?: string;
  /** URLs of the files of noise suppression. */
  readonly suppression?: { readonly worklet: string; readonly wasm: string };
}

/** Connects and registers. */
export async function start({ tokens = [], source, suppression, ...login }: Account): Promise<void> {
  const processors = suppression === undefined ? [] : [noiseSuppression(suppression)];
  const account = { ...login, audio: { processors, ...(source === undefined ? {} : { source }) } };
  const left = [...tokens];
  const token = (): string => {
    notify('token-fetched');
    return left.shift() ?? '';
  };
  const options: PhoneOptions = tokens.length > 0 ? { ...account, token } : account;
  phone = new Phone(options);
  phone.on('state', (state) => notify(state));
  phone.devices.on('microphone-ended', () => notify('microphone-ended'));
  phone.on('token-will-expire', () => notify('token-will-expire'));
  phone.on('failed', ({ message, tokenError }) => notify('failed', { message, tokenError }));
  phone.on('incoming', (incoming) => {
    const { peer, headers, id } = incoming;
    follow(incoming);
    notify('incoming', { from: peer.number, headers, callUuid: id });
  });
  await phone.register().catch(() => undefined);
}

function follow(followed: Call): void {
  call = followed;
  followed.on('ringing', () => notify('ringing'));
  followed.on('accepted', () => notify('accepted', { callUuid: followed.id }));
  followed.on('reconnecting', () => notify('call-reconnecting'));
  followed.on('reconnected', () => notify('call-reconnected'));
  followed.on('held', (held) => notify('held', { ...held }));
  followed.on('digit', (digit) => notify('digit', { digit }));
  followed.on('quality', (sample) => notify('quality', { ...sample }));
  followed.on('ended', (end) => notify('ended', { ...end }));
}

export function dial(to: string, headers: Readonly<Record<string, string>> = {}): void {
  follow(phone!.call(to, { headers }));
}

/** Mutes before the microphone is open. */
export function dialMuted(to: string): void {
  dial(to);
  mute(true);
}

export const answer = (): void => call!.accept();
export const mute = (isMuted: boolean): void => call!.mute(isMuted);
export const hold = (isHeld: boolean): void => call!.hold(isHeld);
export const digits = (keys: string): void => call!.sendDigits(keys);
export const hangUp = (): void => call!.hangUp();
export const close = (): void => phone!.close();

/** Dials, and ends the microphone as a browser does whose microphone is unplugged. */
export async function dialAndUnplug(to: string): Promise<void> {
  const { mediaDevices } = navigator;
  const native = mediaDevices.getUserMedia.bind(mediaDevices);
  const opened = new Promise<MediaStream>((resolve) => {
    mediaDevices.getUserMedia = async (constraints) => {
      const stream = await native(constraints);
      resolve(stream);
      return stream;
    };
  });
  const answered = new Promise<void>((resolve) => {
    dial(to);
    call!.on('accepted', () => resolve());
  });
  await answered;
  for (const track of (await opened).getTracks()) {
    track.stop();
    track.dispatchEvent(new Event('ended'));
  }
}

/** The speaker of each element that plays. */
export function speakers(): readonly string[] {
  return elements
    .filter(({ muted, paused, srcObject }) => !muted && !paused && srcObject !== null)
    .map(({ sinkId }) => sinkId);
}

export const useSpeaker = (id: string): Promise<void> => phone!.devices.use('audiooutput', id);

/** The call ends while the browser opens another microphone; returns the state of that one's tracks. */
export async function useMicrophoneAsItEnds(): Promise<readonly string[]> {
  const { mediaDevices } = navigator;
  const native = mediaDevices.getUserMedia.bind(mediaDevices);
  const tracks: MediaStreamTrack[] = [];
  mediaDevices.getUserMedia = async (constraints) => {
    const stream = await native(constraints);
    tracks.push(...stream.getTracks());
    call!.hangUp();
    return stream;
  };
  const [microphone] = await phone!.devices.list('audioinput');
  await phone!.devices.use('audioinput', microphone!.deviceId);
  return tracks.map(({ readyState }) => readyState);
}

export async function transfer(to: string): Promise<string> {
  return call!.transfer(to).then(
    () => 'transferred',
    (error: unknown) => String(error),
  );
}

/** A test call of some seconds by a phone of its own. */
export function preflight(account: Account): Promise<object> {
  return Phone.preflight({ ...account, seconds: 5 });
}
