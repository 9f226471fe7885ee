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
  it('binds a new contact for the time of its parameter, the header or the default, at most the maximum', () => {
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
      refreshedAt: NOW,
    });
  });

  it('refreshes an equal URI (§19.1.4) in place and keeps the time of its first binding', () => {
    const { bindings } = ok(
      decide(['<sip:%61lice@B;transport=UDP>'], [binding('sip:alice@b;transport=udp;x=1')]),
    );
    assert.equal(bindings.length, 1);
    assert.deepEqual([bindings[0]!.cseq, bindings[0]!.flow, bindings[0]!.registeredAt], [5, 'udp-1', 7]);
  });

  it('returns the same array for a request without Contact', () => {
    const current = [binding('sip:a@b')];
    const decision = ok(decide([], current));
    assert.equal(decision.bindings, current);
    assert.deepEqual(decision.contactHeaders, ['<sip:a@b>;expires=100']);
  });

  it('removes a contact with expires=0, and accepts that of an unknown one', () => {
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

  it('refuses the whole request when its CSeq is not higher within one Call-ID (step 7)', () => {
    const current = [binding('sip:a@b', { cseq: 5 })];
    assert.equal(decide(['<sip:new@b>', '<sip:a@b>'], current).status, 500);
    assert.equal(decide(['<sip:a@b>;expires=0'], current).status, 500);
    assert.equal(decide(['<sip:a@b>'], current, { cseq: 6 }).status, 200);
    assert.equal(decide(['<sip:a@b>'], current, { callId: 'rebooted', cseq: 1 }).status, 200);
    assert.equal(decide(['<sip:a@b>'], [binding('sip:a@b', { cseq: 5, expiresAt: NOW })]).status, 200);
  });

  it('removes all with a lone "*" and Expires: 0 (§10.2.2)', () => {
    const current = [binding('sip:a@b'), binding('sip:c@d', { callId: 'other', cseq: 99 })];
    assert.deepEqual(ok(decide(['*'], current, { expiresHeader: '0' })).bindings, []);
    assert.equal(decide(['*'], current).status, 400);
    assert.equal(decide(['*'], current, { expiresHeader: '10' }).status, 400);
    assert.equal(decide(['*', '<sip:a@b>'], current, { expiresHeader: '0' }).status, 400);
    assert.equal(decide(['*'], [binding('sip:a@b', { cseq: 5 })], { expiresHeader: '0' }).status, 500);
  });

  it('refuses contacts that are malformed, not a SIP URI, too long or with an invalid q', () => {
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

  it('binds a repeated contact once, as last given', () => {
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

  const phone = '+sip.instance="<urn:uuid:1>"';
  const outbound = { isOutbound: true };

  it('keeps several flows of one phone, identified by reg-id and not by contact (RFC 5626 §6)', () => {
    const first = ok(decide([`<sip:a@b;ob>;${phone};reg-id=1`], [], outbound));
    const second = ok(
      decide([`<sip:a@b;ob>;${phone};reg-id=2`], [...first.bindings], {
        ...outbound,
        flow: 'tcp-2',
        callId: 'second',
      }),
    );
    assert.deepEqual(
      second.bindings.map(({ contact, instance, regId, flow }) => [contact, instance, regId, flow]),
      [
        ['sip:a@b;ob', '<urn:uuid:1>', 2, 'tcp-2'],
        ['sip:a@b;ob', '<urn:uuid:1>', 1, 'udp-1'],
      ],
    );
    assert.equal(second.bindsFlow, true);
    assert.equal(second.contactHeaders[0], '<sip:a@b;ob>;expires=3600;+sip.instance="<urn:uuid:1>";reg-id=2');
    const moved = ok(
      decide([`<sip:a@c;ob>;${phone};reg-id=1`], [...second.bindings], { ...outbound, cseq: 6 }),
    );
    assert.deepEqual(
      moved.bindings.map(({ contact, regId }) => [contact, regId]),
      [
        ['sip:a@b;ob', 2],
        ['sip:a@c;ob', 1],
      ],
    );
    const gone = ok(
      decide([`<sip:a@c;ob>;${phone};reg-id=2;expires=0`], [...moved.bindings], { ...outbound, cseq: 7 }),
    );
    assert.deepEqual(
      gone.bindings.map(({ regId }) => regId),
      [1],
    );
    assert.equal(gone.bindsFlow, false);
  });

  it('ignores reg-id without an instance, and from a phone without outbound support', () => {
    for (const [contact, change] of [
      ['<sip:a@b>;reg-id=1', outbound],
      [`<sip:a@b>;${phone};reg-id=1`, {}],
      [`<sip:a@b>;${phone};reg-id=0`, outbound],
    ] as const) {
      const { bindings, bindsFlow } = ok(decide([contact], [], change));
      assert.deepEqual([bindings[0]!.regId, bindsFlow], [undefined, false], contact);
    }
  });

  it('binds a contact once that its phone registers without a flow, with one, and without one again (RFC 3261 §10.3)', () => {
    const flow = `<sip:a@b;ob>;${phone};reg-id=1`;
    for (const plain of ['<sip:a@b;ob>', `<sip:%61@B;ob>;${phone}`]) {
      const before = ok(decide([plain], [])).bindings;
      const after = ok(decide([flow], [...before], { ...outbound, cseq: 6 })).bindings;
      assert.deepEqual(
        after.map(({ contact, regId }) => [contact, regId]),
        [['sip:a@b;ob', 1]],
      );
      const again = ok(decide([plain], [...after], { cseq: 7 })).bindings;
      assert.deepEqual(
        again.map(({ regId }) => regId),
        [undefined],
      );
    }
    // Another phone with the same private address, and another contact of the same phone, stay.
    const others = [
      binding('sip:a@b;ob', { instance: '<urn:uuid:2>', callId: 'other' }),
      binding('sip:a@c', { instance: '<urn:uuid:1>' }),
    ];
    assert.equal(ok(decide([flow], others, { ...outbound, cseq: 6 })).bindings.length, 3);
  });

  it('refuses a flow beside other contacts (RFC 5626 §6), an instance that is not a URN, and an invalid or endless Path', () => {
    assert.equal(decide([`<sip:a@b>;${phone};reg-id=1`, '<sip:c@d>'], [], outbound).status, 400);
    for (const instance of ['x', '<urn:x\x00y>', '<urn:x\xe9>']) {
      assert.equal(decide([`<sip:a@b>;+sip.instance="${instance}"`]).status, 400, instance);
    }
    for (const path of ['proxy', '<tel:+1>', '<sip:p\x00;lr>']) {
      assert.equal(decide(['<sip:a@b>'], [], { path: [path] }).status, 400, path);
    }
    assert.equal(
      decide(['<sip:a@b>'], [], { path: Array(100).fill('<sip:proxy.example.com;lr>') }).status,
      400,
    );
  });

  it('keeps the Path with the contact (RFC 3327 §5.3) and returns the GRUUs of an instance (RFC 5627 §5.2)', () => {
    const path = ['<sip:p1.example.com;lr>', '<sip:p2.example.com;lr>'];
    const gruusOf = (instance: string) => `;pub-gruu="${instance}"`;
    const { bindings, contactHeaders } = ok(decide([`<sip:a@b>;${phone}`], [], { path, gruusOf }));
    assert.deepEqual(bindings[0]!.path, path);
    assert.match(contactHeaders[0]!, /;\+sip\.instance="<urn:uuid:1>";pub-gruu="<urn:uuid:1>"$/);
    assert.equal(ok(decide(['<sip:a@b>'], [])).bindings[0]!.path, undefined);
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

describe('slack of a registrar', () => {
  const limits = { ...DEFAULT_REGISTRATION_LIMITS, maxExpires: 300, slack: 3 };
  const [contact, cseq] = ['<sip:a@b>', 5];
  const register = (current: readonly Binding[], at: number, change: Partial<RegistrationRequest> = {}) =>
    ok(decideRegistration(request([contact], { cseq, ...change }), current, NOW + at * 1000, limits));
  const first = register([], 0);

  it('grants an expiry and stores three of them', () => {
    assert.deepEqual(first.contactHeaders, ['<sip:a@b>;expires=300']);
    assert.equal(first.bindings[0]!.expiresAt, NOW + 900_000);
  });

  it('changes nothing at a refresh that the stored expiry covers, and stores three again at a later one', () => {
    const stored = first.bindings;
    for (const at of [150, 300, 450, 600]) {
      const again = register(stored, at, { cseq: cseq + at });
      assert.equal(again.bindings, stored, `${at} s`);
      assert.deepEqual(again.contactHeaders, ['<sip:a@b>;expires=300']);
    }
    const late = register(stored, 601, { cseq: 1000 }).bindings;
    assert.deepEqual(late, [
      { ...stored[0]!, cseq: 1000, expiresAt: NOW + 1_501_000, refreshedAt: NOW + 601_000 },
    ]);
  });

  it('stores every other difference, and a shorter expiry, at once', () => {
    const changes: Partial<RegistrationRequest>[] = [
      { flow: 'udp-2' },
      { callId: 'after a restart' },
      { userAgent: 'Phone/2' },
      { path: ['<sip:proxy@c>'] },
      { source: '192.0.2.9:5060' },
      { contacts: ['<sip:a@b>;q=0.5'] },
      { contacts: ['<sip:a@b>;+sip.instance="<urn:uuid:1>"'] },
      { expiresHeader: '60' },
    ];
    for (const change of changes) {
      const next = register(first.bindings, 10, { cseq: cseq + 1, ...change }).bindings;
      assert.notEqual(next, first.bindings, JSON.stringify(change));
      assert.equal(next.length, 1);
      assert.equal(next[0]!.cseq, cseq + 1);
    }
  });

  it('removes a binding at once when the phone asks for it', () => {
    assert.deepEqual(register(first.bindings, 10, { cseq: 6, expiresHeader: '0' }).bindings, []);
  });

  it('leaves a request for the bindings, and other contacts, as they are', () => {
    const both = register(first.bindings, 10, { contacts: ['<sip:c@d>'], cseq: 6 });
    assert.deepEqual(both.contactHeaders, ['<sip:c@d>;expires=300', '<sip:a@b>;expires=890']);
    assert.equal(both.bindings[1], first.bindings[0]);
    assert.equal(register(both.bindings, 20, { contacts: [], cseq: 7 }).bindings, both.bindings);
  });
});
