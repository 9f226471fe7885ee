import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDestination } from './destination.ts';

const domains = ['sip.localhost', 'phone.example.com', '192.0.2.9', '[2001:db8::9]'];

describe('a destination', () => {
  const cases: [string, object][] = [
    ['+12025550100', { kind: 'number', number: '+12025550100' }],
    ['12025550100', { kind: 'number', number: '+12025550100' }],
    ['sip:+12025550100@sip.localhost', { kind: 'number', number: '+12025550100' }],
    ['alice261121120000', { kind: 'user', user: 'alice261121120000' }],
    ['sip:alice1@SIP.localhost:5060;transport=tcp', { kind: 'user', user: 'alice1' }],
    ['sip:alice1@phone.example.com', { kind: 'user', user: 'alice1' }],
    ['sip:alice1@192.0.2.9:5060', { kind: 'user', user: 'alice1' }],
    ['sip:alice1@192.0.2.8:5060', { kind: 'elsewhere', domain: '192.0.2.8' }],
    ['sip:alice1@[2001:DB8::9]:5060;transport=tcp', { kind: 'user', user: 'alice1' }],
    ['sip:+12025550100@[2001:db8::9]', { kind: 'number', number: '+12025550100' }],
    ['sip:alice1@[2001:db8::8]', { kind: 'elsewhere', domain: '[2001:db8::8]' }],
    ['sip:alice1@evil.example.net', { kind: 'elsewhere', domain: 'evil.example.net' }],
    ['', { kind: 'unreadable' }],
    ['sip:', { kind: 'unreadable' }],
    ['al ice', { kind: 'unreadable' }],
    ['<script>', { kind: 'unreadable' }],
  ];
  for (const [text, expected] of cases) {
    it(`${JSON.stringify(text)} is read as ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(readDestination(text, domains), expected);
    });
  }
});
