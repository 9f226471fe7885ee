import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { MediaLegs, Registrations, Secrets, TrunkAccess, Trunks } from '@jackfield/ports';
import { authorize, decodeUtf8, parseMessage } from '@jackfield/sip';
import type { TransportListener, Transports } from '@jackfield/sip/transport';
import { createRecordingLog, createVirtualClock, seededRandom } from '@jackfield/testkit';
import fc from 'fast-check';
import { createDigestAdmission } from './admission/digest-admission.ts';
import { createSipNonces } from './admission/sip-nonces.ts';
import { createTrunkAdmission } from './admission/trunk-admission.ts';
import { createDefence } from './defence/defence.ts';
import { createSipEdge } from './sip-edge.ts';

const domain = 'sip.example.com';
const password = 'correct horse';
const stranger = '192.0.2.66';

/** Counts of each costly or externally visible operation. */
type Work = Record<string, number>;

/** A function that counts its calls under a name. */
type Counted = <Given extends readonly unknown[], Result>(
  name: string,
  run: (...given: Given) => Result,
) => (...given: Given) => Result;

const ha1For = (user: string, { digest }: Secrets) => ({
  md5: digest('md5', `${user}:${domain}:${password}`),
  sha256: digest('sha256', `${user}:${domain}:${password}`),
});

function registrationsOf(secrets: Secrets, counted: Counted): Registrations {
  const known = new Map(['alice', 'bob'].map((user) => [user, ha1For(user, secrets)]));
  return {
    credentialOf: counted('credentialOf', async (user: string) => {
      const ha1 = known.get(user);
      return ha1 && { account: 'MA1', endpoint: `of ${user}`, username: user, ha1 };
    }),
    bindingsOf: async () => [],
    knowsInstance: async () => false,
    update: async (_endpoint, decide) => decide([]).result,
    dropFlow: async () => {},
  };
}

function trunksOf(secrets: Secrets, counted: Counted): Pick<Trunks, 'accessOf' | 'refused'> {
  const access: TrunkAccess = {
    trunk: 'one',
    account: 'MA1',
    mainAccount: 'MA1',
    closedBecause: undefined,
    isSecure: false,
    isListed: false,
    credentials: [{ username: 'pbx', ha1: ha1For('pbx', secrets) }],
    hasLostCredential: false,
  };
  return {
    accessOf: counted('accessOf', async (id: string) => (id === 'one' ? access : undefined)),
    refused() {},
  };
}

function transportsTo(send: (text: string) => void): Transports {
  return {
    send: (_target, text) => send(text),
    flowById: () => undefined,
    addresses: [{ protocol: 'udp', address: '192.0.2.9', port: 5060 }],
    counters: {} as Transports['counters'],
    connections: 0,
    keep() {},
    cut() {},
    close: async () => {},
  };
}

function world() {
  const clock = createVirtualClock();
  const work: Work = {};
  const counted: Counted =
    (name, run) =>
    (...given) => {
      work[name] = (work[name] ?? 0) + 1;
      return run(...given);
    };
  const real = createSecrets(new Uint8Array(32).fill(1));
  const secrets: Secrets = {
    ...real,
    digest: counted('digest', real.digest),
    keyedHash: counted('keyedHash', real.keyedHash),
    equals: counted('equals', real.equals),
  };
  const registrations = registrationsOf(real, counted);
  const trunks = trunksOf(real, counted);
  const nonces = createSipNonces(secrets);
  const shared = { secrets, clock, nonces, algorithms: ['MD5'] as const };
  const digest = createDigestAdmission({ ...shared, registrations, realm: domain });
  const defence = createDefence({
    clock,
    nonces,
    limits: { requestBurst: 1e6, failuresBeforeBan: 1e6, failuresAnsweredAtOnce: 1e6 },
  });
  let listener: TransportListener | undefined;
  let sent: string[] = [];
  const transports = transportsTo((text) => sent.push(text));
  const edge = createSipEdge({
    openTransports: async (given) => {
      listener = given;
      return transports;
    },
    admission: createTrunkAdmission({
      ...shared,
      trunks: trunks as Trunks,
      domains: [domain],
      otherwise: digest,
    }),
    registrations,
    mediaLegs: {} as MediaLegs,
    clock,
    secrets,
    log: createRecordingLog(),
    domains: [domain],
    addressFor: () => '192.0.2.9',
    userAgentName: 'Jackfield',
    defence,
  });
  edge.telephony.listen(() => {});

  /** Delivers a datagram, waits for its effects and returns the answers. */
  async function ask(text: string): Promise<readonly string[]> {
    sent = [];
    listener!.onMessage(text, {
      id: `udp-${stranger}-5060`,
      protocol: 'udp',
      reliable: false,
      remoteAddress: stranger,
      remotePort: 5060,
      localAddress: '192.0.2.9',
      localPort: 5060,
    });
    await clock.advance(0);
    return sent;
  }

  async function challenge(method: string, user: string, uri: string) {
    const [answer = ''] = await ask(requestOf({ method, user, uri, more: 200, authorization: [] }));
    return parseMessage(answer).message!.headers.all('WWW-Authenticate');
  }
  return { clock, edge, work, secrets, ask, challenge, sentSince: () => sent };
}

let serial = 0;

