import {
  type CallListener,
  createPhoneUserAgent,
  type Call as Dialog,
  decodeUtf8,
  encodeUtf8,
  type Flow,
  type IncomingInvite,
  type PhoneUserAgent,
  type SipMessage,
} from '@jackfield/sip/phone';
import type { Environment } from './environment.ts';
import { createUnanswered } from './unanswered.ts';

/** RFC 3261 §20.16: descriptions of a browser. */
const SDP = 'application/sdp';

/** Who the phone is. */
export interface Identity {
  readonly user: string;
  readonly domain: string;
  readonly password: string | undefined;
  readonly token: string | undefined;
}

/** The outcome of a REGISTER; status 0 without a response. */
export interface RegisterOutcome {
  readonly status: number;
  readonly expiresS: number;
  readonly tokenError?: number;
}

/** SIP of one phone: a user agent of `@jackfield/sip` over a WebSocket that may be replaced. */
export interface SipClient {
  receive(text: string): void;
  /** Loads the hashes of digest authentication, which phones with tokens need not. */
  loadDigest(): Promise<void>;
  /** Sends the requests again that the lost socket may have lost. */
  resume(): void;
  register(identity: Identity, expiresS: number, settled: (outcome: RegisterOutcome) => void): void;
  invite(
    identity: Identity,
    uri: string,
    sdp: string,
    headers: Readonly<Record<string, string>>,
    listener: CallListener,
  ): Dialog;
  close(): void;
}

/** Creates the SIP part of a phone; `send` drops what it cannot send. */
export function createSipClient(
  environment: Environment,
  isSecure: boolean,
  send: (text: string) => void,
  invited: (invite: IncomingInvite) => void,
): SipClient {
  const { clock, token } = environment;
  // RFC 7118 §5: the browser has a name that does not resolve.
  const host = `${token()}.invalid`;
  const instance = uuidOf(`${token()}${token()}`);
  const callId = token();
  let cseq = 0;
  let digest: typeof import('./digest/hash.ts') | undefined;
  const flow: Flow = {
    id: 'socket',
    protocol: isSecure ? 'wss' : 'ws',
    reliable: true,
    remoteAddress: 'server.invalid',
    remotePort: 443,
    localAddress: host,
    localPort: 5060,
  };
  const unanswered = createUnanswered();
  const agent: PhoneUserAgent = createPhoneUserAgent({
    clock,
    send(_target, bytes) {
      const text = decodeUtf8(bytes);
      unanswered.sent(text, clock.now());
      send(text);
    },
    flow: () => flow,
    address: () => ({ host, port: 5060 }),
    token,
    hash: (algorithm, text) => digest?.hash(algorithm, text) ?? '',
    challengeAnswer: (...given) => digest?.challengeAnswer(...given),
    userAgentName: 'Jackfield voice SDK',
    methods: ['OPTIONS'],
    on: { request: (incoming) => incoming.reply(200), invite: invited },
  });

  return {
    receive(text) {
      unanswered.received(text);
      agent.receive(encodeUtf8(text), flow);
    },
    async loadDigest() {
      digest = await import('./digest/hash.ts');
    },
    resume: () => unanswered.since(clock.now()).forEach(send),
    register(identity, expiresS, settled) {
      // Two apart: the answer to a challenge has the number between.
      cseq += 2;
      const address = `<${addressOf(identity)}>`;
      const contact = `<sip:${identity.user}@${host};transport=ws>`;
      agent.request(
        {
          method: 'REGISTER',
          uri: `sip:${identity.domain}`,
          flow: flow.id,
          from: address,
          to: address,
          callId,
          cseq,
          headers: [
            ['Contact', `${contact};expires=${expiresS};reg-id=1;+sip.instance="<urn:uuid:${instance}>"`],
            ['Supported', 'outbound, path'],
            ...proofOf(identity),
          ],
          ...credentialsOf(identity),
        },
        (outcome) => {
          if (outcome.type === 'failed') settled({ status: 0, expiresS: 0 });
          else settled(registerOutcome(outcome.response, host, expiresS));
        },
      );
    },
    invite(identity, uri, sdp, headers, listener) {
      const own = Object.entries(headers).map(([name, value]) => [name, encodeUtf8(value)] as const);
      return agent.invite(
        {
          targets: [{ uri, flow: flow.id }],
          from: `<${addressOf(identity)}>`,
          to: `<${uri}>`,
          headers: [...own, ...proofOf(identity)],
          content: described(sdp),
          ...credentialsOf(identity),
        },
        listener,
      );
    },
    close: () => agent.close(),
  };
}

/** A session description as a body. */
export function described(sdp: string): { readonly body: string; readonly contentType: string } {
  return { body: encodeUtf8(sdp), contentType: SDP };
}

/** The extension headers of a message, such as X-PH-…, by their names. */
export function customHeaders({ headers }: SipMessage): Readonly<Record<string, string>> {
  const own = [...headers.entries()].filter(([name]) => /^X-/i.test(name));
  return Object.fromEntries(own.map(([name, value]) => [name, decodeUtf8(value)]));
}

function addressOf({ user, domain }: Identity): string {
  return `sip:${user}@${domain}`;
}

/** docs/interface/client-tokens.md#on-sip */
function proofOf({ token }: Identity): readonly (readonly [string, string])[] {
  return token === undefined ? [] : [['X-Plivo-Jwt', token]];
}

function credentialsOf({ user, password }: Identity) {
  return password === undefined ? {} : { credentials: { username: user, password: encodeUtf8(password) } };
}

function registerOutcome(
  response: SipMessage & { status: number },
  host: string,
  asked: number,
): RegisterOutcome {
  const { status, headers } = response;
  const tokenError = Number(headers.get('X-Plivo-Jwt-Error-Code'));
  const own = headers.all('Contact').find((contact) => contact.includes(host));
  const expiresS = Number(/;expires=(\d+)/.exec(own ?? '')?.[1] ?? asked);
  return { status, expiresS, ...(tokenError > 0 && { tokenError }) };
}

/** RFC 9562 §5.4: a random UUID of 32 hex digits. */
function uuidOf(hex: string): string {
  const digits = hex.padEnd(32, '0');
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}
