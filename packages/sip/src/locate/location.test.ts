import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseSipUri } from '../message/uri.ts';
import { type DnsAnswer, type DnsQuery, type NaptrRecord, queryKey, type SrvRecord } from './dns-records.ts';
import { type LocationOptions, type LocationStep, startLocation, stepLocation } from './location.ts';

type Zone = Readonly<Record<string, readonly (NaptrRecord | SrvRecord | string)[] | 'failed'>>;

const everything: LocationOptions = { supported: ['udp', 'tcp', 'tls'], families: ['A', 'AAAA'] };
const naptr = (order: number, preference: number, service: string, replacement: string): NaptrRecord => ({
  order,
  preference,
  flags: 's',
  service,
  regexp: '',
  replacement,
});
const srv = (priority: number, weight: number, port: number, target: string): SrvRecord => ({
  priority,
  weight,
  port,
  target,
});

function answerFrom(zone: Zone, query: DnsQuery): DnsAnswer {
  const records = zone[queryKey(query)] ?? [];
  return records === 'failed' ? { type: 'failed' } : ({ type: query.type, records, ttlMs: 1 } as DnsAnswer);
}

/** Answers from a zone until the location is over: the targets as `protocol address:port`, or the sentence, and the queries. */
function locate(text: string, zone: Zone = {}, options: Partial<LocationOptions> = {}, chance = () => 0.5) {
  const asked: string[] = [];
  let step: LocationStep = startLocation(parseSipUri(text)!, { ...everything, ...options });
  for (let queue = [...step.effects]; ; ) {
    const effect = queue.shift();
    assert.ok(effect, 'a location ends with found or fail');
    if (effect.do === 'found') {
      return {
        targets: effect.targets.map((each) => `${each.protocol} ${each.host}:${each.port}`),
        identity: effect.targets[0]!.identity,
        asked,
      };
    }
    if (effect.do === 'fail') return { targets: [], sentence: effect.sentence, asked };
    asked.push(queryKey(effect.query));
    step = stepLocation(
      step.state,
      { type: 'answered', query: effect.query, answer: answerFrom(zone, effect.query) },
      chance,
    );
    queue = [...queue, ...step.effects];
  }
}

describe('RFC 3263 §4.1: the transport', () => {
  it('the transport of an address without port and transport is UDP, and TLS for sips, without a query', () => {
    assert.deepEqual(locate('sip:192.0.2.1'), {
      targets: ['udp 192.0.2.1:5060'],
      identity: '192.0.2.1',
      asked: [],
    });
    assert.deepEqual(locate('sips:[2001:db8::1]').targets, ['tls 2001:db8::1:5061']);
    assert.deepEqual(locate('sip:192.0.2.1:5070;transport=tcp').targets, ['tcp 192.0.2.1:5070']);
    assert.deepEqual(locate('sips:192.0.2.1;transport=tcp').targets, ['tls 192.0.2.1:5061']);
  });

  it('the transport of a name with a port is UDP, and TLS for sips, and only addresses are queried', () => {
    const zone = { 'A example.com': ['192.0.2.1'], 'AAAA example.com': ['2001:db8::1'] };
    const found = locate('sip:example.com:5070', zone);
    assert.deepEqual(found.targets, ['udp 192.0.2.1:5070', 'udp 2001:db8::1:5070']);
    assert.deepEqual(found.asked, ['A example.com', 'AAAA example.com']);
    assert.deepEqual(locate('sips:example.com:5070', zone).targets[0], 'tls 192.0.2.1:5070');
  });

  it('the transport is the preferred supported one of NAPTR, and the others follow', () => {
    // The example of RFC 3263 §4.1.
    const zone: Zone = {
      'NAPTR example.com': [
        naptr(100, 50, 'SIP+D2U', '_sip._udp.example.com'),
        naptr(90, 50, 'SIP+D2T', '_sip._tcp.example.com'),
        naptr(50, 50, 'SIPS+D2T', '_sips._tcp.example.com'),
        naptr(10, 50, 'SIP+D2W', '_sip._ws.example.com'),
        { ...naptr(1, 1, 'SIP+D2U', ''), flags: 'u', regexp: '!.*!sip:x@y!' },
      ],
      'SRV _sip._tcp.example.com': [
        srv(0, 1, 5060, 'server1.example.com'),
        srv(0, 2, 5060, 'server2.example.com'),
      ],
      'SRV _sips._tcp.example.com': [srv(0, 1, 5061, 'server1.example.com')],
      'A server1.example.com': ['192.0.2.1'],
      'A server2.example.com': ['192.0.2.2'],
    };
    const found = locate('sip:example.com', zone);
    assert.deepEqual(found.targets, ['tls 192.0.2.1:5061', 'tcp 192.0.2.2:5060', 'tcp 192.0.2.1:5060']);
    assert.equal(found.identity, 'example.com');
    assert.deepEqual(
      locate('sip:example.com', zone, { supported: ['udp', 'tcp'] }).targets,
      found.targets.slice(1),
    );
  });

  it('the transport of a sips URI is TLS, whatever else NAPTR offers', () => {
    const zone: Zone = {
      'NAPTR example.com': [
        naptr(1, 1, 'SIP+D2U', '_sip._udp.example.com'),
        naptr(2, 1, 'SIPS+D2T', '_sips._tcp.example.com'),
      ],
      'SRV _sips._tcp.example.com': [srv(0, 0, 443, 'edge.example.net')],
      'A edge.example.net': ['192.0.2.1'],
    };
    const found = locate('sips:example.com', zone);
    assert.deepEqual(found.targets, ['tls 192.0.2.1:443']);
    assert.equal(found.identity, 'example.com');
    assert.deepEqual(found.asked.includes('SRV _sip._udp.example.com'), false);
  });

  it('the transport without NAPTR is that of the SRV records: _sip for sip, _sips for sips', () => {
    const zone: Zone = {
      'SRV _sip._tcp.example.com': [srv(1, 1, 5080, 'a.example.com')],
      'A a.example.com': ['192.0.2.1'],
    };
    const found = locate('sip:example.com', zone);
    assert.deepEqual(found.targets, ['tcp 192.0.2.1:5080']);
    assert.deepEqual(found.asked.slice(0, 3), [
      'NAPTR example.com',
      'SRV _sip._udp.example.com',
      'SRV _sip._tcp.example.com',
    ]);
    assert.deepEqual(locate('sips:example.com').asked.slice(0, 2), [
      'NAPTR example.com',
      'SRV _sips._tcp.example.com',
    ]);
  });

  it('a transport in the URI skips NAPTR and queries its SRV records', () => {
    const found = locate('sip:example.com;transport=tcp', { 'A example.com': ['192.0.2.1'] });
    assert.deepEqual(found.asked.slice(0, 1), ['SRV _sip._tcp.example.com']);
    assert.deepEqual(found.targets, ['tcp 192.0.2.1:5060']);
    assert.equal(locate('sip:example.com;transport=tls').asked[0], 'SRV _sips._tcp.example.com');
  });

  it('a transport that we cannot open has no target: sips over UDP, WebSocket, TLS without TLS', () => {
    for (const uri of [
      'sips:a.example;transport=udp',
      'sip:a.example;transport=ws',
      'sip:a.example;transport=sctp',
    ])
      assert.match(locate(uri).sentence ?? '', /a transport that we cannot open/);
    assert.match(
      locate('sips:192.0.2.1', {}, { supported: ['udp'] }).sentence ?? '',
      /needs TLS, which is not enabled/,
    );
  });
});

