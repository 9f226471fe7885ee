import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialledUri } from './origination.ts';

const number = '+442079460100';

test('an origination URI without a user is called with the number, a URI with a user unchanged', () => {
  for (const [uri, expected] of Object.entries({
    'pbx.example.com': 'sip:+442079460100@pbx.example.com',
    '192.0.2.1:5080': 'sip:+442079460100@192.0.2.1:5080',
    '[2001:db8::1]:5080': 'sip:+442079460100@[2001:db8::1]:5080',
    'sip:pbx.example.com': 'sip:+442079460100@pbx.example.com',
    'sip:desk@pbx.example.com:5062': 'sip:desk@pbx.example.com:5062',
    'SIP:desk@pbx.example.com;transport=TCP': 'sip:desk@pbx.example.com;transport=tcp',
    'pbx.example.com;transport=tls': 'sip:+442079460100@pbx.example.com;transport=tls',
  })) {
    assert.equal(dialledUri(uri, number, false), expected, uri);
  }
  assert.equal(dialledUri('a@b@c', number, false), undefined);
});

test('a secure trunk is called over TLS, whatever its URI names', () => {
  for (const [uri, expected] of Object.entries({
    'pbx.example.com': 'sip:+442079460100@pbx.example.com;transport=tls',
    'sip:desk@pbx.example.com;transport=udp': 'sip:desk@pbx.example.com;transport=tls',
    'sips:desk@pbx.example.com': 'sips:desk@pbx.example.com',
  })) {
    assert.equal(dialledUri(uri, number, true), expected, uri);
  }
});
