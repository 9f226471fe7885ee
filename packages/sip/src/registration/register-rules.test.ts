import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Binding } from './binding.ts';
import {
  DEFAULT_REGISTRATION_LIMITS,
  decideRegistration,
  type RegistrationDecision,
  type RegistrationRequest,
} from './decide-registration.ts';
import { requestedContact } from './requested-contact.ts';

const now = 1_000_000;
let cseq = 0;

/** A REGISTER with the next CSeq of one Call-ID. */
function register(contacts: readonly string[], more: Partial<RegistrationRequest> = {}): RegistrationRequest {
  cseq += 1;
  return {
    contacts,
    expiresHeader: undefined,
    callId: 'call',
    cseq,
    userAgent: 'phone',
    flow: 'flow',
    ...more,
  };
}

/** The bindings after these requests, each of which must be accepted, one second apart. */
function bound(...requests: readonly RegistrationRequest[]): readonly Binding[] {
  return requests.reduce<readonly Binding[]>((bindings, request, n) => {
    const decision = decideRegistration(request, bindings, now + n * 1000);
    assert.equal(decision.status, 200, JSON.stringify(decision));
    return decision.status === 200 ? decision.bindings : bindings;
  }, []);
}

const contactsOf = (bindings: readonly Binding[]): string[] => bindings.map(({ contact }) => contact);
const shown = (decision: RegistrationDecision): unknown =>
  decision.status === 200 ? decision.contactHeaders : decision.status;
const instance = '+sip.instance="<urn:uuid:00000000-0000-1000-8000-AABBCCDDEEFF>"';

describe('the expiry of a contact (RFC 3261 §10.2.1.1, §10.3 step 7)', () => {
  for (const [rule, contact, header, seconds] of [
    ['its own parameter takes precedence over the header', '<sip:a@b>;expires=600', '1200', 600],
    ['the header takes precedence over the default', '<sip:a@b>', '1200', 1200],
    ['without either it is the default', '<sip:a@b>', undefined, 3600],
    ['a malformed parameter counts as 3600', '<sip:a@b>;expires=soon', '1200', 3600],
    ['a malformed header counts as 3600', '<sip:a@b>', '-1', 3600],
    ['an empty parameter counts as 3600', '<sip:a@b>;expires', '1200', 3600],
    ['more than 2³² is the maximum', '<sip:a@b>;expires=99999999999', undefined, 3600],
    ['a parameter of the URI is not one of the contact', '<sip:a@b;expires=60>', undefined, 3600],
    ['without angle brackets it is one of the contact', 'sip:a@b;expires=60', undefined, 60],
    ['exactly the minimum is accepted', '<sip:a@b>;expires=60', undefined, 60],
  ] as const) {
    it(rule, () => {
      const [binding] = bound(register([contact], { expiresHeader: header }));
      assert.equal(binding!.expiresAt, now + seconds * 1000);
    });
  }

  for (const [rule, contact, header] of [
    ['one second below the minimum', '<sip:a@b>;expires=59', undefined],
    ['one second in the header', '<sip:a@b>', '1'],
  ] as const) {
    it(`${rule} is refused with 423 and the minimum`, () => {
      const decision = decideRegistration(register([contact], { expiresHeader: header }), [], now);
      assert.deepEqual([decision.status, decision.status === 423 && decision.minExpires], [423, 60]);
    });
  }

  it('one contact below the minimum refuses the whole request: the others are not bound either', () => {
    const before = bound(register(['<sip:a@b>']));
    const decision = decideRegistration(register(['<sip:c@d>', '<sip:a@b>;expires=5']), before, now);
    assert.equal(decision.status, 423);
  });

  it('the response counts the seconds left, rounded up, and leaves expired contacts out', () => {
    const bindings = bound(register(['<sip:a@b>;expires=100', '<sip:c@d>;expires=60']));
    const at = (ms: number): unknown => shown(decideRegistration(register([]), bindings, now + ms));
    assert.deepEqual(at(1), ['<sip:c@d>;expires=60', '<sip:a@b>;expires=100']);
    assert.deepEqual(at(59_001), ['<sip:c@d>;expires=1', '<sip:a@b>;expires=41']);
    assert.deepEqual(at(60_000), ['<sip:a@b>;expires=40']);
    assert.deepEqual(at(100_000), []);
  });

  it('a binding that expires at this instant is gone, and its CSeq with it', () => {
    const [binding] = bound(register(['<sip:a@b>;expires=60']));
    const again = register(['<sip:a@b>'], { cseq: 1 });
    assert.equal(decideRegistration(again, [{ ...binding!, cseq: 50 }], now + 59_999).status, 500);
    assert.equal(decideRegistration(again, [{ ...binding!, cseq: 50 }], now + 60_000).status, 200);
  });
});

