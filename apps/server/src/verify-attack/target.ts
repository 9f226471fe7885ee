/** A platform in its sandbox, reached by an attacker with the credentials of a careless program. */
export interface Target {
  /** `body` is parsed; a request beyond the platform's rate limit is repeated after the stated time. */
  request(method: 'GET' | 'POST', path: string, body?: object): Promise<Answered>;
  /** Starts a session, or joins the live one. */
  begin(recipient: string, more?: object): Promise<Answered>;
  check(session: string, otp: string): Promise<Answered>;
  /**
   * The code in the newest message to the number, empty where none arrives (the shield has blocked it). Only the owner of the phone knows
   * it, never an attacker.
   */
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
  /** The app under attack; the default app when absent. */
  readonly appUuid?: string;
}

/** How long a message may take to the inbox of the sandbox. */
const messageMs = 1500;
/** A refusal by the API's own rate limit, unrelated to the verification. */
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
      }).catch((error: Error) => {
        const { message } = error.cause instanceof Error ? error.cause : error;
        throw new Error(`${url} cannot be reached: ${message}.`);
      });
      const text = await answer.text();
      const tookMs = performance.now() - begun;
      if (answer.status === 401) throw new Error(`${url} refuses the account ${authId} and its token.`);
      const read = readBody(text, url);
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
      // The message arrives after the answer to the request; a message that the shield has blocked never arrives.
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

function readBody(text: string, url: string): Record<string, unknown> {
  try {
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  } catch {
    throw new Error(`${url} does not answer like a Jackfield server: ${text.slice(0, 80)}`);
  }
}
