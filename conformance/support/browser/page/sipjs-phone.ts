import {
  type Invitation,
  Inviter,
  Registerer,
  type Session,
  SessionState,
  UserAgent,
  type Web,
} from 'sip.js';
import type { PhoneAccount } from '../phone-account.ts';
import { notify } from './report.ts';

/** A SIP.js phone, with the functions of `jssip-phone.ts`. */
let agent: UserAgent;
let session: Session | undefined;

const withAudio = { constraints: { audio: true, video: false } };

export async function start({ url, username, password, domain }: PhoneAccount): Promise<void> {
  agent = new UserAgent({
    uri: UserAgent.makeURI(`sip:${username}@${domain}`)!,
    authorizationUsername: username,
    authorizationPassword: password,
    transportOptions: { server: url },
    logLevel: 'error',
    sessionDescriptionHandlerFactoryOptions: { peerConnectionConfiguration: { iceServers: [] } },
    delegate: {
      onInvite(invitation) {
        follow(invitation);
        notify('incoming', {
          from: invitation.remoteIdentity.uri.user,
          callUuid: invitation.request.getHeader('X-CallUUID'),
        });
      },
      onDisconnect(error) {
        if (error === undefined) return;
        notify('disconnected');
        void reconnect(registerer);
      },
    },
  });
  const registerer = new Registerer(agent);
  await agent.start();
  await register(registerer);
}

async function register(registerer: Registerer): Promise<void> {
  await registerer.register({ requestDelegate: { onAccept: () => notify('registered') } });
}

/** SIP.js leaves reconnection to the program. */
async function reconnect(registerer: Registerer): Promise<void> {
  try {
    await agent.reconnect();
    await register(registerer);
  } catch {
    setTimeout(() => void reconnect(registerer), 500);
  }
}

function follow(next: Session): void {
  session = next;
  next.stateChange.addListener((state) => {
    if (state === SessionState.Established) notify('confirmed');
    else if (state === SessionState.Terminated) notify('ended');
  });
}

export async function call(target: string): Promise<void> {
  const inviter = new Inviter(agent, UserAgent.makeURI(target)!, {
    sessionDescriptionHandlerOptions: withAudio,
  });
  follow(inviter);
  await inviter.invite({ requestDelegate: { onProgress: () => notify('ringing') } });
}

export async function answer(): Promise<void> {
  await (session as Invitation).accept({ sessionDescriptionHandlerOptions: withAudio });
}

export async function hangUp(): Promise<void> {
  if (session?.state === SessionState.Established) await session.bye();
  else if (session instanceof Inviter) await session.cancel();
  else await (session as Invitation).reject();
}

export async function digits(text: string, transport: 'RFC2833' | 'INFO'): Promise<void> {
  if (transport === 'RFC2833') {
    session!.sessionDescriptionHandler!.sendDtmf(text);
    return;
  }
  for (const digit of text) {
    const body = { contentType: 'application/dtmf-relay', contentDisposition: 'render' };
    const content = `Signal=${digit}\r\nDuration=160`;
    await session!.info({ requestOptions: { body: { ...body, content } } });
  }
}

export function hold(): Promise<void> {
  return reinvite({ hold: true });
}

export function resume(): Promise<void> {
  return reinvite({ hold: false });
}

export function restartIce(): Promise<void> {
  return reinvite({ offerOptions: { iceRestart: true } });
}

export async function stop(): Promise<void> {
  await agent.stop();
}

/** Resolves when the other side has agreed. */
function reinvite(options: Web.SessionDescriptionHandlerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    session!
      .invite({
        sessionDescriptionHandlerOptions: { ...withAudio, ...options } as object,
        requestDelegate: {
          onAccept: () => resolve(),
          onReject: ({ message }) => reject(new Error(`refused with ${message.statusCode}`)),
        },
      })
      .catch(reject);
  });
}
