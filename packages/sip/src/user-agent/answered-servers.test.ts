import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryLink } from './testing/memory-link.ts';

const options = (branch: string, callId: string): string =>
  [
    'OPTIONS sip:bob@10.0.0.2 SIP/2.0',
    `Via: SIP/2.0/UDP 10.0.0.1:5060;rport;branch=${branch}`,
    'Max-Forwards: 70',
    'From: <sip:alice@10.0.0.1>;tag=a',
    'To: <sip:bob@10.0.0.2>',
    `Call-ID: ${callId}`,
    'CSeq: 1 OPTIONS',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');

test('§17.2.2: an answer over UDP is repeated for 64*T1, and one timer ends all answered requests', () => {
  const link = createMemoryLink();
  link.bob.onRequest = (incoming) => incoming.reply(200);
  for (let count = 0; count < 5_000; count += 1) {
    link.inject('bob', options(`z9hG4bK${count}`, `c${count}`));
    if (count % 5 === 0) link.clock.advance(1);
  }
  assert.deepEqual(link.bob.ua.census(), { transactions: 5_000, dialogs: 0, timers: 1 });
  const first = link.bob.texts[7];
  link.inject('bob', options('z9hG4bK7', 'c7'));
  assert.equal(link.bob.texts.at(-1), first);
  assert.equal(link.bob.requests.length, 5_000);
  link.clock.advance(31_500);
  assert.ok(link.bob.ua.census().transactions < 5_000);
  link.inject('bob', options('z9hG4bK7', 'c7'));
  assert.equal(link.bob.requests.length, 5_001, 'a request after the end is new');
  link.clock.advance(32_010);
  assert.deepEqual(link.bob.ua.census(), { transactions: 0, dialogs: 0, timers: 0 });
});

test('An answer that is too long for the table is repeated as well, and ends by its own timer', () => {
  const link = createMemoryLink();
  link.bob.onRequest = (incoming) =>
    incoming.reply(200, { headers: [['Warning', `399 x "${'long '.repeat(30_000)}"`]] });
  link.inject('bob', options('z9hG4bK1', 'c1'));
  link.inject('bob', options('z9hG4bK1', 'c1'));
  assert.equal(link.bob.texts.length, 2);
  assert.equal(link.bob.requests.length, 1);
  link.clock.advance(32_010);
  assert.deepEqual(link.bob.ua.census(), { transactions: 0, dialogs: 0, timers: 0 });
});

test('§17.2.4: an answer that the transport could not send is forgotten, and a copy of its request is a new request', () => {
  const link = createMemoryLink();
  link.bob.onRequest = (incoming) => incoming.reply(200);
  link.inject('bob', options('z9hG4bK1', 'c1'));
  link.bob.ua.transportFailed(link.bob.texts[0]!, undefined);
  assert.equal(link.bob.ua.counters.transportFailures, 1);
  assert.equal(link.bob.ua.census().transactions, 0);
  link.inject('bob', options('z9hG4bK1', 'c1'));
  assert.equal(link.bob.requests.length, 2);
});