interface RequestFields {
  readonly method: string;
  readonly user: string;
  readonly uri: string;
  readonly more: number;
  readonly authorization: readonly string[];
  readonly headers?: readonly string[];
}

function requestOf({ method, user, uri, more, authorization, headers = [] }: RequestFields): string {
  serial += 1;
  return [
    `${method} ${uri} SIP/2.0`,
    `Via: SIP/2.0/UDP ${stranger}:5060;rport;branch=z9hG4bK${serial}`,
    `From: <sip:${user}@${domain}>;tag=${serial}`,
    `To: <sip:${user}@${domain}>`,
    `Call-ID: ${serial}`,
    `CSeq: 1 ${method}`,
    `Contact: <sip:${user}@${stranger}>`,
    ...authorization.map((value) => `Authorization: ${value}`),
    ...headers,
    ...(more === 0 ? [] : [`User-Agent: ${'x'.repeat(more)}`]),
    'Content-Length: 0\r\n\r\n',
  ].join('\r\n');
}

const credentialsFor = (
  w: ReturnType<typeof world>,
  method: string,
  user: string,
  uri: string,
  asked: readonly string[],
) =>
  authorize(
    { method, uri },
    asked,
    { username: user, password: 'a guess' },
    {
      hash: (algorithm, text) => w.secrets.digest(algorithm === 'MD5' ? 'md5' : 'sha256', decodeUtf8(text)),
      cnonce: 'c',
      nc: 1,
    },
  );

test('An unknown sender gets no more bytes over UDP than it sent, for any request, and no timer adds any', async () => {
  const fields = fc.record({
    method: fc.constantFrom('OPTIONS', 'REGISTER', 'INVITE', 'MESSAGE', 'SUBSCRIBE', 'BYE', 'REFER', 'FOO'),
    user: fc.constantFrom('alice', 'mallory', 'a%00b', '+12025550100'),
    uri: fc.constantFrom(
      `sip:${domain}`,
      `sip:bob@${domain}`,
      'sip:bob@elsewhere.example',
      `sip:x@one.${domain}`,
      'sip:',
    ),
    more: fc.integer({ min: 0, max: 200 }),
    authorization: fc.constantFrom(
      [],
      ['Digest realm='],
      [`Digest username="alice", realm="${domain}"`],
      ['Basic YTpi'],
    ),
    headers: fc.constantFrom(
      [],
      ['Require: nonsense'],
      ['Session-Expires: 10'],
      ['Expires: x'],
      ['Content-Type: a/b'],
    ),
  });
  const w = world();
  await w.edge.telephony.open();
  let answers = 0;
  await fc.assert(
    fc.asyncProperty(fields, async (each) => {
      const text = requestOf(each);
      const sent = [...(await w.ask(text))];
      await w.clock.advance(40_000);
      sent.push(...w.sentSince().slice(sent.length));
      answers += sent.length;
      const bytes = sent.reduce((sum, { length }) => sum + length, 0);
      assert.ok(bytes <= text.length, `${bytes} bytes for ${text.length}:\n${sent.join('')}`);
    }),
    { numRuns: 400 },
  );
  assert.ok(answers > 200, `only ${answers} of 400 were answered at all`);
});

for (const [what, method, known, unknown] of [
  ['REGISTER', 'REGISTER', ['alice', `sip:${domain}`], ['mallory', `sip:${domain}`]],
  ['INVITE of an endpoint', 'INVITE', ['alice', `sip:bob@${domain}`], ['mallory', `sip:bob@${domain}`]],
  ['INVITE through a trunk', 'INVITE', ['pbx', `sip:1@one.${domain}`], ['mallory', `sip:1@one.${domain}`]],
  [
    'INVITE through a trunk that does not exist',
    'INVITE',
    ['pbx', `sip:1@one.${domain}`],
    ['pbx', `sip:1@two.${domain}`],
  ],
] as const) {
  test(`${what}: an unknown user and a wrong password get the same answer for the same work`, async () => {
    const w = world();
    await w.edge.telephony.open();
    const seen: { readonly answer: string; readonly work: Work }[] = [];
    const random = seededRandom(1);
    for (let time = 0; time < 40; time += 1) {
      const [user, uri] = random() < 0.5 ? known : unknown;
      const asked = await w.challenge(method, user, uri);
      const authorization = credentialsFor(w, method, user, uri, asked);
      for (const name of Object.keys(w.work)) delete w.work[name];
      const [answer = ''] = await w.ask(requestOf({ method, user, uri, more: 200, authorization }));
      // Values that the request itself stated, and values that are random in every answer.
      const plain = answer
        .replaceAll(user, 'USER')
        .replace(/nonce="[^"]+"/, 'NONCE')
        .replace(/tag=\w+/g, 'TAG')
        .replace(/branch=\w+/, 'BRANCH')
        .replace(/Call-ID: .*/, 'CALL-ID');
      seen.push({ answer: plain, work: { ...w.work } });
    }
    for (const each of seen) assert.deepEqual(each, seen[0]);
    assert.match(seen[0]!.answer, /^SIP\/2\.0 401 /);
    // With the hash of the password; that of method and URI is known before where a phone registers with the realm.
    assert.ok(seen[0]!.work.digest! >= (method === 'REGISTER' ? 1 : 2));
  });
}
