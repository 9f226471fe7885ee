import { router } from '../router.svelte.ts';
import { texts } from '../texts/en-table.ts';
import { ApiError, sentenceOf } from './api-error.ts';
import { send, useAccount } from './client.ts';

/** The person who uses the console; the server identifies them by the cookie. */
export interface Session {
  readonly auth_id: string;
  readonly role: string;
}

type Phase = 'looking' | 'out' | 'in' | 'unreachable';

const url = '/console/session';

/** Why the identity provider let no person in, as the server appended it to the address of this page. */
export const refusedLogin = takeRefusal();

function takeRefusal(): keyof typeof texts.login.refused | undefined {
  const word = /^#login-refused=([a-z-]+)$/.exec(location.hash)?.[1];
  if (word === undefined) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  // Own names alone: any page can link to this address.
  return Object.hasOwn(texts.login.refused, word)
    ? (word as keyof typeof texts.login.refused)
    : 'login-refused';
}
let phase = $state.raw<Phase>('looking');
let problem = $state('');
let current = $state.raw<Session | undefined>(undefined);
const leaveListeners = new Set<() => void>();

function enter(found: Session): void {
  current = found;
  useAccount(found.auth_id, leave);
  phase = 'in';
}

function leave(): void {
  current = undefined;
  phase = 'out';
  for (const listener of leaveListeners) listener();
}

export const session = {
  get phase(): Phase {
    return phase;
  },
  /** Why it is not known whether there is a session. */
  get problem(): string {
    return problem;
  },
  get current(): Session | undefined {
    return current;
  },
  /** Calls the listener each time that the session is left: by a logout, or because the server no longer knows it. */
  onLeave(listener: () => void): void {
    leaveListeners.add(listener);
  },
  /** Asks the server whether the cookie of this browser is that of a session. A link of the first run logs in. */
  async find(): Promise<void> {
    const token = /^#login=([\w-]+)$/.exec(location.hash)?.[1];
    try {
      if (token !== undefined) {
        history.replaceState(null, '', location.pathname + location.search);
        enter(await send<Session>('POST', url, { login_token: token }));
        // The link of the first start leads a newcomer to the first steps.
        if (router.path === '/' && current?.role === 'owner') router.go('/start', { replaces: true });
        return;
      }
      enter(await send<Session>('GET', url));
    } catch (fault) {
      // A proxy before a server that starts, or a server that is overloaded, says nothing of the session.
      const isKnown = fault instanceof ApiError && fault.status >= 400 && fault.status < 429;
      problem = sentenceOf(fault);
      phase = isKnown ? 'out' : 'unreachable';
    }
  },
  /** The token goes to the server and nowhere else: the cookie that comes back is not readable for scripts. */
  async logIn(authId: string, authToken: string): Promise<void> {
    enter(await send<Session>('POST', url, { auth_id: authId, auth_token: authToken }));
  },
  async logOut(): Promise<void> {
    await send('DELETE', url).catch(() => {});
    leave();
  },
};
