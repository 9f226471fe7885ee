import { hash } from 'node:crypto';
import { quantile } from '../measure.ts';
import { servePart } from '../part.ts';
import { openTcp, openUdp, type SipSocket } from './sip-socket.ts';

export interface PreparedPhones {
  readonly protocol: 'udp' | 'tcp';
  readonly port: number;
  readonly usernames: readonly string[];
  readonly password: string;
  readonly realm: string;
}

export interface RegisterRun {
  readonly count: number;
  /** Requests that wait for their answers at the same time. */
  readonly window: number;
  /** Requests a second; limited only by the window when left out. */
  readonly rate?: number;
  /** The port of the echo for the floor, which answers with parts of the requests. */
  readonly echoPort?: number;
}

export interface RegisterOutcome {
  readonly operations: number;
  readonly failures: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Requests repeated because no answer had arrived. */
  readonly repeated: number;
}

interface Phone {
  readonly username: string;
  readonly ha1: string;
  nonce: string;
  uses: number;
}

/** Many phones behind one socket: each increases the count of its nonce with every refresh. */
servePart({
  async open(prepared: PreparedPhones) {
    const { protocol, port } = prepared;
    socket = protocol === 'udp' ? await openUdp(port) : await openTcp(port);
    realm = prepared.realm;
    const { password } = prepared;
    phones = prepared.usernames.map((username) => ({
      username,
      ha1: hash('md5', `${username}:${realm}:${password}`),
      nonce: '',
      uses: 0,
    }));
    await challenge();
  },
  challenge,
  run({ count, window, rate, echoPort }: RegisterRun): Promise<RegisterOutcome> {
    // All requests are printed before the clock starts, so that the generator keeps up on its own core.
    const requests = Array.from({ length: count }, (_, at) => {
      const phone = phones[at % phones.length]!;
      return register(phone, at, authorization(phone));
    });
    const isRight = (_at: number, answer: string) =>
      echoPort !== undefined || answer.startsWith('SIP/2.0 200');
    return exchange(requests, { window, rate, echoPort }, isRight);
  },
  stop: () => socket?.close(),
});

const patienceMs = 3000;
const repeatMs = 500;
const uri = 'sip:sip.localhost';
const ha2 = hash('md5', `REGISTER:${uri}`);
let socket: SipSocket | undefined;
let realm = '';
let phones: Phone[] = [];
let round = 0;

/** Gives each phone a new nonce, which is valid for a minute. */
async function challenge(): Promise<void> {
  const challenged = phones.map((phone, index) => register(phone, index, undefined));
  await exchange(challenged, { window: 64 }, (at, answer) => {
    const phone = phones[at]!;
    phone.nonce = /nonce="([^"]+)"/.exec(answer)?.[1] ?? '';
    phone.uses = 0;
    return answer.startsWith('SIP/2.0 401');
  });
}

function register({ username }: Phone, at: number, credentials: string | undefined): Buffer {
  if (at === 0) round += 1;
  const { protocol = 'UDP', localPort = 0 } = socket ?? {};
  const lines = [
    `REGISTER ${uri} SIP/2.0`,
    // The answer of the floor is the beginning of the request, and must identify it.
    `CSeq: ${round * 1_000_000 + at} REGISTER`,
    `Via: SIP/2.0/${protocol} 127.0.0.1:${localPort};branch=z9hG4bK${round}x${at};rport`,
    'Max-Forwards: 70',
    `From: <sip:${username}@sip.localhost>;tag=f${username}`,
    `To: <sip:${username}@sip.localhost>`,
    `Call-ID: c${username}@127.0.0.1`,
    `Contact: <sip:${username}@127.0.0.1:${localPort}>;expires=3600`,
    'User-Agent: Jackfield bench phone',
    ...(credentials === undefined ? [] : [`Authorization: ${credentials}`]),
    'Content-Length: 0',
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

function authorization(phone: Phone): string {
  phone.uses += 1;
  const { username, nonce, ha1 } = phone;
  const nc = phone.uses.toString(16).padStart(8, '0');
  const response = hash('md5', `${ha1}:${nonce}:${nc}:bench:auth:${ha2}`);
  const who = `username="${username}", realm="${realm}", nonce="${nonce}", uri="${uri}"`;
  return `Digest ${who}, response="${response}", algorithm=MD5, qop=auth, nc=${nc}, cnonce="bench"`;
}

interface Pace {
  readonly window: number;
  readonly rate?: number | undefined;
  readonly echoPort?: number | undefined;
}

/** Sends all requests and waits for all answers; a request without an answer counts as failed. */
function exchange(
  requests: readonly Buffer[],
  { window, rate, echoPort }: Pace,
  isRight: (at: number, answer: string) => boolean,
): Promise<RegisterOutcome> {
  const wire = socket!;
  const first = round * 1_000_000;
  const sentAt = new Float64Array(requests.length);
  const took = new Float64Array(requests.length).fill(Number.POSITIVE_INFINITY);
  let [sent, answered, failures, repeated, responseBytes] = [0, 0, 0, 0, 0];
  return new Promise((resolve) => {
    const start = performance.now();
    let lastAnswer = start;
    const finish = () => {
      clearInterval(watch);
      clearInterval(pace);
      took.sort();
      resolve({
        operations: answered,
        failures: failures + requests.length - answered,
        seconds: (lastAnswer - start) / 1000,
        p50Ms: quantile(took, 0.5),
        p99Ms: quantile(took, 0.99),
        requestBytes: requests[0]!.length,
        responseBytes,
        repeated,
      });
    };
    const send = () => {
      const due = rate === undefined ? requests.length : ((performance.now() - start) / 1000) * rate;
      while (sent < requests.length && sent < due && sent - answered < window) {
        sentAt[sent] = performance.now();
        wire.send(requests[sent]!, echoPort);
        sent += 1;
      }
    };
    /** RFC 3261 §17.1.2.2, timer E: lost requests are sent again. */
    const repeat = () => {
      const longAgo = performance.now() - repeatMs;
      for (let at = 0; at < sent; at++) {
        if (took[at] !== Number.POSITIVE_INFINITY || sentAt[at]! > longAgo) continue;
        wire.send(requests[at]!, echoPort);
        repeated += 1;
      }
    };
    const watch = setInterval(() => {
      if (performance.now() - lastAnswer > patienceMs) finish();
      else repeat();
    }, repeatMs);
    const pace = rate === undefined ? undefined : setInterval(() => send(), 1);
    wire.listen((answer) => {
      const at = Number(/CSeq: ?(\d+)/.exec(answer)?.[1]) - first;
      if (!(at >= 0 && at < sent) || took[at]! < Number.POSITIVE_INFINITY) return;
      lastAnswer = performance.now();
      took[at] = lastAnswer - sentAt[at]!;
      responseBytes = answer.length;
      answered += 1;
      if (!isRight(at, answer)) failures += 1;
      if (answered === requests.length) finish();
      else send();
    });
    send();
  });
}