describe('contacts that are equal, and those that are not (RFC 3261 §19.1.4)', () => {
  for (const [one, other, isSame] of [
    ['<sip:a@HOST>', '<sip:a@host>', true],
    ['<sip:%61@host>', '<sip:a@host>', true],
    ['<sip:a@host;x=1>', '<sip:a@host>', true],
    ['<sip:a@host:5060>', '<sip:a@host>', false],
    ['<sip:a@host;transport=tcp>', '<sip:a@host>', false],
    ['<sip:A@host>', '<sip:a@host>', false],
    ['<sips:a@host>', '<sip:a@host>', false],
  ] as const) {
    it(`${one} and ${other} are ${isSame ? 'one contact' : 'two contacts'}`, () => {
      const bindings = bound(register([one]), register([other]));
      assert.equal(bindings.length, isSame ? 1 : 2);
      assert.ok(contactsOf(bindings).includes(other.slice(1, -1)), 'the latest spelling is kept');
    });
  }
});

describe('the order of requests (RFC 3261 §10.3 step 7)', () => {
  const [binding] = bound(register(['<sip:a@b>'], { callId: 'x', cseq: 10 }));
  for (const [rule, callId, number, contacts, header, status] of [
    ['the next CSeq refreshes', 'x', 11, ['<sip:a@b>'], undefined, 200],
    ['the same CSeq is refused', 'x', 10, ['<sip:a@b>'], undefined, 500],
    ['an older one is refused', 'x', 9, ['<sip:a@b>'], undefined, 500],
    [
      'an older one of another Call-ID is accepted: the phone restarted',
      'y',
      1,
      ['<sip:a@b>'],
      undefined,
      200,
    ],
    ['an older one may bind another contact', 'x', 9, ['<sip:c@d>'], undefined, 200],
    ['an older removal is refused', 'x', 9, ['<sip:a@b>;expires=0'], undefined, 500],
    ['an older removal of all is refused', 'x', 10, ['*'], '0', 500],
    ['a later removal of all', 'x', 11, ['*'], '0', 200],
    ['a removal of all under another Call-ID', 'y', 1, ['*'], '0', 200],
    ['an older query', 'x', 1, [], undefined, 200],
  ] as const) {
    it(`${rule}: ${status}`, () => {
      const request = register(contacts, { callId, cseq: number, expiresHeader: header });
      assert.equal(decideRegistration(request, [binding!], now + 1).status, status);
    });
  }

  it('a refresh keeps the first registration and names the last one', () => {
    const [first, second] = [
      register(['<sip:a@b>'], { flow: 'one' }),
      register(['<sip:a@b>;q=0.5'], { flow: 'two', userAgent: 'new' }),
    ];
    const [refreshed] = bound(first, second);
    assert.deepEqual([refreshed!.registeredAt, refreshed!.refreshedAt], [now, now + 1000]);
    assert.deepEqual(
      [refreshed!.flow, refreshed!.q, refreshed!.userAgent, refreshed!.cseq],
      ['two', 0.5, 'new', second.cseq],
    );
  });
});

describe('the removal of all contacts (RFC 3261 §10.2.2)', () => {
  for (const [rule, contacts, header, status] of [
    ['alone and with Expires: 0', ['*'], '0', 200],
    ['with leading zeros', ['*'], '000', 200],
    ['without Expires', ['*'], undefined, 400],
    ['with another expiry', ['*'], '60', 400],
    ['with a malformed expiry', ['*'], 'now', 400],
    ['beside another contact', ['*', '<sip:a@b>'], '0', 400],
    ['twice', ['*', '*'], '0', 400],
  ] as const) {
    it(`${rule}: ${status}`, () => {
      const before = bound(register(['<sip:a@b>', '<sip:c@d>']));
      const decision = decideRegistration(register(contacts, { expiresHeader: header }), before, now);
      assert.equal(decision.status, status);
      if (decision.status === 200) assert.deepEqual([decision.bindings, decision.contactHeaders], [[], []]);
    });
  }
});

