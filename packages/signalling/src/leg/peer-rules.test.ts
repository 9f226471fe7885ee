import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DialTarget } from '@jackfield/ports';
import { type IncomingInvite, type Protocol, parseMessage, type SipMessage } from '@jackfield/sip';
import { createCallSlots } from '../defence/call-slots.ts';
import { isScanner } from '../defence/scanners.ts';
import { calleeNames, ownerOf, phoneNames } from '../registrar/phone-names.ts';
import { canonicalAddress, noAddresses, type PeerAddresses, withMessage } from './peer-addresses.ts';
import { cameInPrivate, isOfBrowser, isReachedInPrivate } from './private-signalling.ts';

function message(start: string, fields: readonly string[], sourceAddress?: string): SipMessage {
  const text = [start, ...fields, 'Call-ID: 1', 'CSeq: 1 INVITE', '', ''].join('\r\n');
  const parsed = parseMessage(text).message;
  assert.ok(parsed);
  return { ...parsed, ...(sourceAddress !== undefined && { sourceAddress }) };
}

const ends = ['From: <sip:a@x>;tag=1', 'To: <sip:b@y>;tag=2'];
const invite = (fields: readonly string[], source?: string): SipMessage =>
  message(
    'INVITE sip:b@y SIP/2.0',
    [...(fields.some((field) => field.startsWith('Via')) ? [] : ['Via: SIP/2.0/UDP x']), ...ends, ...fields],
    source,
  );
const answer = (fields: readonly string[], source?: string): SipMessage =>
  message('SIP/2.0 200 OK', ['Via: SIP/2.0/UDP x;received=203.0.113.99', ...ends, ...fields], source);

