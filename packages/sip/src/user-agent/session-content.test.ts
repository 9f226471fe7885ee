import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequest } from '../message/create-request.ts';
import { screenContent, withSessionAlone } from './session-content.ts';

const sdp = 'v=0\r\ns=-';
const isup = 'Content-Type: application/isup\r\n';
const session = `Content-Type: application/sdp\r\n\r\n${sdp}`;

function request(
  contentType: string | undefined,
  body: string,
  more: [string, string][] = [],
  method = 'INVITE',
) {
  return createRequest({
    method,
    uri: 'sip:a@b',
    from: '<sip:a>;tag=1',
    to: '<sip:b>',
    callId: 'c',
    cseq: 1,
    body,
    headers: more,
    ...(contentType === undefined ? {} : { contentType }),
  });
}
const multipart = (...parts: string[]) => `${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
const mixed = (...parts: string[]) =>
  withSessionAlone(request('multipart/mixed;boundary="b"', multipart(...parts)));

test('RFC 5621 §3.1: the SDP of a multipart is the body if the other parts are optional', () => {
  const ignored = `${isup}Content-Disposition: signal; handling=optional\r\n\r\n\x01\x02`;
  for (const each of [mixed(session), mixed(session, ignored), mixed(ignored, session)]) {
    assert.deepEqual([each.body, each.headers.get('Content-Type')], [`${sdp}\r\n`, 'application/sdp']);
    assert.equal(screenContent(each), undefined);
  }
});

test('RFC 5621 §3.1: a required part of unknown type gets 415, as does a multipart without SDP', () => {
  for (const each of [mixed(session, `${isup}\r\n\x01`), mixed(`${isup}\r\n\x01`), mixed()]) {
    assert.deepEqual(screenContent(each), { status: 415, headers: [['Accept', 'application/sdp']] });
  }
});

test('RFC 5621 §3.1: one known part of a multipart/alternative is enough', () => {
  const body = multipart(`${isup}\r\n\x01`, session);
  const { headers, body: alone } = withSessionAlone(request('Multipart/Alternative; boundary=b', body));
  assert.deepEqual([headers.get('Content-Type'), alone], ['application/sdp', `${sdp}\r\n`]);
});

test('RFC 3261 §20.11: an optional body of unknown type is ignored; SDP, and a body without type, stay unchanged', () => {
  const optional: [string, string][] = [['Content-Disposition', 'render;handling=OPTIONAL']];
  assert.equal(withSessionAlone(request('text/plain', 'x', optional)).body, '');
  for (const type of ['application/sdp', 'Application/SDP ; charset=utf-8', undefined]) {
    const plain = request(type, sdp, optional);
    assert.equal(withSessionAlone(plain), plain);
    assert.equal(screenContent(plain), undefined);
  }
});

test('RFC 3261 §8.2.3: UPDATE and PRACK carry sessions too, INFO and MESSAGE any body', () => {
  for (const [method, status] of [
    ['UPDATE', 415],
    ['PRACK', 415],
    ['INFO', undefined],
    ['MESSAGE', undefined],
  ] as const) {
    assert.equal(screenContent(request('text/plain', 'x', [], method))?.status, status, method);
  }
});

test('RFC 3261 §20.1: an empty Accept accepts nothing, no Accept accepts SDP', () => {
  assert.equal(screenContent(request(undefined, '', [['Accept', '']]))?.status, 406);
  assert.equal(screenContent(request(undefined, '')), undefined);
});