describe('the priority of a contact (RFC 3261 §25.1)', () => {
  for (const [q, expected] of [
    ['1', 1],
    ['1.', 1],
    ['1.000', 1],
    ['0', 0],
    ['0.', 0],
    ['0.123', 0.123],
    ['0.1234', undefined],
    ['1.001', undefined],
    ['.5', undefined],
    ['2', undefined],
    ['-0', undefined],
    ['', undefined],
  ] as const) {
    it(`q=${q} is ${expected ?? 'refused'}`, () =>
      assert.equal(requestedContact(`<sip:a@b>;q=${q}`, undefined, 60)?.q, expected));
  }

  it('is named in the response unless it is 1', () => {
    const decision = decideRegistration(register(['<sip:a@b>;q=0.25', '<sip:c@d>;q=1.0']), [], now);
    assert.deepEqual(shown(decision), ['<sip:c@d>;expires=3600', '<sip:a@b>;expires=3600;q=0.25']);
  });
});

describe('the limits of a registrar', () => {
  const many = (count: number): string[] => Array.from({ length: count }, (_, n) => `<sip:a${n}@b>`);

  for (const [rule, before, contacts, status] of [
    ['ten contacts', [], many(10), 200],
    ['eleven contacts in one request', [], many(11), 403],
    ['an eleventh in a later request', many(10), ['<sip:z@b>'], 403],
    ['a refresh of one of ten', many(10), ['<sip:a3@b>'], 200],
    ['an exchange of one for another', many(10), ['<sip:a3@b>;expires=0', '<sip:z@b>'], 200],
    ['removals of unknown contacts beside ten', many(10), ['<sip:y@b>;expires=0'], 200],
  ] as const) {
    it(`${rule}: ${status}`, () => {
      const bindings = before.length === 0 ? [] : bound(register(before));
      assert.equal(decideRegistration(register(contacts), bindings, now).status, status);
    });
  }

  for (const [rule, change, status] of [
    ['a contact of 1,024 characters', { contacts: [`<sip:${'a'.repeat(1018)}@b>`] }, 200],
    ['a contact of 1,025', { contacts: [`<sip:${'a'.repeat(1019)}@b>`] }, 400],
    ['a Path of 1,024 characters', { path: [`<sip:${'p'.repeat(1018)}>`] }, 400],
    ['a Path of more', { path: [`<sip:p.example.com;${'p'.repeat(1020)}>`] }, 400],
    ['a Path that is no SIP URI', { path: ['<tel:+1>'] }, 400],
    ['a Path without brackets', { path: ['sip:p.example.com;lr'] }, 200],
  ] as const) {
    it(`${rule}: ${status}`, () => {
      const request = register('contacts' in change ? change.contacts : ['<sip:a@b>'], change);
      assert.equal(decideRegistration(request, [], now).status, status);
    });
  }

  it('the User-Agent is cut to 256 characters', () => {
    const [binding] = bound(register(['<sip:a@b>'], { userAgent: 'u'.repeat(300) }));
    assert.equal(binding!.userAgent.length, 256);
  });

  it('are arguments', () => {
    const limits = {
      ...DEFAULT_REGISTRATION_LIMITS,
      minExpires: 10,
      maxExpires: 20,
      defaultExpires: 15,
      maxContacts: 1,
    };
    const decide = (contacts: readonly string[]): unknown =>
      shown(decideRegistration(register(contacts), [], now, limits));
    assert.deepEqual(decide(['<sip:a@b>']), ['<sip:a@b>;expires=15']);
    assert.deepEqual(decide(['<sip:a@b>;expires=99']), ['<sip:a@b>;expires=20']);
    assert.equal(decide(['<sip:a@b>;expires=9']), 423);
    assert.equal(decide(['<sip:a@b>', '<sip:c@d>']), 403);
  });
});

