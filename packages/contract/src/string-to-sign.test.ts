import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { stringToSignV2, stringToSignV3 } from './string-to-sign.ts';

const hmac = (token: string, message: string) => createHmac('sha256', token).update(message).digest('base64');

test('V2: the published vector', () => {
  assert.equal(
    hmac('my_auth_token', stringToSignV2('https://answer.url', '12345')),
    'ehV3IKhLysWBxC1sy8INm0qGoQYdYsHwuoKjsX7FsXc=',
  );
});

test('V2: query and fragment are dropped, an explicit port stays, nothing stands before the nonce', () => {
  assert.equal(stringToSignV2('https://a.example:443/x/?y=1#rc=2', '9'), 'https://a.example:443/x/9');
  assert.equal(stringToSignV2('https://a.example#rc=2', '9'), 'https://a.example9');
});

const token = 'Y2Q2ZDgxZmY5YWRiOTI5YmQ1Njg0MTAxZWIyOTc4';
const nonce = '31627761595286130198';
const id = '3e82ae9d-2c78-4d85-b1a4-6eae7dbafb36';
const form = {
  ALegRequestUUID: id,
  ALegUUID: id,
  CallUUID: id,
  RequestUUID: id,
  BillRate: '0.002',
  CallStatus: 'in-progress',
  Direction: 'outbound',
  Event: 'StartApp',
  From: '19792014278',
  ParentAuthID: 'MANWVLYTK4ZWU1YTY4QA',
  'SIP-H-To': '<sip:PlivoSignature382029104058171078704104@52.9.11.55;transport=udp>;tag=1',
  SessionStart: '2020-04-08 11:34:33.238707',
  To: 'sip:PlivoSignature382029104058171078704104@phone-qa.voice.plivodev.com',
};
const base = 'https://plivobin.non-prod.plivops.com/api/v1/validate_signature03.xml';

const vectors = [
  [`${base}/?a=b&c=d`, 'POST', 'k7Pusd4OxCIjR5IfA9iedDNu/h/gbdYqdzG/MiYtd1c='],
  [`${base}/?a=b&c=d`, 'GET', 'UBq8jAtd32wR8EK9VgxbBn4n5rpI/l1H9iN4WfSEHFQ='],
  [base, 'POST', 'iAjE5QqI37mbkYe4w3jTMudqEzbDufdqi7sYwTu64e0='],
  [base, 'GET', 'i/MQsaQSAd6fiKhOh2qeeeLHZ9faldADSb3/7+Akfbc='],
] as const;

for (const [url, method, signature] of vectors) {
  test(`V3: the published vector of ${method} ${url.slice(base.length) || 'without a query'}`, () => {
    assert.equal(hmac(token, stringToSignV3(method, url, nonce, form)), signature);
    assert.equal(hmac(token, stringToSignV3(method, `${url}#rc=3&ct=100`, nonce, form)), signature);
  });
}

test('V3: values are decoded, sorted by name, then by value', () => {
  assert.equal(
    stringToSignV3('GET', 'http://a/p?b=2+3&a=%C3%A9&b=1', '7', { c: ['z', 'y'] }),
    'http://a/p?a=é&b=1&b=2 3&c=y&c=z.7',
  );
  assert.equal(
    stringToSignV3('POST', 'http://a/p?b=2&a=1', '7', { d: '4', c: ['z', 'y'] }),
    'http://a/p?a=1&b=2.cyczd4.7',
  );
});

test('V3: without a form a POST keeps its query alone, and without both nothing stands before the nonce but a dot', () => {
  assert.equal(stringToSignV3('POST', 'http://a/p?a=1', '7'), 'http://a/p?a=1.7');
  assert.equal(stringToSignV3('POST', 'http://a/p', '7'), 'http://a/p.7');
  assert.equal(stringToSignV3('GET', 'http://a', '7'), 'http://a.7');
});

test('V3: what a GET sends in its query is signed the same however it is split', () => {
  assert.equal(
    stringToSignV3('GET', 'http://a/p?b=1', '7', { a: '2', b: '0' }),
    stringToSignV3('GET', 'http://a/p?b=1&a=2&b=0', '7'),
  );
});
