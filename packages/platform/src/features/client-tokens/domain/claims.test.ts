import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { misnamed, readClaims, splitSipUser, untimely } from './claims.ts';

const iss = 'MA000000000000000000';
const claims = (changes: object = {}) => {
  const read = readClaims({ iss, sub: 'alice', nbf: 1000, exp: 1300, ...changes });
  assert.ok(typeof read !== 'string');
  return read;
};

test('no payload makes the reader throw, and its claims have the declared types', () => {
  const payload = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        iss: fc.oneof(fc.constant(iss), fc.jsonValue()),
        sub: fc.oneof(fc.constant('alice'), fc.jsonValue()),
        nbf: fc.oneof(fc.constant(1000), fc.jsonValue()),
        exp: fc.oneof(fc.constant(1300), fc.jsonValue()),
        per: fc.jsonValue(),
        grants: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(payload, fc.string(), (value, user) => {
      const read = readClaims(value);
      if (typeof read === 'string') return;
      assert.deepEqual(
        [read.iss, read.sub, read.app, read.nbf, read.exp].map((each) => typeof each),
        ['string', 'string', 'string', 'number', 'number'],
      );
      misnamed(read, user);
      untimely(read, 1_100_000);
    }),
  );
});

test('absent permissions are not granted', () => {
  const none = { incoming: false, outgoing: false };
  assert.deepEqual(claims().voice, none);
  assert.deepEqual(claims({ per: {} }).voice, none);
  assert.deepEqual(claims({ per: { voice: { outgoing_allow: true } } }).voice, { ...none, outgoing: true });
  assert.deepEqual(claims({ grants: { voice: { incoming_allow: true } } }).voice, {
    ...none,
    incoming: true,
  });
  // With both forms, that of the interface counts.
  const both = { per: { voice: {} }, grants: { voice: { outgoing_allow: true } } };
  assert.deepEqual(claims(both).voice, none);
});

test('a token begins ten seconds early at the most, and ends to the millisecond', () => {
  const at = (ms: number) => untimely(claims(), ms);
  assert.equal(at(989_999), 'not-valid-yet');
  assert.equal(at(990_000), undefined);
  assert.equal(at(1_299_999), undefined);
  assert.equal(at(1_300_000), 'expired');
});

test('the name of a client is its subject alone or with its account, and without a subject one of its own', () => {
  const nameless = claims({ sub: '' });
  assert.equal(misnamed(claims(), 'alice'), undefined);
  assert.equal(misnamed(claims(), `alice_${iss}`), undefined);
  assert.equal(misnamed(claims(), `alice_${iss}_${iss}`), 'subject');
  assert.equal(misnamed(claims(), ''), 'subject');
  assert.equal(misnamed(claims(), 'alice_SA000000000000000000'), 'issuer');
  assert.equal(misnamed(nameless, `puser1700000000000jt_${iss}`), undefined);
  for (const name of ['', 'alice', `_${iss}`, `alice_${iss}`, 'puser1700000000000jt_', `puserjt_${iss}`]) {
    assert.equal(misnamed(nameless, name), 'subject', name);
  }
});

test('a SIP user is split at its account, whatever precedes the account', () => {
  assert.deepEqual(splitSipUser(`a_b_${iss}`), { username: 'a_b', account: iss });
  for (const name of ['alice', iss, `_${iss}`, `alice_${iss}x`, `alice_${iss.toLowerCase()}`]) {
    assert.equal(splitSipUser(name), undefined, name);
  }
});
