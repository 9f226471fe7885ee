import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUnanswered } from './unanswered.ts';

const message = (first: string, method: string, branch: string) =>
  `${first}\r\nVia: SIP/2.0/WS x.invalid:5060;rport;branch=${branch}\r\nCSeq: 7 ${method}\r\n\r\n`;
const info = message('INFO sip:a SIP/2.0', 'INFO', 'z9hG4bK1');

test('A request is sent again over the next socket until its final response has come', () => {
  const list = createUnanswered();
  list.sent(info, 0);
  list.received(message('SIP/2.0 100 Trying', 'INFO', 'z9hG4bK1'));
  list.received(message('SIP/2.0 200 OK', 'INFO', 'z9hG4bK2'));
  assert.deepEqual(list.since(10), [info]);
  list.received(message('SIP/2.0 200 OK', 'INFO', 'z9hG4bK1'));
  assert.deepEqual(list.since(20), []);
});

test('REGISTER, ACK and responses are not repeated, nor requests that the stack has given up', () => {
  const list = createUnanswered();
  list.sent(message('REGISTER sip:a SIP/2.0', 'REGISTER', 'z9hG4bK3'), 0);
  list.sent(message('ACK sip:a SIP/2.0', 'ACK', 'z9hG4bK4'), 0);
  list.sent(message('SIP/2.0 200 OK', 'INVITE', 'z9hG4bK5'), 0);
  list.sent(info, 0);
  assert.deepEqual(list.since(31_999), [info]);
  assert.deepEqual(list.since(32_000), []);
});
