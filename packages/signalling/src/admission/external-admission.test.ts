import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { Binding, EndpointCredential } from '@jackfield/ports';
import { createHeaders, type SipRequest } from '@jackfield/sip';
import { createVirtualClock } from '@jackfield/testkit';
import { createGruus } from '../registrar/gruus.ts';
import type { Admission } from './admission.ts';
import { createExternalAdmission, type ExternalCallLimits } from './external-admission.ts';

const domain = 'sip.example.com';
const domains = [domain, `app.${domain}`] as const;
const source = '203.0.113.7';
const challenged = { ok: false, status: 401, headers: [] } as const;
const challenge: Admission = { admit: async () => challenged };

const instance = '<urn:uuid:00000000-0000-4000-8000-000000000001>';
const binding: Binding = {
  contact: 'sip:bob@192.0.2.2',
  flow: 'udp-192.0.2.2-5060',
  q: 1,
  expiresAt: 1e12,
  callId: 'c',
  cseq: 1,
  userAgent: '',
  registeredAt: 0,
  instance,
};

/** Bob has a registered phone, Carol has none. 17 digits that begin with 1 name a public application; with 3, one of a disabled account. */
function world(limits: Partial<ExternalCallLimits> = {}, trusted: readonly string[] = []) {
  const clock = createVirtualClock();
  const secrets = createSecrets(new Uint8Array(32).fill(1));
  const lookedUp: string[] = [];
  const registrations = {
    async credentialOf(user: string): Promise<EndpointCredential | undefined> {
      lookedUp.push('credential');
      if (!['bob', 'carol'].includes(user)) return undefined;
      return { account: 'MA1', endpoint: user, username: user, ha1: { md5: '', sha256: '' } };
    },
    async bindingsOf(endpoint: string) {
      lookedUp.push('bindings');
      return endpoint === 'bob' ? [binding] : [];
    },
  };
  const admission = createExternalAdmission({
    registrations,
    isActive: async (account) => account !== 'DISABLED',
    publicApplication: async (id) =>
      /^1[0-9]{16}$/.test(id) ? 'MA2' : /^3[0-9]{16}$/.test(id) ? 'DISABLED' : undefined,
    secrets,
    clock,
    domains,
    trusted,
    limits,
    otherwise: challenge,
  });
  const invite = (to: string, from = '<sip:ext@elsewhere.example:5070;x=y>', more: [string, string][] = []) =>
    admission.admit(requestOf(to, from, more), source, 'udp-1');
  return { admission, clock, invite, lookedUp, gruus: createGruus(secrets, domains, registrations) };
}

function requestOf(to: string, from: string, more: [string, string][] = [], method = 'INVITE'): SipRequest {
  const headers = createHeaders([['From', `${from};tag=1`], ...more]);
  return { kind: 'request', method, uri: to, headers, body: '' };
}

const admitted = {
  ok: true,
  account: 'MA1',
  endpoint: '',
  user: '',
  external: 'sip:ext@elsewhere.example:5070',
};

describe('A call without credentials', () => {
  it('is admitted to the sip_uri of an endpoint with a registered phone, by its own URI', async () => {
    const w = world();
    assert.deepEqual(await w.invite(`sip:bob@${domain}`), admitted);
    assert.deepEqual(await w.invite('sip:bob@192.0.2.9:5060'), admitted);
    assert.deepEqual(await w.invite(`sip:bob@${domain}`, '<sip:[2001:db8::1]>'), {
      ...admitted,
      external: 'sip:anonymous@[2001:db8::1]',
    });
  });

  it('is admitted to a public application, of its account', async () => {
    const answer = await world().invite(`sip:12345678901234567@app.${domain}`);
    assert.deepEqual(answer, { ...admitted, account: 'MA2' });
  });

  it('is admitted to a GRUU of a registered phone, public or temporary, and to no other instance', async () => {
    const w = world();
    const [, open, temporary] =
      /pub-gruu="([^"]+)";temp-gruu="([^"]+)"/.exec(w.gruus.parametersOf('bob', instance, 'c')) ?? [];
    assert.deepEqual(await w.invite(open ?? ''), admitted);
    assert.deepEqual(await w.invite(temporary ?? ''), admitted);
    assert.equal(await w.invite(`${open}2`), challenged);
  });

  it('to a user without a phone, an unknown user, a number or a private application is challenged', async () => {
    const w = world();
    for (const callee of [
      'carol',
      'nobody',
      '+12025550100',
      '22345678901234567',
      '32345678901234567',
      'a%00b',
    ]) {
      assert.equal(await w.invite(`sip:${callee}@${domain}`), challenged, callee);
    }
    for (const uri of ['sip:bob@elsewhere.example', 'tel:+12025550100', `sip:${domain}`, 'nonsense']) {
      assert.equal(await w.invite(uri), challenged, uri);
    }
  });

  it('costs the same lookups for an endpoint without a phone and for an unknown user', async () => {
    const [known, unknown] = [world(), world()];
    await known.invite(`sip:carol@${domain}`);
    await unknown.invite(`sip:nobody@${domain}`);
    assert.deepEqual(known.lookedUp, unknown.lookedUp);
    assert.ok(known.lookedUp.length > 0);
  });

  it('is challenged when its From names a domain or a user of the server: a known user needs its password', async () => {
    const w = world();
    for (const from of [
      `ext@${domain}`,
      `ext@one.zt.${domain}`,
      'carol@203.0.113.7',
      'bob@elsewhere.example',
    ]) {
      assert.equal(await w.invite(`sip:bob@${domain}`, `<sip:${from}>`), challenged, from);
    }
    assert.equal(await w.invite(`sip:bob@${domain}`, '<tel:+12025550100>'), challenged);
  });

  it('is challenged when it carries credentials, replaces another call, or is not an INVITE', async () => {
    const w = world();
    for (const name of ['Authorization', 'Proxy-Authorization', 'Replaces', 'Join']) {
      assert.equal(await w.invite(`sip:bob@${domain}`, '<sip:e@x.example>', [[name, 'x']]), challenged, name);
    }
    const register = requestOf(`sip:bob@${domain}`, '<sip:e@x.example>', [], 'REGISTER');
    assert.equal(await w.admission.admit(register, source, 'udp-1'), challenged);
  });

  it('is challenged beyond the rate of its source, which others and trusted sources do not share', async () => {
    const w = world({ callsPerMinute: 2 }, ['198.51.100.0/24']);
    const call = async (from: string) => {
      const request = requestOf(`sip:bob@${domain}`, '<sip:e@x.example>');
      return (await w.admission.admit(request, from, 'udp-1')).ok;
    };
    assert.deepEqual([await call(source), await call(source), await call(source)], [true, true, false]);
    assert.equal(await call('203.0.113.8'), true);
    for (let time = 0; time < 5; time += 1) assert.equal(await call('198.51.100.1'), true);
    await w.clock.advance(30_000);
    assert.deepEqual([await call(source), await call(source)], [true, false]);
  });
});
