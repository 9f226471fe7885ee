import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  type ByteString,
  type Call,
  createUserAgent,
  type EndReason,
  type Flow,
  type IncomingInvite,
  type RequestOutcome,
  type SipResponse,
  type UserAgent,
} from '@jackfield/sip';
import { WebSocket } from 'ws';
import { Happenings } from './lines.ts';

export interface WebSocketPhoneOptions {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly domain: string;
  /** PEM of the authority of the server's certificate, for `wss:`. */
  readonly authority?: string;
  /** An address of loopback of its own. */
  readonly localAddress?: string;
  /** The instance of its registration, `<urn:uuid:…>`; it then requests GRUUs. */
  readonly instance?: string;
  /** Presented on REGISTER and INVITE instead of the password (docs/interface/client-tokens.md#on-sip). */
  readonly token?: string;
}

/** The course of a call of this phone, one entry for each step. */
export interface PhoneEvent {
  readonly type: 'invited' | 'ringing' | 'answered' | 'ended';
  readonly by?: string;
  readonly from?: string;
  /** The session description of an INVITE to it. */
  readonly offer?: string;
  /** Of the response that refused the call. */
  readonly status?: number;
  /** Why its token was refused. */
  readonly tokenRefusal?: string;
}

/** A phone as in a browser: SIP in the messages of one WebSocket, a Contact that no peer can connect to (RFC 7118 §5). */
export class WebSocketPhone {
  readonly events = new Happenings<PhoneEvent>();
  readonly #options: WebSocketPhoneOptions;
  readonly #socket: WebSocket;
  readonly #userAgent: UserAgent;
  readonly #flow: Flow;
  readonly #name = `${randomBytes(6).toString('hex')}.invalid`;
  #serial = 0;

  private constructor(options: WebSocketPhoneOptions, socket: WebSocket) {
    this.#options = options;
    this.#socket = socket;
    const ends = { remoteAddress: 'server', remotePort: 80, localAddress: this.#name, localPort: 5060 };
    this.#flow = { id: 'ws', protocol: socket.url.startsWith('wss') ? 'wss' : 'ws', reliable: true, ...ends };
    this.#userAgent = createUserAgent({
      clock: {
        now: () => Date.now(),
        startTimer(at, fire) {
          const timer = setTimeout(fire, Math.max(0, at - Date.now()));
          return () => clearTimeout(timer);
        },
      },
      send: (_target, text) => this.#send(text),
      flow: () => this.#flow,
      address: () => ({ host: this.#name, port: 5060 }),
      token: () => randomBytes(8).toString('hex'),
      hash: (algorithm, text) =>
        createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
          .update(text, 'latin1')
          .digest('hex'),
      userAgentName: 'A browser',
      on: {
        request: (incoming) => incoming.reply(200),
        invite: (invite) => this.#invited(invite),
      },
    });
    socket.on('message', (data) => {
      const text = (data as Buffer).toString('latin1');
      if (text.trim() !== '') this.#userAgent.receive(text, this.#flow);
    });
  }

  static async connect(options: WebSocketPhoneOptions): Promise<WebSocketPhone> {
    const { authority: ca, localAddress } = options;
    const socket = new WebSocket(options.url, 'sip', {
      ...(ca && { ca }),
      ...(localAddress && { localAddress }),
    });
    await once(socket, 'open');
    return new WebSocketPhone(options, socket);
  }

  /** Sends REGISTER and answers its challenge; resolves with the status. */
  register(expires = 600): Promise<number | string> {
    return this.registration(expires).then((each) =>
      each.type === 'response' ? each.response.status : each.failure,
    );
  }

  /** The same, with the whole answer. */
  registration(expires = 600): Promise<RequestOutcome> {
    this.#serial += 2;
    const outcome = Promise.withResolvers<RequestOutcome>();
    this.#userAgent.request(
      {
        method: 'REGISTER',
        uri: `sip:${this.#options.domain}`,
        flow: 'ws',
        from: `<${this.#aor}>`,
        to: `<${this.#aor}>`,
        callId: this.#name,
        cseq: this.#serial,
        headers: [
          [
            'Contact',
            `<sip:${this.#options.username}@${this.#name};transport=ws>;expires=${expires}${this.#instance}`,
          ],
          ...(this.#instance === '' ? [] : [['Supported', 'gruu'] as const]),
          ...this.#token,
        ],
        credentials: this.#credentials,
      },
      outcome.resolve,
    );
    return outcome.promise;
  }

  /** Sends a request outside of calls to a user, or to the server where there is none; resolves with its response. */
  async ask(method: string, user: string, body = ''): Promise<SipResponse> {
    const outcome = Promise.withResolvers<RequestOutcome>();
    const at = user === '' ? '' : `${user}@`;
    const uri = `sip:${at}${this.#options.domain}`;
    const content = body === '' ? {} : { content: { body, contentType: 'text/plain' } };
    this.#userAgent.request(
      { method, uri, flow: 'ws', from: `<${this.#aor}>`, to: `<${uri}>`, ...content },
      outcome.resolve,
    );
    const settled = await outcome.promise;
    if (settled.type !== 'response') throw new Error(`${method} was not answered: ${settled.failure}`);
    return settled.response;
  }

