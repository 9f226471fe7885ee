import { hash, randomBytes } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { createSystemClock } from '@jackfield/adapters/clock';
import { loadNativeDatagrams } from '@jackfield/adapters/media-worker/native-datagrams';
import { type CallListener, createUserAgent, type IncomingInvite, type UserAgent } from '@jackfield/sip';
import { createTransports, type Transports } from '@jackfield/sip/transport';
import { servePart } from '../part.ts';

export interface PhoneAccount {
  readonly username: string;
  readonly password: string;
}

export interface PhonesStart {
  readonly sipPort: number;
  readonly accounts: readonly PhoneAccount[];
}

export interface CallRun {
  readonly count: number;
  /** Simultaneous calls. */
  readonly atOnce: number;
  /** A call begins each time instead, whatever became of those before. */
  readonly everyMs?: number;
  /** The user part that all phones call; each calls its neighbour when left out. */
  readonly callee?: string;
}

export interface AddedRun extends CallRun {
  readonly httpPort: number;
  readonly path: string;
  readonly authorization: string;
}

/** Calls that stay up, one to each callee; all their phones receive audio on one port. */
export interface JoinRun {
  readonly callees: readonly string[];
  readonly mediaPort: number;
}

export interface CallOutcome {
  readonly operations: number;
  readonly failures: number;
  readonly seconds: number;
}

/** Phones on one port, each with its own account: they register, call each other, answer at once and hang up. */
servePart({
  async start({ sipPort, accounts: given }: PhonesStart) {
    platformPort = sipPort;
    accounts = given;
    content = contentOf(await openMediaPort());
    transports = await createTransports({
      host,
      port: 0,
      onMessage: (text, flow) => agent.receive(text, flow),
      onSendFailed: (failure) => agent.transportFailed(failure.text),
    });
    for (const account of accounts) await register(account);
    return transports.addresses[0]!.port;
  },
  direct,
  added,
  hold,
  join,
  hangUp,
  census: () => agent.census(),
  async stop() {
    agent.close();
    http.destroy();
    await transports?.close();
  },
});

const host = '127.0.0.1';
const http = new Agent({ keepAlive: true, maxSockets: 32 });
/** Behind the ports of a platform's calls. */
const firstMediaPort = 28_000;
let content = contentOf(firstMediaPort);
let platformPort = 0;
let accounts: readonly PhoneAccount[] = [];
let transports: Transports | undefined;
/** Hangs up each call that is held. */
const held: (() => Promise<void>)[] = [];
/** The behaviour of a called phone. */
let onInvite: (invite: IncomingInvite) => void = () => {};

const agent: UserAgent = createUserAgent({
  clock: createSystemClock({ keepsProcessAlive: true }),
  send: (target, text) => transports!.send(target, text),
  flow: (id) => transports?.flowById(id),
  address: () => ({ host, port: transports!.addresses[0]!.port }),
  token: () => randomBytes(12).toString('hex'),
  hash: (algorithm, text) => hash(algorithm === 'MD5' ? 'md5' : 'sha256', Buffer.from(text, 'latin1')),
  methods: ['OPTIONS'],
  on: {
    request: ({ reply }) => reply(200),
    invite: (invite) => onInvite(invite),
    error(error) {
      throw error;
    },
  },
});

function register({ username, password }: PhoneAccount): Promise<void> {
  const address = `<sip:${username}@sip.localhost>`;
  const order = {
    method: 'REGISTER',
    uri: `sip:${host}:${platformPort}`,
    from: address,
    to: address,
    headers: [['Expires', '3600']],
    contact: true,
    credentials: { username, password },
  } as const;
  return new Promise((resolve, reject) => {
    agent.request(order, (outcome) => {
      const status = outcome.type === 'response' ? outcome.response.status : outcome.failure;
      if (status === 200) resolve();
      else reject(new Error(`REGISTER: ${status}`));
    });
  });
}

/** Each phone calls its neighbour or the callee; the caller hangs up when the call is answered. */
function direct({ count, atOnce, everyMs, callee }: CallRun): Promise<CallOutcome> {
  const run = everyMs === undefined ? repeat(count, atOnce) : paced(count, everyMs);
  return run((at, done) => {
    let answered = false;
    const call = callFrom(at, callee, {
      answered() {
        answered = true;
        call.hangUp();
      },
      ended: () => done(answered),
    });
  });
}

/** As `direct`, but the calls stay up until `hangUp`. */
function hold({ count, atOnce, callee }: CallRun): Promise<CallOutcome> {
  return repeat(
    count,
    atOnce,
  )((at, done) => {
    const ended = Promise.withResolvers<void>();
    const call = callFrom(at, callee, {
      answered() {
        held.push(() => {
          call.hangUp();
          return ended.promise;
        });
        done(true);
      },
      ended() {
        ended.resolve();
        done(false);
      },
    });
  });
}

