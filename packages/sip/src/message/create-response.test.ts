import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRequest } from './create-request.ts';
import { createResponse } from './create-response.ts';
import { printMessage } from './print-message.ts';

const invite = (to = '<sip:b@example.com>') =>
  createRequest({
    method: 'INVITE',
    uri: 'sip:b@example.com',
    via: 'SIP/2.0/UDP a;branch=1, SIP/2.0/UDP b;branch=2',
    from: '<sip:a@example.com>;tag=f',
    to,
    callId: 'c',
    cseq: 7,
    headers: [
      ['Record-Route', '<sip:p1;lr>, <sip:p2;lr>'],
      ['Timestamp', '54'],
      ['Subject', 'x'],
    ],
  });

describe('createResponse (RFC 3261 §8.2.6)', () => {
  it('copies all Via, From, To, Call-ID and CSeq and adds the tag to To', () => {
    const response = createResponse(invite(), 486, undefined, { toTag: 't' });
    assert.deepEqual(
      [...response.headers.entries()],
      [
        ['Via', 'SIP/2.0/UDP a;branch=1, SIP/2.0/UDP b;branch=2'],
        ['From', '<sip:a@example.com>;tag=f'],
        ['To', '<sip:b@example.com>;tag=t'],
        ['Call-ID', 'c'],
        ['CSeq', '7 INVITE'],
      ],
    );
    assert.equal(response.reason, 'Busy Here');
  });

  it('keeps an existing tag of To', () => {
    assert.equal(
      createResponse(invite('<sip:b>;tag=old'), 200, undefined, { toTag: 'new' }).headers.get('To'),
      '<sip:b>;tag=old',
    );
  });

  it('copies Record-Route into responses that form a dialog, and into no others (§12.1.1)', () => {
    assert.deepEqual(createResponse(invite(), 180).headers.all('Record-Route'), [
      '<sip:p1;lr>',
      '<sip:p2;lr>',
    ]);
    assert.deepEqual(createResponse(invite(), 200).headers.all('Record-Route').length, 2);
    assert.equal(createResponse(invite(), 100).headers.has('Record-Route'), false);
    assert.equal(createResponse(invite(), 404).headers.has('Record-Route'), false);
  });

  it('copies Timestamp into 100 only (§8.2.6.1)', () => {
    assert.equal(createResponse(invite(), 100).headers.get('Timestamp'), '54');
    assert.equal(createResponse(invite(), 180).headers.has('Timestamp'), false);
  });

  it('leaves the request unchanged', () => {
    const request = invite();
    const before = printMessage(request);
    createResponse(request, 200, undefined, { toTag: 't', body: 'x', contentType: 'a/b' });
    assert.equal(printMessage(request), before);
  });

  it('prints the Content-Length of its body and keeps the reason on its line', () => {
    const text = printMessage(
      createResponse(invite(), 400, 'a\r\nb', { body: 'xyz', contentType: 'text/plain' }),
    );
    assert.match(text, /^SIP\/2\.0 400 a b\r\n/);
    assert.match(text, /Content-Type: text\/plain\r\nContent-Length: 3\r\n\r\nxyz$/);
  });
});

describe('createRequest', () => {
  it('refuses a method or URI that would break the request line', () => {
    const fields = { from: '<sip:a>', to: '<sip:b>', callId: 'c', cseq: 1 };
    for (const method of ['', 'IN VITE', 'A\r\nB']) {
      assert.throws(() => createRequest({ ...fields, method, uri: 'sip:a' }), TypeError);
    }
    for (const uri of ['', 'sip:a b', 'sip:a\r\nX: y', 'sip:č']) {
      assert.throws(() => createRequest({ ...fields, method: 'BYE', uri }), TypeError);
    }
  });
});