describe('instances and flows (RFC 5626 §4, §6)', () => {
  const outbound = { isOutbound: true } as const;
  const flow = (contact: string, regId: number): string => `<sip:${contact}>;${instance};reg-id=${regId}`;

  for (const [rule, value, seen] of [
    [
      'a URN in brackets',
      `<sip:a@b>;${instance};reg-id=1`,
      ['<urn:uuid:00000000-0000-1000-8000-AABBCCDDEEFF>', 1],
    ],
    [
      'reg-id 0 is none',
      `<sip:a@b>;${instance};reg-id=0`,
      ['<urn:uuid:00000000-0000-1000-8000-AABBCCDDEEFF>', undefined],
    ],
    [
      'a reg-id that is no number is none',
      `<sip:a@b>;${instance};reg-id=x`,
      ['<urn:uuid:00000000-0000-1000-8000-AABBCCDDEEFF>', undefined],
    ],
    [
      'the greatest reg-id',
      `<sip:a@b>;${instance};reg-id=2147483647`,
      ['<urn:uuid:00000000-0000-1000-8000-AABBCCDDEEFF>', 2_147_483_647],
    ],
    [
      'beyond it is none',
      `<sip:a@b>;${instance};reg-id=2147483648`,
      ['<urn:uuid:00000000-0000-1000-8000-AABBCCDDEEFF>', undefined],
    ],
    ['a reg-id without an instance is ignored', '<sip:a@b>;reg-id=1', [undefined, undefined]],
  ] as const) {
    it(`a contact with ${rule}`, () => {
      const contact = requestedContact(value, undefined, 60);
      assert.deepEqual([contact?.instance, contact?.regId], seen);
    });
  }

  for (const [rule, value] of [
    ['without brackets', '+sip.instance="urn:uuid:1"'],
    ['with nothing behind its scheme', '+sip.instance="<urn:>"'],
    ['with a space', '+sip.instance="<urn:uuid:1 2>"'],
    ['of more than 200 characters', `+sip.instance="<urn:${'x'.repeat(201)}>"`],
  ] as const) {
    it(`an instance ${rule} is refused`, () =>
      assert.equal(requestedContact(`<sip:a@b>;${value}`, undefined, 60), undefined));
  }

  it('a flow is refreshed under its reg-id, whatever its contact has become, and the CSeq of the flow counts', () => {
    const before = bound(
      register([flow('a@1', 1)], { ...outbound, callId: 'x', cseq: 5 }),
      register([flow('a@2', 2)], { ...outbound, callId: 'x', cseq: 6 }),
    );
    assert.deepEqual(
      contactsOf(before),
      ['a@2', 'a@1'].map((each) => `sip:${each}`),
    );
    const moved = decideRegistration(
      register([flow('a@3', 1)], { ...outbound, callId: 'x', cseq: 7 }),
      before,
      now,
    );
    assert.ok(moved.status === 200 && moved.bindsFlow);
    assert.deepEqual(contactsOf(moved.bindings), ['sip:a@2', 'sip:a@3']);
    assert.equal(
      decideRegistration(register([flow('a@3', 2)], { ...outbound, callId: 'x', cseq: 6 }), before, now)
        .status,
      500,
    );
  });

  it('a removal under a reg-id removes that flow alone, and binds none', () => {
    const before = bound(register([flow('a@1', 1)], outbound), register([flow('a@1', 2)], outbound));
    const decision = decideRegistration(register([`${flow('a@1', 1)};expires=0`], outbound), before, now);
    assert.ok(decision.status === 200 && !decision.bindsFlow);
    assert.deepEqual(
      decision.bindings.map(({ regId }) => regId),
      [2],
    );
  });

  it('the same reg-id of another instance is another flow', () => {
    const other = '<sip:a@1>;+sip.instance="<urn:uuid:2>";reg-id=1';
    assert.equal(bound(register([flow('a@1', 1)], outbound), register([other], outbound)).length, 2);
  });

  it('the response names instance, reg-id and GRUUs of a contact (RFC 5627 §5.2)', () => {
    const gruusOf = (urn: string, callId: string): string => `;pub-gruu="sip:x;gr=${urn.length}${callId}"`;
    const decision = decideRegistration(register([flow('a@1', 3)], { ...outbound, gruusOf }), [], now);
    assert.deepEqual(shown(decision), [
      `<sip:a@1>;expires=3600;${instance};reg-id=3;pub-gruu="sip:x;gr=47call"`,
    ]);
  });
});