/** Resolves with the ports at which the other side receives the audio of these calls. */
async function join({ callees, mediaPort }: JoinRun): Promise<readonly number[]> {
  const ports: number[] = [];
  for (const [at, callee] of callees.entries()) {
    const answered = Promise.withResolvers<string>();
    const ended = Promise.withResolvers<void>();
    const call = callFrom(
      at,
      callee,
      {
        answered: ({ body }) => answered.resolve(body),
        ended() {
          answered.reject(new Error(`the call to ${callee} has ended`));
          ended.resolve();
        },
      },
      contentOf(mediaPort),
    );
    const port = /^m=audio (\d+)/m.exec(await answered.promise)?.[1];
    ports.push(Number(port));
    held.push(() => {
      call.hangUp();
      return ended.promise;
    });
  }
  return ports;
}

/** Ends what `hold` and `join` have opened; resolves when each call is over. */
async function hangUp(): Promise<void> {
  await Promise.all(held.splice(0).map((end) => end()));
}

/**
 * A port that is open and never read. To a closed port the kernel answers each packet with ICMP within the call that sends it, and adds that to
 * the sender's time; a phone on another machine costs nothing here.
 */
async function openMediaPort(): Promise<number> {
  const bind = await loadNativeDatagrams();
  if (bind === undefined) return firstMediaPort;
  for (let port = firstMediaPort; port < 65_536; port++) if (bind(host, port) !== undefined) return port;
  throw new Error(`no port from ${firstMediaPort} on is free for media`);
}

/** An offer, or an answer, of G.711 at this port. */
function contentOf(mediaPort: number) {
  const body = `v=0\r\no=- 1 1 IN IP4 ${host}\r\ns=-\r\nc=IN IP4 ${host}\r\nt=0 0\r\nm=audio ${mediaPort} RTP/AVP 0 101\r\na=rtpmap:101 telephone-event/8000\r\n`;
  return { body, contentType: 'application/sdp' };
}

function callFrom(at: number, callee: string | undefined, listener: CallListener, offer = content) {
  onInvite = (invite) => {
    invite.listen({});
    invite.accept(content);
  };
  const caller = accounts[at % accounts.length]!;
  const called = callee ?? accounts[(at + 1) % accounts.length]!.username;
  const order = {
    targets: [{ uri: `sip:${called}@${host}:${platformPort}` }],
    from: `<sip:${caller.username}@sip.localhost>`,
    to: `<sip:${called}@sip.localhost>`,
    content: offer,
    credentials: caller,
  };
  return agent.invite(order, listener);
}

/** The API adds a phone to a new multiparty call; the phone answers, and hangs up after the ACK. */
function added({ count, atOnce, ...api }: AddedRun): Promise<CallOutcome> {
  const waiting = new Map<string, (ok: boolean) => void>();
  onInvite = (invite) => {
    const name = invite.request.headers.get('From') ?? '';
    const done = waiting.get(/<sip:([^@>]+)@/.exec(name)?.[1] ?? '');
    invite.listen({ acknowledged: () => invite.hangUp(), ended: (reason) => done?.(reason !== undefined) });
    invite.accept(content);
  };
  return repeat(
    count,
    atOnce,
  )((at, done) => {
    // The caller id identifies the request of an INVITE.
    const from = String(12_025_550_000 + (at % 9000));
    waiting.set(from, done);
    waiting.set(`+${from}`, done);
    const to = accounts[at % accounts.length]!.username;
    post(api, `bench${at}x${Date.now()}`, { role: 'Agent', from, to }).catch(() => done(false));
  });
}

function post(
  { httpPort, path, authorization }: Pick<AddedRun, 'httpPort' | 'path' | 'authorization'>,
  name: string,
  body: object,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const url = `${path}MultiPartyCall/name_${name}/Participant/`;
    const request = httpRequest({ agent: http, host, port: httpPort, path: url, method: 'POST', headers });
    request.once('error', reject);
    request.once('response', (response) => {
      response.resume();
      if (response.statusCode === 201) resolve();
      else reject(new Error(`adding a participant: ${response.statusCode}`));
    });
    request.end(JSON.stringify(body));
  });
}

function repeat(count: number, atOnce: number): Run {
  return (begin) =>
    counted(count, (over) => {
      let begun = 0;
      const next = () =>
        begin(
          begun++,
          over(() => begun < count && next()),
        );
      for (let index = 0; index < Math.min(atOnce, count); index++) next();
    });
}

/** Begins at fixed times. */
function paced(count: number, everyMs: number): Run {
  return (begin) =>
    counted(count, (over) => {
      let begun = 0;
      const timer = setInterval(() => {
        begin(begun++, over());
        if (begun === count) clearInterval(timer);
      }, everyMs);
    });
}

type Run = (begin: (at: number, done: (ok: boolean) => void) => void) => Promise<CallOutcome>;

/** Resolves when so many operations are over; `over` makes what reports the end of one of them, once. */
function counted(
  count: number,
  start: (over: (then?: () => void) => (ok: boolean) => void) => void,
): Promise<CallOutcome> {
  const began = performance.now();
  let [ended, failures] = [0, 0];
  return new Promise((resolve) => {
    start((then) => {
      let isOver = false;
      return (ok) => {
        if (isOver) return;
        isOver = true;
        ended += 1;
        if (!ok) failures += 1;
        then?.();
        if (ended === count)
          resolve({ operations: count - failures, failures, seconds: (performance.now() - began) / 1000 });
      };
    });
  });
}
