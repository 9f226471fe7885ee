import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { BaresipPhone } from './support/baresip-phone.ts';
import { missing } from './support/installed.ts';
import { patienceMs } from './support/patience.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { Sipp, type SippOptions } from './support/sipp.ts';

const skip = missing('sipp', 'baresip', 'sox');
const password = 'not-to-be-guessed';
/** A ban outlasts a phone that is started meanwhile, and a silent connection 2,000 others, on a busy machine as well. */
const [banSeconds, strangerSeconds] = [10, 10];
const perSource = 200;
const [rate, burst] = [5, 30];
/** Before a ban, of which each is forgiven after its part of a minute. */
const mistakes = 5;

/** Loopback has 16 million addresses: each sender here has its own. */
const limits = {
  JACKFIELD_TRUSTED_SOURCES: '192.0.2.0/24',
  JACKFIELD_SIP_RATE: String(rate),
  JACKFIELD_SIP_BURST: String(burst),
  JACKFIELD_SIP_BAN_AFTER: String(mistakes),
  JACKFIELD_SIP_BAN_SECONDS: String(banSeconds),
  JACKFIELD_SIP_CONNECTIONS_PER_SOURCE: String(perSource),
  JACKFIELD_SIP_STRANGER_SECONDS: String(strangerSeconds),
  JACKFIELD_HTTP_BAN_AFTER: '5',
  JACKFIELD_HTTP_CONNECTIONS_PER_SOURCE: String(2 * perSource),
  JACKFIELD_CALLS_PER_ACCOUNT: '2',
};

