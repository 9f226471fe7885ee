import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Binding } from './binding.ts';
import {
  DEFAULT_REGISTRATION_LIMITS,
  decideRegistration,
  type RegistrationDecision,
  type RegistrationRequest,
} from './decide-registration.ts';

const NOW = 1_000_000;
const request = (contacts: string[], change: Partial<RegistrationRequest> = {}): RegistrationRequest => ({
  contacts,
  expiresHeader: undefined,
  callId: 'call',
  cseq: 5,
  userAgent: 'Phone/1',
  flow: 'udp-1',
  ...change,
});
const binding = (contact: string, change: Partial<Binding> = {}): Binding => ({
  contact,
  flow: 'old-flow',
  q: 1,
  expiresAt: NOW + 100_000,
  callId: 'call',
  cseq: 4,
  userAgent: 'Phone/1',
  registeredAt: 7,
  ...change,
});
const decide = (
  contacts: string[],
  current: Binding[] = [],
  change: Partial<RegistrationRequest> = {},
  now = NOW,
) => decideRegistration(request(contacts, change), current, now);
function ok(decision: RegistrationDecision) {
  assert.ok(decision.status === 200, JSON.stringify(decision));
  return decision;
}

describe('decideRegistration (RFC 3261 §10.3)', () => {
  it('binds a new contact for the time its parameter, the header or the default names, at most the maximum', () => {
    const expiresOf = (contact: string, expiresHeader?: string) =>
      (ok(decide([contact], [], { expiresHeader })).bindings[0]!.expiresAt - NOW) / 1000;
    assert.equal(expiresOf('<sip:a@b>;expires=120', '300'), 120);
    assert.equal(expiresOf('<sip:a@b>', '300'), 300);
    assert.equal(expiresOf('<sip:a@b>'), 3600);
    assert.equal(expiresOf('<sip:a@b>;expires=99999'), 3600);
    assert.equal(expiresOf('<sip:a@b>;expires=4294967299999'), 3600);
    assert.equal(expiresOf('<sip:a@b>;expires=soon', '120'), 3600);
  });

  it('answers with every live binding, its seconds left and its q', () => {
    const others = [binding('sip:c@d', { q: 0.5 }), binding('sip:gone@d', { expiresAt: NOW })];
    const { contactHeaders, bindings } = ok(decide(['"A" <sip:a@b;ob>;expires=60;q=0.25'], others));
    assert.deepEqual(contactHeaders, ['<sip:a@b;ob>;expires=60;q=0.25', '<sip:c@d>;expires=100;q=0.5']);
    assert.deepEqual(
      bindings.map(({ contact }) => contact),
      ['sip:a@b;ob', 'sip:c@d'],
    );
    assert.deepEqual(bindings[0], {
      contact: 'sip:a@b;ob',
      flow: 'udp-1',
      q: 0.25,
      expiresAt: NOW + 60_000,
      callId: 'call',
      cseq: 5,
      userAgent: 'Phone/1',
      registeredAt: NOW,
    });
  });

  it('refreshes an equal URI (§19.1.4) in place and keeps when it was first bound', () => {
    const { bindings } = ok(
      decide(['<sip:%61lice@B;transport=UDP>'], [binding('sip:alice@b;transport=udp;x=1')]),
    );
    assert.equal(bindings.length, 1);
    assert.deepEqual([bindings[0]!.cseq, bindings[0]!.flow, bindings[0]!.registeredAt], [5, 'udp-1', 7]);
  });

  it('returns the same array when the request only asks (no Contact)', () => {
    const current = [binding('sip:a@b')];
    const decision = ok(decide([], current));
    assert.equal(decision.bindings, current);
    assert.deepEqual(decision.contactHeaders, ['<sip:a@b>;expires=100']);
  });

  it('removes a contact with expires=0, and removing an unknown one is no error', () => {
    const current = [binding('sip:a@b'), binding('sip:c@d')];
    assert.deepEqual(
      ok(decide(['<sip:a@b>;expires=0'], current)).bindings.map((b) => b.contact),
      ['sip:c@d'],
    );
    assert.deepEqual(ok(decide(['<sip:x@y>'], current, { expiresHeader: '0' })).bindings, current);
  });

  it('refuses an interval below the minimum with 423 and names it (step 7)', () => {
    const decision = decide(['<sip:a@b>;expires=59']);
    assert.deepEqual([decision.status, decision.status === 423 && decision.minExpires], [423, 60]);
    assert.equal(decide(['<sip:a@b>;expires=60']).status, 200);
  });

  it('refuses a CSeq that is not higher within one Call-ID, whole request and all (step 7)', () => {
    const current = [binding('sip:a@b', { cseq: 5 })];
    assert.equal(decide(['<sip:new@b>', '<sip:a@b>'], current).status, 500);
    assert.equal(decide(['<sip:a@b>;expires=0'], current).status, 500);
    assert.equal(decide(['<sip:a@b>'], current, { cseq: 6 }).status, 200);
    assert.equal(decide(['<sip:a@b>'], current, { callId: 'rebooted', cseq: 1 }).status, 200);
    assert.equal(decide(['<sip:a@b>'], [binding('sip:a@b', { cseq: 5, expiresAt: NOW })]).status, 200);
  });

  it('removes all with "*" and Expires: 0 alone (§10.2.2)', () => {
    const current = [binding('sip:a@b'), binding('sip:c@d', { callId: 'other', cseq: 99 })];
    assert.deepEqual(ok(decide(['*'], current, { expiresHeader: '0' })).bindings, []);
    assert.equal(decide(['*'], current).status, 400);
    assert.equal(decide(['*'], current, { expiresHeader: '10' }).status, 400);
    assert.equal(decide(['*', '<sip:a@b>'], current, { expiresHeader: '0' }).status, 400);
    assert.equal(decide(['*'], [binding('sip:a@b', { cseq: 5 })], { expiresHeader: '0' }).status, 500);
  });

  it('refuses contacts that are malformed, no SIP URI, too long or carry a bad q', () => {
    const bad = [
      'sip:a@b?Route=x',
      '<mailto:a@b>',
      '<sip:a@b',
      '<sip:@>',
      '<sip:a@b>;q=2',
      '<sip:a@b>;q=-1',
      '<sip:a@b>;q=x',
      `<sip:${'a'.repeat(1100)}@b>`,
    ];
    for (const contact of bad) assert.equal(decide([contact]).status, 400, contact);
  });

  it('keeps no more contacts than the limit', () => {
    const ten = Array.from({ length: 10 }, (_, index) => binding(`sip:a@h${index}`));
    assert.equal(decide(['<sip:new@b>'], ten).status, 403);
    assert.equal(decide(['<sip:new@b>', '<sip:a@h0>;expires=0'], ten).status, 200);
    assert.equal(decide(ten.map((b) => `<${b.contact}>`).concat('<sip:b@c>')).status, 403);
  });

  it('binds a contact that is named twice once, as it was named last', () => {
    const { bindings } = ok(
      decide(['<sip:a@b>;expires=100', '<sip:A@b>;expires=70', '<sip:a@B>;expires=80'], [binding('sip:a@b')]),
    );
    assert.deepEqual(
      bindings.map((b) => [b.contact, b.expiresAt - NOW]),
      [
        ['sip:A@b', 70_000],
        ['sip:a@B', 80_000],
      ],
    );
  });

  it('never keeps two equal, an expired or too many bindings, in any order of requests', () => {
    const contact = fc.tuple(
      fc.integer({ min: 0, max: 14 }),
      fc.constantFrom('', ';expires=0', ';expires=90', ';expires=5'),
    );
    const step = fc.record({
      contacts: fc.array(contact, { maxLength: 4 }),
      callId: fc.constantFrom('x', 'y'),
      cseq: fc.integer({ min: 1, max: 20 }),
      wait: fc.integer({ min: 0, max: 100_000 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let bindings: readonly Binding[] = [];
        let now = NOW;
        for (const { contacts, callId, cseq, wait } of steps) {
          now += wait;
          const values = contacts.map(([index, tail]) => `<sip:u@h${index}>${tail}`);
          const decision = decideRegistration(request(values, { callId, cseq }), bindings, now);
          if (decision.status !== 200) continue;
          bindings = decision.bindings;
          assert.equal(new Set(bindings.map((b) => b.contact)).size, bindings.length);
          assert.ok(bindings.length <= DEFAULT_REGISTRATION_LIMITS.maxContacts);
          if (values.length > 0) assert.ok(bindings.every((b) => b.expiresAt > now));
          assert.equal(decision.contactHeaders.length, bindings.filter((b) => b.expiresAt > now).length);
        }
      }),
      { numRuns: 200 },
    );
  });
});
