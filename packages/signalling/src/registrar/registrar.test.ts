import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { Binding, Registrations } from '@jackfield/ports';
import { authorize, createHeaders, decodeUtf8, type Flow, type SipRequest } from '@jackfield/sip';
import { createVirtualClock } from '@jackfield/testkit';
import { createDigestAdmission } from '../admission/digest-admission.ts';
import { createGruus } from './gruus.ts';
import { createRegistrar, type RegisterAnswer, type RegistrarLimits } from './registrar.ts';

const realm = 'sip.example.com';
const password = 'correct horse';
const home = '192.0.2.1';

function world(limits?: RegistrarLimits) {
  const clock = createVirtualClock();
  const secrets = createSecrets(new Uint8Array(32).fill(1));
  const hash = (algorithm: 'MD5' | 'SHA-256', text: string) =>
    secrets.digest(algorithm === 'MD5' ? 'md5' : 'sha256', decodeUtf8(text));
  const bound = new Map<string, readonly Binding[]>();
  const options: boolean[] = [];
  const registrations: Registrations = {
    credentialOf: async (user) =>
      ['alice', 'bob'].includes(user)
        ? {
            account: 'MA1',
            endpoint: `endpoint of ${user}`,
            username: user,
            ha1: {
              md5: hash('MD5', `${user}:${realm}:${password}`),
              sha256: hash('SHA-256', `${user}:${realm}:${password}`),
            },
          }
        : undefined,
    bindingsOf: async (endpoint) => bound.get(endpoint) ?? [],
    knowsInstance: async () => false,
    async update(endpoint, decide, { mostlySame = false } = {}) {
      const { bindings, result } = decide(bound.get(endpoint) ?? []);
      options.push(mostlySame);
      bound.set(endpoint, bindings);
      return result;
    },
    dropFlow: () => Promise.resolve(),
  };
  const admission = createDigestAdmission({
    registrations,
    secrets,
    clock,
    realm,
    algorithms: ['SHA-256', 'MD5'],
  });
  const gruus = createGruus(secrets, [realm], registrations);
  const returns: (readonly string[])[] = [];
  const registrar = createRegistrar({
    admission,
    registrations,
    clock,
    gruus,
    ...(limits && { limits }),
    domains: [realm],
    returned: (phone, flow, replaced) => void returns.push([...phone, flow, ...replaced]),
  });
  let cseq = 0;

  function request(fields: Partial<RequestFields>, authorization: readonly string[] = []): SipRequest {
    const { user = 'alice', to = user, uri = `sip:${realm}`, expires = '300', method = 'REGISTER' } = fields;
    return {
      kind: 'request',
      method,
      uri,
      headers: createHeaders([
        ['From', `<sip:${user}@${realm}>;tag=1`],
        ['To', `<sip:${to}@${realm}>`],
        ['Call-ID', fields.callId ?? 'one'],
        ['CSeq', `${++cseq} ${method}`],
        ['Contact', fields.contact ?? `<sip:${user}@${home}:5062>`],
        ['Expires', expires],
        ...authorization.map((value): [string, string] => ['Authorization', value]),
        ...(fields.more ?? []),
      ]),
      body: '',
    };
  }
  const register = (
    fields: Partial<RequestFields> = {},
    authorization: readonly string[] = [],
    address = home,
  ) => registrar.register(request(fields, authorization), from(address));

  /** Gets a challenge and answers it as `as` with `secret`. */
  async function credentials(
    fields: Partial<RequestFields> = {},
    as = 'alice',
    secret = password,
    nc = 1,
    at = home,
  ) {
    const challenge = await register(fields, [], at);
    assert.equal(challenge.status, 401);
    return authorize(
      { method: 'REGISTER', uri: fields.uri ?? `sip:${realm}` },
      challenge.headers.map(([, value]) => value),
      { username: as, password: secret },
      { hash, cnonce: 'c', nc },
    );
  }
  return { clock, bound, registrations, gruus, returns, options, request, register, credentials };
}

const from = (address: string): Flow => ({
  id: `udp-${address}-5062`,
  protocol: 'udp',
  reliable: false,
  remoteAddress: address,
  remotePort: 5062,
  localAddress: '192.0.2.9',
  localPort: 5060,
});

interface RequestFields {
  readonly user: string;
  readonly to: string;
  readonly uri: string;
  readonly expires: string;
  readonly method: string;
  readonly more: readonly [string, string][];
  readonly contact: string;
  readonly callId: string;
}

const headerOf = (answer: RegisterAnswer, name: string) =>
  answer.headers.filter(([each]) => each === name).map(([, value]) => value);
