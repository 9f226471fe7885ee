import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redacted } from './redacted.ts';

const message = (headers: readonly string[], body = '') =>
  ['INVITE sip:bob:hunter2@example.com SIP/2.0', ...headers, '', body].join('\r\n');

test('A kept message has no credentials, tokens and passwords, in any spelling of their headers', () => {
  const text = redacted(
    message([
      'Authorization: Digest username="alice", response="0123"',
      'proxy-authorization : Digest username="alice",\r\n response="0456",\r\n\tnonce="n"',
      'X-Plivo-Jwt: eyJhbGciOiJIUzI1NiJ9.e30.sig',
      'X-PH-Access-Token: secret-1',
      'Contact: <sip:alice:secret-2@192.0.2.1>',
      'Call-ID: 1@a',
    ]),
  );
  for (const secret of ['0123', '0456', 'eyJ', 'secret-1', 'secret-2', 'hunter2', 'nonce']) {
    assert.ok(!text.includes(secret), `${secret} in ${text}`);
  }
  assert.match(text, /^INVITE sip:bob:\(removed\)@example\.com SIP\/2\.0\r\nAuthorization: \(removed\)\r\n/);
  assert.match(text, /\r\nCall-ID: 1@a\r\n\r\n$/);
});

test('A kept description lacks only its keys', () => {
  const description = [
    'v=0',
    'k=clear:secret',
    'm=audio 4000 RTP/SAVP 0',
    'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:c2VjcmV0',
    'a=ice-pwd:secretsecret',
    'a=rtpmap:0 PCMU/8000',
  ].join('\r\n');
  const text = redacted(message(['Content-Type: application/sdp'], description));
  assert.ok(!/secret|c2VjcmV0/.test(text), text);
  assert.match(text, /a=crypto:1 AES_CM_128_HMAC_SHA1_80 \(removed\)\r\n/);
  assert.match(text, /a=rtpmap:0 PCMU\/8000$/);
});

test('Pressed digits and bodies of unknown types are not kept', () => {
  const digits = redacted(message(['c: application/dtmf-relay'], 'Signal=5\r\nDuration=160'));
  assert.ok(digits.endsWith('\r\n\r\n(removed)'), digits);
  const other = redacted(message(['Content-Type: text/plain'], 'the code is 4711'));
  assert.ok(other.endsWith('\r\n\r\n(removed)'), other);
});
