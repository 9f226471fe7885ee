import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRequest } from '../message/create-request.ts';
import { createResponse } from '../message/create-response.ts';
import type { SipRequest } from '../message/message.ts';
import { parseMessage } from '../message/parse-message.ts';
import { parseVia } from '../message/via.ts';
import { ackFor, cancelFor } from './ack.ts';
import { cancelledKey, mergeKey, responseKey, serverKey } from './key.ts';

describe('ACK and CANCEL (RFC 3261 §17.1.1.3, §9.1)', () => {
  const invite: SipRequest = createRequest({
    method: 'INVITE',
    uri: 'sip:bob@biloxi.com;x=1',
    via: 'SIP/2.0/UDP pc33.atlanta.com;branch=z9hG4bKkjshdyff',
    from: 'Alice <sip:alice@atlanta.com>;tag=88sja8x',
    to: 'Bob <sip:bob@biloxi.com>',
    callId: '987asjd97y7atg',
    cseq: 986_759,
    routes: ['<sip:p1.example.com;lr>', '<sip:p2.example.com;lr>'],
  });
  invite.headers.append('Via', 'SIP/2.0/UDP earlier.example.com;branch=z9hG4bKearlier');
  invite.headers.append('Proxy-Authorization', 'Digest username="alice"');
  invite.headers.append('Contact', '<sip:alice@pc33.atlanta.com>');
  const response = createResponse(invite, 486, undefined, { toTag: 'a6c85cf' });

  it('the ACK of a refusal has the To of the response, and one Via: the example of §17.1.1.3', () => {
    const { message } = parseMessage(ackFor(invite, response));
    assert.ok(message?.kind === 'request');
    const { headers } = message;
    assert.deepEqual([message.method, message.uri, message.body], ['ACK', 'sip:bob@biloxi.com;x=1', '']);
    assert.deepEqual(headers.all('Via'), ['SIP/2.0/UDP pc33.atlanta.com;branch=z9hG4bKkjshdyff']);
    assert.equal(headers.get('To'), 'Bob <sip:bob@biloxi.com>;tag=a6c85cf');
    assert.equal(headers.get('From'), 'Alice <sip:alice@atlanta.com>;tag=88sja8x');
    assert.equal(headers.get('CSeq'), '986759 ACK');
    assert.deepEqual(headers.all('Route'), ['<sip:p1.example.com;lr>', '<sip:p2.example.com;lr>']);
    assert.equal(headers.get('Proxy-Authorization'), 'Digest username="alice"');
    assert.equal(headers.has('Contact'), false);
  });

  it('the CANCEL has the branch of the INVITE and its To without a tag', () => {
    const { method, uri, headers } = cancelFor(invite);
    assert.deepEqual([method, uri], ['CANCEL', 'sip:bob@biloxi.com;x=1']);
    assert.deepEqual(headers.all('Via'), ['SIP/2.0/UDP pc33.atlanta.com;branch=z9hG4bKkjshdyff']);
    assert.deepEqual([headers.get('To'), headers.get('CSeq')], ['Bob <sip:bob@biloxi.com>', '986759 CANCEL']);
    assert.equal(headers.get('Max-Forwards'), '70');
  });

  it('both belong to the transaction of their INVITE at the server', () => {
    const via = parseVia('SIP/2.0/UDP PC33.atlanta.com;branch=z9hG4bKkjshdyff')!;
    const key = serverKey(via, 'INVITE');
    assert.deepEqual([serverKey(via, 'ACK'), cancelledKey(via)], [key, key]);
    assert.notEqual(serverKey(via, 'CANCEL'), key);
    assert.equal(serverKey(parseVia('SIP/2.0/UDP pc33.atlanta.com;branch=z9hG4bKkjshdyff')!, 'INVITE'), key);
  });

  for (const [rule, via] of [
    ['another branch', 'SIP/2.0/UDP pc33.atlanta.com;branch=z9hG4bKother'],
    ['another host', 'SIP/2.0/UDP pc34.atlanta.com;branch=z9hG4bKkjshdyff'],
    ['another port', 'SIP/2.0/UDP pc33.atlanta.com:5070;branch=z9hG4bKkjshdyff'],
    [
      'a branch in other letters: branches are compared with case',
      'SIP/2.0/UDP pc33.atlanta.com;branch=z9hG4bKKJSHDYFF',
    ],
  ] as const) {
    it(`${rule} is another transaction (§17.2.3)`, () => {
      assert.notEqual(
        serverKey(parseVia(via)!, 'INVITE'),
        serverKey(parseVia('SIP/2.0/UDP pc33.atlanta.com;branch=z9hG4bKkjshdyff')!, 'INVITE'),
      );
    });
  }

  it('without the cookie, or with it alone, there is no key but that of RFC 2543, where the whole Via decides', () => {
    for (const branch of ['1', 'z9hG4bK', 'Z9HG4BKx']) {
      const via = parseVia(`SIP/2.0/UDP pc33.atlanta.com;branch=${branch}`)!;
      assert.equal(serverKey(via, 'INVITE'), undefined, branch);
      assert.ok(
        serverKey(via, 'INVITE', invite)?.startsWith('2543 INVITE 986759 987asjd97y7atg 88sja8x'),
        branch,
      );
    }
  });

  it('a response belongs to the branch and the method of its CSeq; a malformed one to no transaction', () => {
    assert.equal(responseKey(response), 'z9hG4bKkjshdyff INVITE');
    for (const [header, value] of [
      ['Via', 'garbage'],
      ['Via', 'SIP/2.0/UDP a'],
      ['CSeq', ''],
    ] as const) {
      const broken = createResponse(invite, 486);
      broken.headers.set(header, value);
      assert.equal(responseKey(broken), undefined, `${header}: ${value}`);
    }
  });

  it('two copies of one request have one merge key, and a request within a dialog has none (§8.2.2.2)', () => {
    const key = mergeKey(invite, '88sja8x', false);
    const copy = cancelFor(invite);
    copy.headers.set('CSeq', '986759 INVITE');
    assert.equal(mergeKey({ ...invite, headers: copy.headers }, '88sja8x', false), key);
    assert.notEqual(mergeKey(invite, 'other', false), key);
    copy.headers.set('CSeq', '986760 INVITE');
    assert.notEqual(mergeKey({ ...invite, headers: copy.headers }, '88sja8x', false), key);
    assert.equal(mergeKey(invite, '88sja8x', true), undefined);
  });
});
