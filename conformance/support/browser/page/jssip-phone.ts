import * as JsSIP from 'jssip';
import type { RTCSession } from 'jssip/lib/RTCSession';
import type { RTCSessionEvent } from 'jssip/lib/UA';
import type { PhoneAccount } from '../phone-account.ts';
import { notify } from './report.ts';

/** JsSIP phones of one page; functions take the index of the phone, in the order of their start. */
interface Phone {
  readonly agent: JsSIP.UA;
  session: RTCSession | undefined;
}

const phones: Phone[] = [];
const media = { mediaConstraints: { audio: true, video: false }, pcConfig: { iceServers: [] } };

/** Connects and registers. */
export function start(account: PhoneAccount): void {
  const { url, username, password, domain } = account;
  const agent = new JsSIP.UA({
    sockets: new JsSIP.WebSocketInterface(url),
    uri: `sip:${username}@${domain}`,
    password,
    session_timers: false,
    connection_recovery_min_interval: 1,
    connection_recovery_max_interval: 2,
  });
  const index = phones.push({ agent, session: undefined }) - 1;
  agent.on('registered', () => notify('registered', { phone: index }));
  agent.on('registrationFailed', ({ cause }) => notify('registration-failed', { phone: index, cause }));
  agent.on('disconnected', () => notify('disconnected', { phone: index }));
  agent.on('newRTCSession', ({ session, originator, request }: RTCSessionEvent) => {
    phones[index]!.session = session;
    follow(session, index);
    if (String(originator) === 'remote')
      notify('incoming', {
        phone: index,
        from: session.remote_identity.uri.user,
        callUuid: request.getHeader('X-CallUUID'),
      });
  });
  agent.start();
}

function follow(session: RTCSession, phone: number): void {
  const { id } = session;
  session.on('progress', () => notify('ringing', { phone, id }));
  session.on('accepted', () => notify('accepted', { phone, id }));
  session.on('confirmed', () => notify('confirmed', { phone, id }));
  session.on('ended', ({ cause, originator }) => notify('ended', { phone, id, cause, originator }));
  session.on('failed', ({ cause, originator }) => notify('failed', { phone, id, cause, originator }));
}

export function call(target: string, extraHeaders: readonly string[] = [], phone = 0): void {
  phones[phone]!.agent.call(target, { ...media, extraHeaders: [...extraHeaders] });
}

export function answer(phone = 0): void {
  sessionOf(phone).answer(media);
}

export function hangUp(phone = 0): void {
  sessionOf(phone).terminate();
}

/** RFC 4733 as `RFC2833`, or INFO. */
export function digits(text: string, transportType: 'RFC2833' | 'INFO', phone = 0): void {
  sessionOf(phone).sendDTMF(text, { transportType } as object);
}

/** Resolves when the other side has agreed. */
export function hold(phone = 0): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!sessionOf(phone).hold({}, resolve)) reject(new Error('this call cannot be held now'));
  });
}

export function resume(phone = 0): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!sessionOf(phone).unhold({}, resolve)) reject(new Error('this call cannot be resumed now'));
  });
}

export function mute(phone = 0): void {
  sessionOf(phone).mute({ audio: true });
}

/** Resolves when the other side has answered the re-INVITE with new credentials. */
export function restartIce(phone = 0): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { rtcOfferConstraints: { iceRestart: true } };
    if (!sessionOf(phone).renegotiate(options, resolve)) reject(new Error('this call cannot restart now'));
  });
}

/** Unregisters and disconnects all phones. */
export function stop(): void {
  for (const { agent } of phones) agent.stop();
}

function sessionOf(phone: number): RTCSession {
  const { session } = phones[phone]!;
  if (session === undefined) throw new Error('this phone has no call');
  return session;
}
