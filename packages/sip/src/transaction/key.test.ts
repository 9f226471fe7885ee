import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseVia } from '../message/via.ts';
import { cancelFor } from './ack.ts';
import { cancelledKey, clientKey, mergeKey, responseKey, serverKey } from './key.ts';
import { sampleRequest, sampleResponse } from './testing/words.ts';

const via = (value: string) => parseVia(value)!;

test('§17.2.3: a request matches a transaction by the branch, the sent-by and the method', () => {
  const key = serverKey(via('SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKa'), 'OPTIONS');
  assert.equal(key, serverKey(via('SIP/2.0/UDP 192.0.2.1:5060;rport;branch=z9hG4bKa'), 'OPTIONS'));
  assert.notEqual(key, serverKey(via('SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKb'), 'OPTIONS'));
  assert.notEqual(key, serverKey(via('SIP/2.0/UDP 192.0.2.9:5060;branch=z9hG4bKa'), 'OPTIONS'));
  assert.notEqual(key, serverKey(via('SIP/2.0/UDP 192.0.2.1:5061;branch=z9hG4bKa'), 'OPTIONS'));
  assert.notEqual(key, serverKey(via('SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKa'), 'REGISTER'));
});

test('§17.2.3: the method matches except for ACK, where the method of the request that created the transaction is INVITE', () => {
  const top = via('SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKa');
  assert.equal(serverKey(top, 'ACK'), serverKey(top, 'INVITE'));
  assert.notEqual(serverKey(top, 'CANCEL'), serverKey(top, 'INVITE'));
});

test('§9.2: a CANCEL finds the INVITE with the same branch and sent-by', () => {
  const top = via('SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKa');
  assert.equal(cancelledKey(top), serverKey(top, 'INVITE'));
});

test('A branch without the magic cookie of RFC 3261 has no key', () => {
  assert.equal(serverKey(via('SIP/2.0/UDP 192.0.2.1;branch=1'), 'INVITE'), undefined);
  assert.equal(serverKey(via('SIP/2.0/UDP 192.0.2.1'), 'INVITE'), undefined);
});

test('§17.2.3: without a branch the Request-URI, From tag, Call-ID, CSeq number and top Via identify the transaction', () => {
  const old = (method: string, change: (text: string) => string = (text) => text) => {
    const { uri, headers } = sampleRequest(method);
    const top = change('SIP/2.0/UDP 192.0.2.1');
    headers.set('Via', top);
    headers.set('CSeq', change(`7 ${method}`));
    const request = { ...sampleRequest(method), uri: change(uri), headers };
    return { key: serverKey(via(top), method, request), cancelled: cancelledKey(via(top), request) };
  };
  const invite = old('INVITE').key;
  assert.ok(invite);
  assert.equal(old('ACK').key, invite);
  assert.equal(old('CANCEL').cancelled, invite);
  assert.notEqual(old('CANCEL').key, invite);
  assert.notEqual(old('INVITE', (text) => text.replace('7', '8')).key, invite);
  assert.notEqual(old('INVITE', (text) => text.replace('192.0.2.1', '192.0.2.2')).key, invite);
  assert.notEqual(old('INVITE', (text) => text.replace('sip:', 'sips:')).key, invite);
});

test('RFC 4475 §3.2.1: the magic cookie alone does not identify a transaction', () => {
  assert.equal(serverKey(via('SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK'), 'OPTIONS'), undefined);
  assert.ok(serverKey(via('SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1'), 'OPTIONS'));
});

test('§17.1.3: a response matches by the branch of the top Via and the method of CSeq', () => {
  assert.equal(responseKey(sampleResponse('INVITE', 200)), clientKey('z9hG4bK74bf9', 'INVITE'));
  assert.equal(responseKey(sampleResponse('CANCEL', 200)), clientKey('z9hG4bK74bf9', 'CANCEL'));
});

test('§8.2.2.2: copies of a request share From tag, Call-ID and CSeq; a request with a To tag is never merged', () => {
  const request = sampleRequest('INVITE');
  assert.equal(mergeKey(request, 'x', false), mergeKey(sampleRequest('INVITE'), 'x', false));
  assert.notEqual(mergeKey(request, 'x', false), mergeKey(request, 'y', false));
  assert.equal(mergeKey(request, 'x', true), undefined);
});

test('§9.1: Request-URI, Call-ID, To, the numeric part of CSeq and From of a CANCEL are those of the INVITE, with its top Via and Route', () => {
  const invite = sampleRequest('INVITE');
  const cancel = cancelFor(invite);
  assert.deepEqual([cancel.method, cancel.uri], ['CANCEL', invite.uri]);
  for (const name of ['Call-ID', 'To', 'From', 'Via', 'Route']) {
    assert.equal(cancel.headers.get(name), invite.headers.get(name), name);
  }
  assert.equal(cancel.headers.get('CSeq'), '7 CANCEL');
});