describe('a server among strangers', { skip, timeout: 240_000 }, () => {
  let platform: PlatformProcess;
  let user: string;
  const running: Sipp[] = [];
  const sockets: (Socket | WebSocket)[] = [];

  before(async () => {
    platform = await PlatformProcess.start(limits);
    ({ username: user } = await platform.createEndpoint('phone', password));
  });

  after(async () => {
    try {
      await platform.untilQuiet(10_000);
      const written = JSON.stringify(platform.log.all);
      assert.ok(!written.includes(password), 'no password is logged');
    } finally {
      await platform.stop();
    }
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((sipp) => sipp.stop()));
    for (const socket of sockets.splice(0)) {
      if (socket instanceof WebSocket) socket.terminate();
      else socket.destroy();
    }
  });

  async function start(scenario: string, options: Partial<SippOptions> = {}): Promise<Sipp> {
    const sipp = await Sipp.start({ remote: platform.sipAddress, scenario, user, password, ...options });
    running.push(sipp);
    return sipp;
  }

  async function run(scenario: string, options: Partial<SippOptions> = {}): Promise<void> {
    const result = await (await start(scenario, options)).finished();
    assert.deepEqual(result, { code: 0, errors: '' });
  }

  const counted = async (name: string) =>
    (await platform.metrics(`jackfield_${name}`))[`jackfield_${name}`] ?? 0;

  /** A phone that registers, calls, is heard, and hangs up. */
  async function callsAsEver(): Promise<void> {
    await run('register', {});
    await run('call-hang-up', { keys: { callee: '+12025550100' } });
  }

  /** Guesses passwords, each refused as it should be, until their source and no other is banned; resolves with their number. */
  async function guessUntilBanned(address: string): Promise<number> {
    for (let guess = 1; ; guess += 1) {
      // Another user each time: for a repeated user each refusal takes longer.
      const guesser = { address, user: `guessed${guess}`, password: 'a guess', timeoutSeconds: 8 };
      await run('register-refused', guesser);
      if ((await counted('sip_banned_sources')) === 1) return guess;
    }
  }

  async function dial(localAddress: string): Promise<Socket> {
    const socket = connect({ port: platform.sipPort, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => {});
    socket.resume();
    await once(socket, 'connect');
    return socket;
  }

  it('a flood of requests is dropped beyond its rate, and a phone elsewhere registers and calls meanwhile', async () => {
    const begun = performance.now();
    const flood = await start('flood', { address: '127.0.0.66', calls: 4000, perSecond: 1000 });
    await callsAsEver();
    const phone = await BaresipPhone.start({
      registrar: platform.sipAddress,
      username: user,
      password,
      toneHz: 440,
    });
    try {
      await phone.registered();
    } finally {
      await phone.stop();
    }
    await flood.finished();
    const counts = await platform.metrics('jackfield_sip_r');
    const {
      jackfield_sip_rate_limited_total: limited = 0,
      jackfield_sip_requests_received_total: received = 0,
    } = counts;
    // A busy machine loses many before the server sees them.
    assert.ok(limited > 1000, `${limited} of ${received} requests were dropped`);
    // The phones and the call need fewer than 50.
    const most = burst + (rate * (performance.now() - begun)) / 1000 + 50;
    assert.ok(received - limited < most, `${received - limited} requests were let in, not ${most}`);
  });

  it('credentials that were overheard are not accepted again: their sender is challenged with a new nonce', async () => {
    const from = await openDatagrams('127.0.0.73', platform.sipPort);
    const elsewhere = await openDatagrams('127.0.0.74', platform.sipPort);
    try {
      const challenge = await from.ask(registerOf('127.0.0.73', user, []));
      const nonce = /nonce="([^"]+)"/.exec(challenge)?.[1] ?? '';
      const credentials = [`Authorization: ${digestOf(user, nonce)}`];
      assert.match(await from.ask(registerOf('127.0.0.73', user, credentials)), /^SIP\/2\.0 200 /);
      const replayed = await from.ask(registerOf('127.0.0.73', user, credentials));
      assert.match(replayed, /^SIP\/2\.0 401 [\s\S]*stale=true/);
      const stolen = await elsewhere.ask(registerOf('127.0.0.74', user, credentials));
      assert.match(stolen, /^SIP\/2\.0 401 /);
    } finally {
      from.close();
      elsewhere.close();
    }
  });

  it('a source that guesses passwords is banned for a time, an event reports it, and it is served again after the ban', async () => {
    const from = await openDatagrams('127.0.0.67', platform.sipPort);
    try {
      assert.equal(await from.isAnswered(), true);
      const begun = performance.now();
      const guesses = await guessUntilBanned('127.0.0.67');
      const forgiven = ((performance.now() - begun) * mistakes) / 60_000;
      assert.ok(guesses > mistakes && guesses <= mistakes + 1 + forgiven, `banned after ${guesses} guesses`);
      assert.equal(await from.isAnswered(silentMs), false);
      assert.equal(await counted('sip_banned_sources'), 1);
      // A phone with the right password that was not known before, at the same address: its messages are dropped too.
      const late = await start('register', { address: '127.0.0.67', timeoutSeconds: 1 });
      assert.notEqual((await late.finished()).code, 0);
      await callsAsEver();
      const { objects } = await platform.until(
        'the event',
        'Event/?type=source.banned',
        (body) => body.objects.length > 0,
      );
      assert.deepEqual(
        objects.map(({ data }: { data: object }) => data),
        [{ source_address: '127.0.0.67', reason: 'failed-logins', seconds: banSeconds, unreported_bans: 0 }],
      );
      const limit = Date.now() + patienceMs;
      while (!(await from.isAnswered(silentMs))) assert.ok(Date.now() < limit, 'the ban does not end');
      await run('register', { address: '127.0.0.67' });
    } finally {
      from.close();
    }
  });

  it('a phone that was admitted from an address is heard while another one behind it is banned', async () => {
    const address = '127.0.0.68';
    const phone = await start('register', { address });
    await phone.finished();
    const other = await openDatagrams(address, platform.sipPort);
    try {
      await guessUntilBanned(address);
      assert.equal(await other.isAnswered(silentMs), false);
      await run('unregister', { address, port: phone.port });
    } finally {
      other.close();
    }
  });

  it('a stranger with thousands of connections gets its share of them, and a phone still registers over TCP', async () => {
    const before = await counted('sip_connections_refused_total');
    const attempts = 2000;
    const opened = await Promise.all(Array.from({ length: attempts }, () => dial('127.0.0.69')));
    await run('register', { transport: 't1' });
    while ((await counted('sip_connections_refused_total')) - before < attempts - perSource) await wait(20);
    assert.equal(opened.filter(({ closed }) => !closed).length, perSource);
    // None of them has sent anything: none may stay.
    await Promise.all(opened.map((socket) => socket.closed || once(socket, 'close')));
    assert.ok((await counted('sip_connections_timed_out_total')) >= perSource);
  });

  it('a connection without a valid sender is closed in time, however much arrives on it', async () => {
    const socket = await dial('127.0.0.70');
    const chatter = setInterval(() => socket.write(optionsOf('127.0.0.70', 'TCP')), 200);
    // A reset is an error before the close: the platform closes with unread bytes in its buffer.
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    clearInterval(chatter);
  });

  it('WebSockets of one source are bounded, and one from elsewhere is taken', async () => {
    const url = `${platform.httpUrl.replace('http', 'ws')}/sip`;
    const open = async (localAddress: string) => {
      const socket = new WebSocket(url, 'sip', { localAddress });
      sockets.push(socket);
      const outcome = await new Promise((resolve) => {
        socket.once('open', () => resolve('open'));
        socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
        socket.once('error', (error) => resolve(error.message));
      });
      return outcome;
    };
    const outcomes = await Promise.all(Array.from({ length: perSource + 20 }, () => open('127.0.0.71')));
    assert.equal(outcomes.filter((outcome) => outcome === 'open').length, perSource);
    assert.equal(outcomes.filter((outcome) => outcome === 429).length, 20);
    assert.equal(await open('127.0.0.1'), 'open');
  });

  it('a client that guesses API credentials gets 429 with Retry-After, and other clients are served', async () => {
    const guess = (token: string) =>
      new Promise<[status: number | undefined, retryAfter: string | undefined]>((resolve, reject) => {
        const authorization = `Basic ${Buffer.from(`${platform.authId}:${token}`).toString('base64')}`;
        const { hostname, port } = new URL(platform.httpUrl);
        request(
          {
            hostname,
            port,
            path: `/v1/Account/${platform.authId}/`,
            localAddress: '127.0.0.72',
            headers: { authorization },
          },
          (response) => {
            response.resume();
            resolve([response.statusCode, response.headers['retry-after']]);
          },
        )
          .once('error', reject)
          .end();
      });
    for (let time = 1; time <= 5; time += 1) assert.deepEqual(await guess('wrong'), [401, undefined]);
    const [status, retryAfter] = await guess(platform.authToken);
    assert.equal(status, 429);
    assert.ok(Number(retryAfter) >= 1 && Number(retryAfter) <= 60);
    assert.equal((await platform.api('GET', '')).status, 200);
    const metrics = await (await fetch(`${platform.httpUrl}/metrics`)).text();
    assert.match(metrics, /^jackfield_http_failed_authentications_total 5$/m);
  });

  it('an account has as many calls as it may: the next one is refused with 503 and Retry-After', async () => {
    const ringing = { keys: { callee: '+12025550103' } };
    for (let call = 1; call <= 2; call += 1) await start('call-cancel-late', ringing);
    const live = async () => (await platform.api('GET', 'Call/?status=live')).body.calls as readonly string[];
    while ((await live()).length < 2) await wait(50);
    const third = await start('call-hang-up', { keys: { callee: '+12025550100' }, timeoutSeconds: 10 });
    assert.match((await third.finished()).errors, /SIP\/2\.0 503[\s\S]*Retry-After: 10/);
    for (const call of await live()) await platform.api('DELETE', `Call/${call}/`);
  });
});

