import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Binding, ClientTokens, Registrations, TokenClient, TokenRefusal } from '@jackfield/ports';
import { createHeaders, type Flow, type SipRequest } from '@jackfield/sip';
import { createVirtualClock } from '@jackfield/testkit';
import { createRegistrar } from '../registrar/registrar.ts';
import { type Admission, admitAll } from './admission.ts';
import { createTokenAdmission } from './token-admission.ts';

const realm = 'sip.example.com';
const user = 'alice261121104205_MA000000000000000000';

/** A registrar for clients with the tokens of the test. */
function world(changes: Partial<TokenClient> = {}, refusedWith?: TokenRefusal) {
  const clock = createVirtualClock();
  let client: TokenClient = {
    account: 'MA1',
    endpoint: '1',
    user: 'alice261121104205',
    expiresAt: clock.now() + 3_600_000,
    mayReceive: true,
    mayCall: true,
    application: undefined,
    ...changes,
  };
  const asked: string[] = [];
  const tokens: ClientTokens = {
    async admit(token, sipUser) {
      asked.push(`${token} ${sipUser}`);
      return refusedWith === undefined ? client : { refusedWith };
    },
  };
  let bound: readonly Binding[] = [];
  const updated: string[] = [];
  const registrations: Registrations = {
    credentialOf: () => Promise.reject(new Error('no password is asked for')),
    bindingsOf: async () => bound,
    knowsInstance: async () => false,
    async update(endpoint, decide) {
      updated.push(endpoint);
      const { bindings, result } = decide(bound);
      bound = bindings;
      return result;
    },
    dropFlow: () => Promise.resolve(),
  };
  const otherwise: Admission = admitAll('MA2');
  const admission = createTokenAdmission({ tokens, otherwise });
  const registrar = createRegistrar({ admission, registrations, clock, domains: [realm] });
  const flow: Flow = {
    ...{ id: 'ws-1-1', protocol: 'ws', reliable: true, remoteAddress: '192.0.2.1', remotePort: 5 },
    ...{ localAddress: '192.0.2.9', localPort: 80 },
  };
  let cseq = 0;
  const request = (method: string, fields: Record<string, string> = {}): SipRequest => {
    const headerFields: Record<string, string> = {
      From: `<sip:${user}@${realm}>;tag=1`,
      To: `<sip:${user}@${realm}>`,
      'Call-ID': 'one',
      CSeq: `${++cseq} ${method}`,
      Contact: '<sip:abc@example.invalid;transport=ws>;expires=120',
      'X-Plivo-Jwt': 'a.b.c',
      ...fields,
    };
    const headers = createHeaders(Object.entries(headerFields).filter(([, value]) => value !== ''));
    return { kind: 'request', method, uri: `sip:${realm}`, headers, body: '' };
  };
  return {
    clock,
    asked,
    updated,
    bound: () => bound,
    /** Changes the rights of the next token. */
    renew(other: Partial<TokenClient>) {
      client = { ...client, ...other };
    },
    register: async (fields?: Record<string, string>) => {
      const { status, headers } = await registrar.register(request('REGISTER', fields), flow);
      return { status, headers: Object.fromEntries(headers.filter(([name]) => name !== 'Date')) };
    },
    invite: (fields?: Record<string, string>) =>
      admission.admit(request('INVITE', fields), flow.remoteAddress, flow.id),
  };
}

const contact = '<sip:abc@example.invalid;transport=ws>';