describe('the spelling of an address', () => {
  for (const [text, spelt] of [
    ['192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['::ffff:0:1', '0.0.0.1'],
    ['::192.0.2.1', '::c000:201'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['example.com', 'example.com'],
  ] as const) {
    it(`${text} is ${spelt}`, () => assert.equal(canonicalAddress(text), spelt));
  }
});

describe('the addresses of a peer, from which its audio may come', () => {
  for (const [rule, seen, list] of [
    ['the source of the message', invite([], '203.0.113.9'), ['203.0.113.9']],
    [
      'hops that a proxy recorded, the nearest first',
      invite(['Via: SIP/2.0/UDP p;received=203.0.113.1, SIP/2.0/UDP x;received=203.0.113.2']),
      ['203.0.113.1', '203.0.113.2'],
    ],
    ['the host of Contact', invite(['Contact: <sip:a@192.0.2.7:5070;transport=tcp>']), ['192.0.2.7']],
    ['an IPv6 Contact without brackets', invite(['Contact: <sip:a@[2001:DB8::7]>']), ['2001:db8::7']],
    ['a mapped source as IPv4', invite([], '::ffff:203.0.113.9'), ['203.0.113.9']],
    ['each once', invite(['Contact: <sip:a@203.0.113.9>'], '203.0.113.9'), ['203.0.113.9']],
    ['no names', invite(['Contact: <sip:a@phone.example.com>']), []],
    ['a malformed Contact gives none', invite(['Contact: <garbage>']), []],
    [
      'a response without its Via, which is ours',
      answer(['Contact: <sip:b@192.0.2.8>'], '203.0.113.3'),
      ['203.0.113.3', '192.0.2.8'],
    ],
  ] as const) {
    it(rule, () => assert.deepEqual(withMessage(noAddresses, seen).list, list));
  }

  it('are kept over messages of one tag, the last eight of them, and begin anew with another tag', () => {
    let known: PeerAddresses = noAddresses;
    for (let n = 1; n <= 10; n++) known = withMessage(known, invite([], `203.0.113.${n}`));
    assert.deepEqual(
      known.list,
      [3, 4, 5, 6, 7, 8, 9, 10].map((n) => `203.0.113.${n}`),
    );
    assert.deepEqual([known.source, known.tag], ['203.0.113.10', '1']);
    const fork = withMessage(known, answer([], '198.51.100.1'));
    assert.deepEqual([fork.list, fork.tag], [['198.51.100.1'], '2']);
  });

  it('the source stays that of the last message that had one', () => {
    const known = withMessage(withMessage(noAddresses, invite([], '203.0.113.1')), invite([]));
    assert.equal(known.source, '203.0.113.1');
  });
});

describe('private signalling', () => {
  const protocols: Readonly<Record<string, Protocol>> = {
    udp: 'udp',
    tcp: 'tcp',
    tls: 'tls',
    ws: 'ws',
    wss: 'wss',
  };
  const protocolOf = (flow: string): Protocol | undefined => protocols[flow];

  for (const [flow, via, isPrivate] of [
    ['tls', 'TLS', true],
    ['wss', 'WSS', true],
    ['ws', 'WSS', true],
    ['ws', 'WS', false],
    ['tcp', 'TLS', false],
    ['udp', 'WSS', false],
    ['closed', 'TLS', false],
  ] as const) {
    it(`an INVITE over ${flow} with Via ${via} came ${isPrivate ? '' : 'not '}in private`, () => {
      const request = invite([`Via: SIP/2.0/${via} x;branch=z9hG4bK1`]);
      assert.equal(
        cameInPrivate({ flow, request } as Pick<IncomingInvite, 'flow' | 'request'>, protocolOf),
        isPrivate,
      );
    });
  }

  for (const [rule, target, isPrivate] of [
    ['over a TLS flow', { uri: 'sip:b@y', flow: 'tls' }, true],
    ['over a UDP flow, whatever its URI says', { uri: 'sips:b@y', flow: 'udp' }, false],
    ['over a closed flow to a sips URI', { uri: 'sips:b@y', flow: 'closed' }, true],
    ['to transport=tls', { uri: 'sip:b@y;transport=TLS' }, true],
    ['to a plain URI', { uri: 'sip:b@y' }, false],
    ['over a Path whose first hop is sips', { uri: 'sip:b@y', path: ['<sips:p>', '<sip:q>'] }, true],
    ['over a Path whose first hop is not', { uri: 'sips:b@y', path: ['<sip:q>', '<sips:p>'] }, false],
    ['over a malformed Path', { uri: 'sips:b@y', path: ['<>'] }, false],
    [
      'with another flow that is open to all',
      { uri: 'sip:b@y', flow: 'tls', otherFlows: [{ uri: 'sip:b@z', flow: 'tcp' }] },
      false,
    ],
    [
      'with other flows that are private too',
      { uri: 'sip:b@y', flow: 'tls', otherFlows: [{ uri: 'sips:b@z' }] },
      true,
    ],
  ] as const satisfies readonly (readonly [string, DialTarget, boolean])[]) {
    it(`a target ${rule} is ${isPrivate ? '' : 'not '}reached in private`, () =>
      assert.equal(isReachedInPrivate(target, protocolOf), isPrivate));
  }

  it('a phone over a WebSocket runs in a browser', () => {
    const flows = ['ws', 'wss', 'tls', 'closed', undefined];
    assert.deepEqual(
      flows.map((flow) => isOfBrowser(flow, protocolOf)),
      [true, true, false, false, false],
    );
  });
});

describe('the names of a phone', () => {
  for (const [rule, contact, instance, names] of [
    ['user, host and port of its Contact', 'sip:a@192.0.2.1:5070;ob', undefined, ['e a@192.0.2.1:5070']],
    ['its instance first', 'sip:a@192.0.2.1', '<urn:uuid:1>', ['e <urn:uuid:1>', 'e a@192.0.2.1:']],
    ['a Contact without a user', 'sip:192.0.2.1', undefined, ['e @192.0.2.1:']],
    ['a Contact that is no SIP URI has none', 'tel:+1', undefined, []],
  ] as const) {
    it(rule, () => assert.deepEqual(phoneNames('e', contact, instance), names));
  }

  it('belong to the endpoint, or to the user of a token, and a target without a phone has none', () => {
    assert.deepEqual(
      [
        ownerOf({ endpoint: 'e', user: 'u' }),
        ownerOf({ endpoint: '', user: 'u' }),
        ownerOf({ endpoint: '', user: '' }),
      ],
      ['e', 'u', undefined],
    );
    assert.deepEqual(calleeNames({ uri: 'sip:a@b' }), []);
    assert.deepEqual(calleeNames({ uri: 'sip:a@b', phone: { endpoint: 'e' } }), ['e a@b:']);
  });
});

describe('slots for calls', () => {
  const limits = { callsPerSource: 2, callsPerAccount: 3, externalCalls: 4, externalCallsPerAccount: 1 };

  for (const [rule, calls, accepted] of [
    [
      'two of one source',
      [
        ['s', 'a'],
        ['s', 'b'],
        ['s', 'c'],
      ],
      'yyn',
    ],
    [
      'three of one account',
      [
        ['s', 'a'],
        ['t', 'a'],
        ['u', 'a'],
        ['v', 'a'],
      ],
      'yyyn',
    ],
    [
      'a source without a name is not counted',
      [
        [undefined, 'a'],
        [undefined, 'a'],
        [undefined, 'a'],
        [undefined, 'a'],
      ],
      'yyyn',
    ],
    [
      'one external call to an account',
      [
        ['s', 'a', true],
        ['t', 'a', true],
        ['t', 'a'],
      ],
      'yny',
    ],
    [
      'four external calls in all',
      [
        ['s', 'a', true],
        ['s', 'b', true],
        ['t', 'c', true],
        ['t', 'd', true],
        ['u', 'e', true],
      ],
      'yyyyn',
    ],
  ] as const) {
    it(rule, () => {
      const slots = createCallSlots(limits);
      const results = calls.map(([source, account, isExternal]) => slots.take(source, account, isExternal));
      assert.equal(results.map((free) => (free === undefined ? 'n' : 'y')).join(''), accepted);
      assert.equal(slots.taken, accepted.replaceAll('n', '').length);
      for (const free of [...results, ...results]) free?.();
      assert.equal(slots.taken, 0);
      assert.ok(slots.take(calls[0][0], calls[0][1], true), 'every slot is free again');
    });
  }
});

describe('scanners by their User-Agent', () => {
  for (const [name, is] of [
    ['friendly-scanner', true],
    ['SIPVicious/1.0', true],
    ['VaxSIPUserAgent', true],
    ['Linphone/5.0', false],
    ['', false],
  ] as const) {
    it(`${name === '' ? 'an empty one' : name} is ${is ? 'a' : 'no'} scanner`, () => {
      const request = invite([`User-Agent: ${name}`]);
      assert.ok(request.kind === 'request');
      assert.equal(isScanner(request), is);
    });
  }
});