/** A challenge without the values that differ each time. */
const shape = (answer: RegisterAnswer) =>
  answer.headers.map(([name, value]) => `${name}: ${value.replace(/nonce="[^"]+"/, 'nonce')}`);

describe('a REGISTER', () => {
  it('with the right password binds its contact to its flow', async () => {
    const { register, credentials, bound, clock } = world();
    const answer = await register({}, await credentials());
    assert.equal(answer.status, 200);
    assert.deepEqual(headerOf(answer, 'Contact'), [`<sip:alice@${home}:5062>;expires=300`]);
    const [binding] = bound.get('endpoint of alice')!;
    assert.equal(binding?.flow, `udp-${home}-5062`);
    assert.equal(binding?.expiresAt, clock.now() + 300_000);
  });

  it('is granted at most the maximum, and with slack stored for longer, so that most refreshes change nothing', async () => {
    const { register, credentials, bound, clock, options } = world({ maxExpires: 120, slack: 3 });
    const grants = async () => headerOf(await register({}, await credentials()), 'Contact');
    assert.deepEqual(await grants(), [`<sip:alice@${home}:5062>;expires=120`]);
    const stored = bound.get('endpoint of alice');
    assert.equal(stored?.[0]?.expiresAt, clock.now() + 360_000);
    await clock.advance(100_000);
    assert.deepEqual(await grants(), [`<sip:alice@${home}:5062>;expires=120`]);
    assert.equal(bound.get('endpoint of alice'), stored);
    assert.deepEqual(options, [true, true]);
  });

  it('of a client with a token is stored no longer than the token is valid, whatever the slack', async () => {
    const { clock, bound, registrations, request } = world();
    const token = { expiresAt: clock.wallNow() + 90_000, mayCall: true, mayReceive: true };
    const registrar = createRegistrar({
      admission: { admit: async () => ({ ok: true, account: 'MA1', endpoint: 'client', user: '', token }) },
      registrations,
      clock,
      limits: { maxExpires: 300, slack: 3 },
      domains: [realm],
    });
    const { headers } = await registrar.register(request({}), from(home));
    assert.equal(bound.get('client')?.[0]?.expiresAt, clock.now() + 90_000);
    assert.ok(headers.some(([, value]) => value.endsWith('expires=90')));
  });

  it('is answered with the Date of the current second, not of an earlier answer', async () => {
    const { register, credentials, clock } = world();
    const dates: (readonly string[])[] = [];
    const seconds: string[] = [];
    for (const waitMs of [0, 400, 1000, 60_000]) {
      await clock.advance(waitMs);
      dates.push(headerOf(await register({}, await credentials()), 'Date'));
      seconds.push(new Date(clock.wallNow()).toUTCString());
    }
    assert.deepEqual(
      dates,
      seconds.map((second) => [second]),
    );
    assert.equal(new Set(seconds).size, 3);
  });

  it('with a wrong password gets the answer to an unknown user', async () => {
    const { register, credentials, bound } = world();
    const wrong = await register({}, await credentials({}, 'alice', 'wrong'));
    const unknown = await register({ user: 'nobody' }, await credentials({ user: 'nobody' }, 'nobody'));
    assert.equal(wrong.status, 401);
    assert.deepEqual(shape(wrong), shape(unknown));
    assert.ok(shape(wrong).every((line) => !/stale=true/i.test(line)));
    assert.equal(bound.size, 0);
  });

  const contact = `<sip:alice@${home}:5062;ob>;+sip.instance="<urn:uuid:f81d>";reg-id=1`;

  it('through proxies stores their Path and repeats it in the response (RFC 3327 §5.3)', async () => {
    const { register, credentials, bound } = world();
    const path = ['<sip:p1.example.com;lr>', '<sip:p2.example.com;lr>'];
    const more: [string, string][] = path.map((value) => ['Path', value]);
    const answer = await register({ more }, await credentials());
    assert.deepEqual(headerOf(answer, 'Path'), path);
    const [binding] = bound.get('endpoint of alice')!;
    assert.deepEqual([binding?.path, binding?.flow], [path, '']);
    const near: [string, string][] = [['Path', `<sip:${home}:5062;lr>`]];
    await register({ more: near }, await credentials());
    assert.equal(bound.get('endpoint of alice')![0]?.flow, `udp-${home}-5062`);
  });

  it('of a phone that listens at another port than it sends from stores no flow, and its calls go to the contact', async () => {
    const { register, credentials, bound, returns } = world();
    const flowOf = async (via: string, ...more: [string, string][]) => {
      const fields = { more: [['Via', `SIP/2.0/UDP ${via};branch=z9hG4bK1`] as [string, string], ...more] };
      await register(fields, await credentials());
      return bound.get('endpoint of alice')![0]?.flow;
    };
    assert.equal(await flowOf(`${home}:5060`), '');
    assert.deepEqual(returns, [], 'no dialog follows it');
    assert.equal(await flowOf(`${home}:5060;rport=5062`), `udp-${home}-5062`);
    assert.equal(await flowOf(`${home}:5062`), `udp-${home}-5062`);
    assert.equal(await flowOf('10.1.1.1:5060'), `udp-${home}-5062`);
    assert.equal(await flowOf(`${home}:5060`, ['Supported', 'outbound']), `udp-${home}-5062`);
  });

  it('of a flow is answered with Require: outbound and the time between its keep-alives (RFC 5626 §6)', async () => {
    const { register, credentials, bound } = world();
    const more: [string, string][] = [['Supported', 'path, outbound']];
    const answer = await register({ contact, more }, await credentials());
    assert.deepEqual(headerOf(answer, 'Require'), ['outbound']);
    assert.deepEqual(headerOf(answer, 'Flow-Timer'), ['25']);
    const [binding] = bound.get('endpoint of alice')!;
    assert.deepEqual([binding?.instance, binding?.regId], ['<urn:uuid:f81d>', 1]);
  });

  it('of a flow through a proxy that cannot find it again gets a 439 (RFC 5626 §6)', async () => {
    const { register, credentials } = world();
    const vias: [string, string][] = ['a', 'b'].map((host) => ['Via', `SIP/2.0/UDP ${host};branch=z9hG4bK1`]);
    const asked = (path: string): [string, string][] => [...vias, ['Supported', 'outbound'], ['Path', path]];
    const lacking = await register({ contact, more: asked('<sip:p1;lr>') }, await credentials());
    assert.equal(lacking.status, 439);
    const fit = await register({ contact, more: asked('<sip:token@p1;lr;ob>') }, await credentials());
    assert.equal(fit.status, 200);
  });

  it('of a phone that supports GRUUs gets two, which name only that phone (RFC 5627 §5.2)', async () => {
    const { register, credentials, gruus } = world();
    const more: [string, string][] = [['Supported', 'gruu']];
    const answer = await register({ contact, more }, await credentials());
    const [, open, hidden] =
      /;pub-gruu="([^"]+)";temp-gruu="([^"]+)"$/.exec(headerOf(answer, 'Contact')[0] ?? '') ?? [];
    assert.equal(open, `sip:alice@${realm};gr=urn:uuid:f81d`);
    assert.doesNotMatch(hidden ?? '', /alice|f81d/);
    assert.equal(await gruus.resolve(open ?? ''), open);
    assert.equal(await gruus.resolve(hidden ?? ''), open);
    assert.equal(gruus.isGruu(`sip:alice@${realm}`), false);
    assert.equal(gruus.isGruu('sip:alice@elsewhere.example;gr=x'), false);
    for (const foreign of [
      `sip:tgruu.AAAA@${realm};gr`,
      `sip:alice@${realm};gr`,
      // Neither NUL nor a long text gets into a record.
      `sip:ali%00ce@${realm};gr=x`,
      `sip:alice@${realm};gr=x%00`,
      `sip:alice@${realm};gr=${'x'.repeat(5_000)}`,
      `sip:${'alice'.repeat(100)}@${realm};gr=x`,
    ]) {
      assert.equal(gruus.isGruu(foreign), true, foreign);
      assert.equal(await gruus.resolve(foreign), undefined, foreign);
    }
    const plain = await register({ contact }, await credentials());
    assert.doesNotMatch(headerOf(plain, 'Contact')[0] ?? '', /gruu/);
  });

  it('with another Call-ID invalidates the temporary GRUUs of its phone; refreshes and other flows keep theirs (RFC 5627 §5.1)', async () => {
    const { register, credentials, gruus, clock } = world();
    const plain = contact.replace(';reg-id=1', '');
    /** The temporary GRUU in the answer to this REGISTER, from its own contact. */
    const given = async (fields: Partial<RequestFields>, supported = 'gruu') => {
      await clock.advance(1000);
      const more: [string, string][] = [['Supported', supported]];
      const answer = await register({ ...fields, more }, await credentials());
      const own = /^<[^>]*>/.exec(fields.contact ?? '')?.[0] ?? '';
      const flow = /;reg-id=\d/.exec(fields.contact ?? '')?.[0] ?? '';
      const named = headerOf(answer, 'Contact').find((each) => each.startsWith(own) && each.includes(flow));
      return /;temp-gruu="([^"]+)"/.exec(named ?? '')?.[1] ?? '';
    };
    const good = (...uris: readonly string[]) =>
      Promise.all(uris.map(async (uri) => (await gruus.resolve(uri)) !== undefined));
    const [first, second] = [await given({ contact: plain }), await given({ contact: plain })];
    assert.notEqual(first, second);
    assert.deepEqual(await good(first, second), [true, true]);
    // The phone has restarted at another port; its old contact has not expired yet.
    const third = await given({ contact: plain.replace('5062', '5099'), callId: 'two' });
    assert.deepEqual(await good(first, second, third), [false, false, true]);
    // At another address with the same Call-ID it is still the same registration.
    await given({ contact: plain.replace('5062', '5100'), callId: 'two' });
    assert.deepEqual(await good(third), [true]);

    const flow = (id: number) => contact.replace('reg-id=1', `reg-id=${id}`);
    const outbound = 'gruu, outbound';
    const [one, other] = [
      await given({ contact: flow(1), callId: 'three' }, outbound),
      await given({ contact: flow(2), callId: 'four' }, outbound),
    ];
    assert.deepEqual(await good(one, other), [true, true]);
    const renewed = await given({ contact: flow(1), callId: 'five' }, outbound);
    assert.deepEqual(await good(one, other, renewed), [false, true, true]);
    // RFC 5627 §5.3: a removed or expired contact loses its temporary GRUUs.
    await given({ contact: flow(2), callId: 'four', expires: '0' }, outbound);
    assert.deepEqual(await good(other, renewed), [false, true]);
  });

  it('reports the phone by its owner, instance and Contact, with its flow and the flow that it replaces; a removal reports none', async () => {
    const { register, credentials, returns } = world();
    const contact = `<sip:x1@a.invalid;transport=ws>;reg-id=1;+sip.instance="<urn:uuid:1>"`;
    const fields: Partial<RequestFields> = { contact, more: [['Supported', 'outbound']] };
    const signed = (at: string) => credentials(fields, 'alice', password, 1, at);
    const names = ['endpoint of alice <urn:uuid:1>', 'endpoint of alice x1@a.invalid:'];
    const [here, there] = [home, '192.0.2.77'];
    await register(fields, await signed(here), here);
    await register(fields, await signed(there), there);
    const [first, second] = returns;
    assert.deepEqual(first, [...names, `udp-${here}-5062`]);
    assert.deepEqual(second, [...names, `udp-${there}-5062`, `udp-${here}-5062`]);
    await register({ ...fields, expires: '0' }, await credentials(fields), here);
    assert.equal(returns.length, 2);
  });

  it('that is replayed is challenged as stale and changes nothing', async () => {
    const { register, credentials, bound } = world();
    const authorization = await credentials();
    assert.equal((await register({}, authorization)).status, 200);
    const before = bound.get('endpoint of alice');
    const again = await register({ expires: '0' }, authorization);
    assert.equal(again.status, 401);
    assert.ok(shape(again).every((line) => /stale=true/i.test(line)));
    assert.equal(bound.get('endpoint of alice'), before);
  });

  it('with the nonce of another address, or an old one, is challenged as stale', async () => {
    const { register, credentials, clock } = world();
    const stolen = await register({}, await credentials(), '198.51.100.7');
    const authorization = await credentials();
    await clock.advance(61_000);
    const old = await register({}, authorization);
    for (const answer of [stolen, old]) {
      assert.equal(answer.status, 401);
      assert.ok(shape(answer).every((line) => /stale=true/i.test(line)));
    }
  });

  it('for another address of record than its own is forbidden (RFC 3261 §10.3, step 4)', async () => {
    const { register, credentials, bound } = world();
    assert.equal((await register({ user: 'bob' }, await credentials({ user: 'bob' }, 'alice'))).status, 403);
    assert.equal((await register({ to: 'bob' }, await credentials({ to: 'bob' }, 'alice'))).status, 403);
    assert.equal(bound.size, 0);
  });

  it('with credentials for another resource, or with malformed ones, is refused with 400', async () => {
    const { register, credentials } = world();
    const elsewhere = await credentials({ uri: 'sip:127.0.0.1' });
    assert.equal((await register({}, elsewhere)).status, 400);
    assert.equal((await register({}, ['Digest realm='])).status, 400);
  });

  it('to a host that is not ours is refused with 404, and to a text that is no SIP address with 400', async () => {
    const { register } = world();
    assert.equal((await register({ uri: 'sip:elsewhere.example' })).status, 404);
    assert.equal((await register({ uri: 'tel:+12025550100' })).status, 400);
  });

  it('for less than a minute is refused with the shortest allowed expiry (RFC 3261 §10.3, step 7)', async () => {
    const { register, credentials, bound } = world();
    const answer = await register({ expires: '10' }, await credentials());
    assert.deepEqual([answer.status, headerOf(answer, 'Min-Expires')], [423, ['60']]);
    assert.deepEqual(bound.get('endpoint of alice'), []);
  });
});