describe('a REGISTER with a token', () => {
  it('binds its contact without a password, for as long as the token lasts', async () => {
    const w = world();
    const { status, headers } = await w.register();
    const exp = w.clock.now() / 1000 + 3600;
    assert.deepEqual(
      [status, headers],
      [200, { Contact: `${contact};expires=120`, 'X-Plivo-Jwt': `exp=${exp};` }],
    );
    assert.deepEqual(w.asked, [`a.b.c ${user}`]);
    assert.equal(w.bound()[0]?.flow, 'ws-1-1');
  });

  it('binds its contact no longer than the token lasts, even for less than a minute', async () => {
    for (const seconds of [90, 20]) {
      const w = world({ expiresAt: createVirtualClock().now() + seconds * 1000 });
      const { status, headers } = await w.register();
      assert.deepEqual([status, headers.Contact], [200, `${contact};expires=${seconds}`]);
    }
  });

  it('whose token does not allow to receive calls is accepted without a binding, and loses its earlier one', async () => {
    const w = world();
    await w.register();
    assert.equal(w.bound().length, 1);
    w.renew({ mayReceive: false });
    const { status, headers } = await w.register();
    assert.deepEqual([status, headers.Contact], [200, `${contact};expires=120`]);
    assert.deepEqual(w.bound(), []);
    const unusable = world({ mayReceive: false, endpoint: '' });
    assert.equal((await unusable.register()).status, 200);
    assert.deepEqual(unusable.updated, []);
  });

  it('whose token does not allow to call has a binding that says so, until another token refreshes it', async () => {
    const w = world({ mayCall: false });
    await w.register();
    assert.equal(w.bound()[0]?.mayCall, false);
    const [before] = w.bound();
    w.renew({ mayCall: true });
    await w.register({ Contact: '<sip:other@example.invalid>', 'Call-ID': 'two' });
    assert.equal(
      w.bound().find(({ contact }) => contact === before!.contact),
      before,
    );
    assert.deepEqual(
      w
        .bound()
        .map(({ mayCall }) => mayCall ?? true)
        .toSorted(),
      [false, true],
    );
    await w.register();
    assert.ok(w.bound().every(({ mayCall }) => mayCall === undefined));
  });

  it('for another address than its own is refused', async () => {
    const w = world();
    const { status, headers } = await w.register({ To: `<sip:bob@${realm}>` });
    assert.deepEqual([status, headers], [401, { 'X-Plivo-Jwt-Error-Code': '10004' }]);
    assert.deepEqual(w.bound(), []);
  });

  it('on more devices than an endpoint may have is refused with 10010', async () => {
    const w = world();
    for (let device = 0; device < 10; device++) {
      const fields = { Contact: `<sip:d${device}@example.invalid>;expires=120`, 'Call-ID': String(device) };
      assert.equal((await w.register(fields)).status, 200);
    }
    const { status, headers } = await w.register({ 'Call-ID': 'eleven' });
    assert.deepEqual([status, headers], [401, { 'X-Plivo-Jwt-Error-Code': '10010' }]);
  });

  for (const [why, code] of [
    ['token', '10001'],
    ['header', '10002'],
    ['issuer', '10003'],
    ['subject', '10004'],
    ['not-valid-yet', '10005'],
    ['expired', '10006'],
    ['signature', '10007'],
    ['grants', '10008'],
    ['valid-too-long', '10009'],
  ] as const) {
    it(`that is refused (${why}) is answered with the code ${code}, and nothing is bound`, async () => {
      const w = world({}, why);
      const refusal = { status: 401, headers: { 'X-Plivo-Jwt-Error-Code': code } };
      assert.deepEqual(await w.register(), refusal);
      const invite = await w.invite();
      assert.deepEqual(invite, { ok: false, status: 401, headers: [['X-Plivo-Jwt-Error-Code', code]] });
      assert.deepEqual(w.bound(), []);
    });
  }
});

describe('an INVITE with a token', () => {
  it('comes from its endpoint, for the application that the token names', async () => {
    const w = world({ application: '7' });
    const admitted = await w.invite();
    assert.ok(admitted.ok);
    const { account, endpoint, application } = admitted;
    assert.deepEqual([account, endpoint, admitted.user, application], ['MA1', '1', 'alice261121104205', '7']);
  });

  it('whose token does not allow to call is refused with 10008', async () => {
    const refused = await world({ mayCall: false }).invite();
    assert.deepEqual(refused, { ok: false, status: 401, headers: [['X-Plivo-Jwt-Error-Code', '10008']] });
  });

  it('without a token is decided by the next admission', async () => {
    const w = world();
    const admitted = await w.invite({ 'X-Plivo-Jwt': '' });
    assert.ok(admitted.ok && admitted.account === 'MA2');
    assert.deepEqual(w.asked, []);
  });
});
