import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequest } from '../message/create-request.ts';
import { answerInDialog, infoEvent } from './answers.ts';
import { keyOfInfo } from './info-digit.ts';

function info(contentType: string, body: string) {
  return createRequest({
    method: 'INFO',
    uri: 'sip:b@y',
    from: '<sip:a@x>;tag=a',
    to: '<sip:b@y>;tag=b',
    callId: 'c',
    cseq: 1,
    contentType,
    body,
  });
}

test('application/dtmf-relay holds the key and its duration', () => {
  const pressed = keyOfInfo(info('application/dtmf-relay', 'Signal=5\r\nDuration=250\r\n'));
  assert.deepEqual(pressed, { digit: '5', durationMs: 250 });
});

test('Spaces, bare newlines, other cases and a missing duration are tolerated', () => {
  const relay = 'Application/DTMF-Relay; charset=utf-8';
  assert.deepEqual(keyOfInfo(info(relay, 'signal= a\n')), { digit: 'A', durationMs: 160 });
  assert.deepEqual(keyOfInfo(info(relay, 'Duration = 90\nSignal = #')), { digit: '#', durationMs: 90 });
  assert.deepEqual(keyOfInfo(info(relay, 'Signal=1\nDuration=soon')), { digit: '1', durationMs: 160 });
});

test('application/dtmf is the key alone', () => {
  assert.equal(keyOfInfo(info('application/dtmf', '7'))?.digit, '7');
  assert.equal(keyOfInfo(info('application/dtmf', ' *\r\n'))?.digit, '*');
});

test('The event numbers 10 and 11 are the star and the hash', () => {
  assert.equal(keyOfInfo(info('application/dtmf-relay', 'Signal=10'))?.digit, '*');
  assert.equal(keyOfInfo(info('application/dtmf', '11'))?.digit, '#');
});

test('A body without exactly one key is ignored', () => {
  for (const body of ['', '12', 'E', 'Signal', 'Signal=', 'Signal=12', 'x'.repeat(10_000), '\u00b2']) {
    assert.equal(keyOfInfo(info('application/dtmf-relay', body)), undefined, body);
    assert.equal(keyOfInfo(info('application/dtmf', body)), undefined, body);
  }
  assert.equal(keyOfInfo(info('application/media_control+xml', '5')), undefined);
});

test('RFC 6086 §4.2.2: an INFO of an unknown package gets a 469 with Recv-Info, and no event', () => {
  const packaged = info('application/x', '5');
  packaged.headers.append('Info-Package', 'foo');
  const answer = answerInDialog(packaged);
  assert.deepEqual(answer, { status: 469, headers: [['Recv-Info', '']] });
  assert.equal(infoEvent(packaged, answer), undefined);
  const plain = info('application/x', '5');
  assert.equal(infoEvent(plain, answerInDialog(plain))?.event.type, 'info');
});
