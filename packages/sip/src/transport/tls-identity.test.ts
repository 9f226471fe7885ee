import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isIdentityOf, sipIdentities } from './tls-identity.ts';

test('RFC 5922 §7.1: sip URIs without a user are identities, and with them DNS names are not', () => {
  const subjectaltname =
    'DNS:other.example, URI:sip:Example.com, URI:sip:example.net:5061, URI:sip:a@user.example';
  assert.deepEqual(sipIdentities({ subjectaltname }), ['example.com', 'example.net']);
  assert.equal(isIdentityOf({ subjectaltname }, 'other.example'), false);
  assert.equal(isIdentityOf({ subjectaltname }, 'user.example'), false);
});

test('§7.1: DNS names are identities without a sip URI; URIs of other schemes do not count', () => {
  const subjectaltname = 'URI:sips:secure.example, URI:https://web.example, DNS:a.example, DNS:B.example';
  assert.deepEqual(sipIdentities({ subjectaltname, subject: { CN: 'cn.example' } }), [
    'a.example',
    'b.example',
  ]);
});

test('§7.1: the common name counts only without any subjectAltName', () => {
  assert.equal(isIdentityOf({ subject: { CN: 'Old.example' } }, 'old.example'), true);
  assert.equal(
    isIdentityOf({ subjectaltname: 'IP Address:10.0.0.1', subject: { CN: 'old.example' } }, 'old.example'),
    false,
  );
  assert.equal(isIdentityOf({}, 'old.example'), false);
});

test('§7.2: a wildcard or a suffix matches no other name', () => {
  const wild = { subjectaltname: 'DNS:*.example.com' };
  for (const name of ['a.example.com', 'example.com', 'a.b.example.com', '*.example.com'])
    assert.equal(isIdentityOf(wild, name), false, name);
  assert.equal(isIdentityOf({ subjectaltname: 'DNS:example.com' }, 'sip.example.com'), false);
  assert.equal(isIdentityOf({ subjectaltname: 'DNS:sip.example.com' }, 'example.com'), false);
});

test('names are compared without case and without a trailing dot', () => {
  assert.equal(isIdentityOf({ subjectaltname: 'DNS:SIP.example.com' }, 'sip.EXAMPLE.com.'), true);
});

test('an address is compared with the addresses of the certificate in any notation', () => {
  const certificate = {
    subjectaltname: 'IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1, DNS:192.0.2.9',
  };
  assert.equal(isIdentityOf(certificate, '192.0.2.1'), true);
  assert.equal(isIdentityOf(certificate, '2001:db8::1'), true);
  assert.equal(isIdentityOf(certificate, '192.0.2.9'), false);
});

test('a name with a comma, which is quoted, is one name', () => {
  const certificate = { subjectaltname: 'DNS:"evil.example, DNS:good.example", DNS:plain.example' };
  assert.equal(isIdentityOf(certificate, 'good.example'), false);
  assert.equal(isIdentityOf(certificate, 'plain.example'), true);
});