/** Nothing comes back in this time from a server that drops what it gets. */
const silentMs = 500;

/** A UDP socket at an address of loopback. */
async function openDatagrams(address: string, port: number) {
  const socket: Datagrams = createSocket('udp4');
  socket.bind(0, address);
  await once(socket, 'listening');
  return {
    /** Whether an OPTIONS gets any answer in this time. */
    async isAnswered(withinMs = patienceMs): Promise<boolean> {
      const patience = new AbortController();
      const answered = once(socket, 'message', { signal: patience.signal }).then(
        () => true,
        () => false,
      );
      socket.send(optionsOf(address, 'UDP'), port, '127.0.0.1');
      const timer = setTimeout(() => patience.abort(), withinMs);
      const outcome = await answered;
      clearTimeout(timer);
      return outcome;
    },
    /** Sends a request and returns the answer. */
    async ask(text: string): Promise<string> {
      const answered = once(socket, 'message', { signal: AbortSignal.timeout(10_000) });
      socket.send(text, port, '127.0.0.1');
      return String((await answered)[0]);
    },
    close: () => void socket.close(),
  };
}

let serial = 0;
const registrar = 'sip:sip.localhost';

function registerOf(address: string, user: string, more: readonly string[]): string {
  serial += 1;
  return [
    `REGISTER ${registrar} SIP/2.0`,
    `Via: SIP/2.0/UDP ${address};rport;branch=z9hG4bKdefence${serial}`,
    `From: <sip:${user}@sip.localhost>;tag=1`,
    `To: <sip:${user}@sip.localhost>`,
    'Call-ID: replay',
    `CSeq: ${serial} REGISTER`,
    `Contact: <sip:${user}@${address}>;expires=60`,
    'Max-Forwards: 70',
    'User-Agent: a phone with a listener',
    ...more,
    'Content-Length: 0\r\n\r\n',
  ].join('\r\n');
}

/** Computes the digest of RFC 7616 §3.4.1 without our code. */
function digestOf(user: string, nonce: string): string {
  const md5 = (text: string) => createHash('md5').update(text).digest('hex');
  const [ha1, ha2] = [md5(`${user}:sip.localhost:${password}`), md5(`REGISTER:${registrar}`)];
  const response = md5(`${ha1}:${nonce}:00000001:c:auth:${ha2}`);
  return `Digest username="${user}", realm="sip.localhost", nonce="${nonce}", uri="${registrar}", response="${response}", algorithm=MD5, qop=auth, nc=00000001, cnonce="c"`;
}

function optionsOf(address: string, transport: string): string {
  serial += 1;
  return [
    'OPTIONS sip:127.0.0.1 SIP/2.0',
    `Via: SIP/2.0/${transport} ${address};rport;branch=z9hG4bKdefence${serial}`,
    'From: <sip:probe@127.0.0.1>;tag=1',
    'To: <sip:127.0.0.1>',
    `Call-ID: ${serial}`,
    'CSeq: 1 OPTIONS',
    'Max-Forwards: 70',
    'User-Agent: a stranger who says a little more than it must',
    'Content-Length: 0\r\n\r\n',
  ].join('\r\n');
}
