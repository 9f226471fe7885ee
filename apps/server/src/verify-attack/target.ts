/** A platform in its sandbox, as an attacker with the credentials of a careless program reaches it. */
export interface Target {
  /** `body` is parsed; requests beyond the platform's rate are made again when it says so. */
  request(method: 'GET' | 'POST', path: string, body?: object): Promise<Answered>;
  /** Begins a session, or joins the one that lives. */
  begin(recipient: string, more?: object): Promise<Answered>;
  check(session: string, otp: string): Promise<Answered>;
  /** The code that the newest message to the number holds, empty where none comes (the shield has blocked it): what the owner of the phone knows, and an attacker does not. */
  codeOf(recipient: string): Promise<string>;
}

export interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly tookMs: number;
}

export interface TargetOptions {
  /** Scheme, host and port of the HTTP interface. */
  readonly url: string;
  readonly authId: string;
  readonly authToken: string;
  /** The app that is attacked; the default one when left out. */
  readonly appUuid?: string;
}

/** So long a message may take to the inbox of the sandbox. */
const messageMs = 1500;
/** A refusal of the API's own rate limit, which says nothing of the verification. */
const tooManyRequests = /requests in \d+ s/;

export function createTarget({ url, authId, authToken, appUuid }: TargetOptions): Target {
  const authorization = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
  const app = appUuid === undefined ? {} : { app_uuid: appUuid };

  async function request(method: 'GET' | 'POST', path: string, body?: object): Promise<Answered> {
    for (;;) {
      const begun = performance.now();
      const answer = await fetch(`${url}/v1/Account/${authId}/${path}`, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const tookMs = performance.now() - begun;
      const read = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
      if (answer.status === 429 && tooManyRequests.test(String(read.error))) {
        const seconds = Number(answer.headers.get('retry-after') ?? 1);
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
        continue;
      }
      return { status: answer.status, body: read, tookMs };
    }
  }

  return {
    request,
    begin: (recipient, more = {}) => request('POST', 'Verify/Session/', { recipient, ...app, ...more }),
    check: (session, otp) => request('POST', `Verify/Session/${session}/`, { otp }),
    async codeOf(recipient) {
      const path = `Sandbox/Message/?to=${encodeURIComponent(recipient)}`;
      // The message follows the answer to whoever asked for it; where the shield has blocked it, none comes.
      for (const limit = performance.now() + messageMs; ; ) {
        const { body } = await request('GET', path);
        const [newest] = (body.objects ?? []) as readonly { readonly text: string }[];
        const code = /\d{4,8}/.exec(newest?.text ?? '')?.[0] ?? '';
        if (code !== '' || performance.now() > limit) return code;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}