describe('RFC 3263 §4.2: address and port', () => {
  it('the addresses without SRV are those of the name itself, at the default port', () => {
    assert.deepEqual(locate('sip:example.com', { 'A example.com': ['192.0.2.1'] }).targets, [
      'udp 192.0.2.1:5060',
    ]);
    assert.deepEqual(locate('sips:example.com', { 'A example.com': ['192.0.2.1'] }).targets, [
      'tls 192.0.2.1:5061',
    ]);
  });

  it('the addresses are those of maddr, and the certificate must name the host (RFC 5922 §7.3)', () => {
    const found = locate('sips:example.com;maddr=192.0.2.9');
    assert.deepEqual([found.targets, found.identity], [['tls 192.0.2.9:5061'], 'example.com']);
  });

  it('an SRV target "." (RFC 2782) gives no address, and the name is not queried', () => {
    const none = [srv(0, 0, 0, '')];
    const zone = {
      'SRV _sip._udp.example.com': none,
      'SRV _sip._tcp.example.com': none,
      'A example.com': ['192.0.2.1'],
    };
    assert.match(locate('sip:example.com', zone).sentence ?? '', /offers no SIP service/);
  });

  it('a failed query counts as an empty answer', () => {
    const zone: Zone = {
      'NAPTR example.com': 'failed',
      'SRV _sip._udp.example.com': 'failed',
      'A example.com': ['192.0.2.1'],
    };
    assert.deepEqual(locate('sip:example.com', zone).targets, ['udp 192.0.2.1:5060']);
    assert.match(locate('sip:example.com', { 'A example.com': 'failed' }).sentence ?? '', /has no address/);
  });

  it('the targets are bounded, however many records DNS has', () => {
    const many = Array.from({ length: 100 }, (_, index) => srv(index, 0, 5060, `h${index}.example.com`));
    const zone: Record<string, readonly (SrvRecord | string)[]> = { 'SRV _sip._udp.example.com': many };
    for (let index = 0; index < 100; index += 1)
      zone[`A h${index}.example.com`] = Array.from({ length: 50 }, (_, host) => `192.0.${index}.${host}`);
    const found = locate('sip:example.com', zone);
    assert.equal(found.targets.length, 16);
    assert.equal(found.asked.filter((each) => each.startsWith('A ')).length, 8);
  });
});

it('a location ends once with the same targets, in any order of the answers and with repeated ones', () => {
  const zone: Zone = {
    'SRV _sip._udp.example.com': [srv(1, 0, 5060, 'a.example.com'), srv(2, 0, 5060, 'b.example.com')],
    'SRV _sip._tcp.example.com': [srv(1, 0, 5060, 'c.example.com')],
    'A a.example.com': ['192.0.2.1'],
    'A b.example.com': ['192.0.2.2'],
    'A c.example.com': ['192.0.2.3'],
  };
  const expected = locate('sip:example.com', zone).targets;
  fc.assert(
    fc.property(fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })), (draws) => {
      let step = startLocation(parseSipUri('sip:example.com')!, everything);
      const pending = [...step.effects];
      const ends: string[][] = [];
      while (pending.length > 0) {
        const at = Math.floor(draws.next().value! * pending.length);
        const effect = pending[at]!;
        // At times an answer stays in the queue and comes again.
        if (draws.next().value! < 0.7) pending.splice(at, 1);
        if (effect.do === 'found')
          ends.push(effect.targets.map((each) => `${each.protocol} ${each.host}:${each.port}`));
        if (effect.do !== 'ask') {
          if (pending.includes(effect)) pending.splice(pending.indexOf(effect), 1);
          continue;
        }
        step = stepLocation(
          step.state,
          { type: 'answered', query: effect.query, answer: answerFrom(zone, effect.query) },
          () => 0,
        );
        pending.push(...step.effects);
      }
      assert.deepEqual(ends, [expected]);
      assert.equal(step.state.phase, 'over');
    }),
    { numRuns: 50 },
  );
});