  /** Calls a user or number of the platform with an offer of G.711. */
  dial(user: string, rtpPort: number): Call {
    return this.dialUri(`sip:${user}@${this.#options.domain}`, rtpPort);
  }

  /** The same by a URI as it stands. */
  dialUri(uri: string, rtpPort: number): Call {
    return this.#userAgent.invite(
      {
        targets: [{ uri, flow: 'ws' }],
        from: `<${this.#aor}>`,
        to: `<${uri}>`,
        headers: this.#token,
        content: { body: description(rtpPort), contentType: 'application/sdp' },
        credentials: this.#credentials,
      },
      this.#listener,
    );
  }

  /** Answers calls from now on, with audio at that port. */
  answersAt(rtpPort: number): void {
    this.#rtpPort = rtpPort;
  }

  /** A double CRLF and what comes back (RFC 5626 §4.4.1). */
  async keepAlive(): Promise<string> {
    const answer = once(this.#socket, 'message');
    this.#socket.send('\r\n\r\n');
    return String((await answer)[0]);
  }

  /** Closes as a closed tab does: without a SIP message. */
  vanish(): void {
    this.#socket.terminate();
    this.#userAgent.close();
  }

  #rtpPort = 9;

  get #aor(): string {
    return `sip:${this.#options.username}@${this.#options.domain}`;
  }

  get #instance(): string {
    const { instance } = this.#options;
    return instance === undefined ? '' : `;+sip.instance="${instance}"`;
  }

  get #token(): readonly (readonly [name: string, value: string])[] {
    const { token } = this.#options;
    return token === undefined ? [] : [['X-Plivo-Jwt', token]];
  }

  get #credentials(): { readonly username: string; readonly password: string } {
    return { username: this.#options.username, password: this.#options.password };
  }

  readonly #listener = {
    ringing: () => void this.events.add({ type: 'ringing' }),
    answered: () => void this.events.add({ type: 'answered' }),
    ended: (reason: EndReason) => {
      if (reason.by !== 'rejected') return void this.events.add({ type: 'ended', by: reason.by });
      const tokenRefusal = reason.response.headers.get('X-Plivo-Jwt-Error-Code');
      const why = tokenRefusal === undefined ? {} : { tokenRefusal };
      return void this.events.add({ type: 'ended', by: reason.by, status: reason.status, ...why });
    },
  };

  #send(text: ByteString): void {
    if (this.#socket.readyState === WebSocket.OPEN)
      this.#socket.send(Buffer.from(text, 'latin1'), { binary: false });
  }

  #invited(invite: IncomingInvite): void {
    const from = invite.request.headers.get('From') ?? '';
    this.events.add({ type: 'invited', from, offer: invite.request.body });
    invite.listen(this.#listener);
    invite.ring();
    invite.accept({ body: description(this.#rtpPort), contentType: 'application/sdp' });
  }
}

function description(port: number): string {
  return [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP 0`,
    'a=rtpmap:0 PCMU/8000',
    '',
  ].join('\r\n');
}
