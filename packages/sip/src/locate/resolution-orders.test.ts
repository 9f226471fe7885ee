import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSipUri } from '../message/uri.ts';
import { type DnsAnswer, type NaptrRecord, queryKey, type SrvRecord } from './dns-records.ts';
import { type LocationEffect, type LocationOptions, startLocation, stepLocation } from './location.ts';

const naptr = (
  order: number,
  preference: number,
  service: string,
  replacement: string,
  more: Partial<NaptrRecord> = {},
): NaptrRecord => ({
  order,
  preference,
  flags: 's',
  service,
  regexp: '',
  replacement,
  ...more,
});
const srv = (target: string, port = 5060, priority = 0, weight = 0): SrvRecord => ({
  priority,
  weight,
  port,
  target,
});

type Zone = Readonly<Record<string, readonly NaptrRecord[] | readonly SrvRecord[] | readonly string[]>>;

/** Resolves a URI in a zone: the names that were queried, in order, and the targets or the failure. */
function located(
  uri: string,
  zone: Zone,
  options: Partial<LocationOptions> = {},
  chance = () => 0,
): { asked: string[]; found: string[] } {
  const asked: string[] = [];
  let found: string[] = [];
  const begun = startLocation(parseSipUri(uri)!, {
    supported: ['udp', 'tcp', 'tls'],
    families: ['A'],
    ...options,
  });
  let { state } = begun;
  const queue: LocationEffect[] = [...begun.effects];
  for (let effect = queue.shift(); effect !== undefined; effect = queue.shift()) {
    if (effect.do === 'fail') found = [effect.sentence];
    else if (effect.do === 'found')
      found = effect.targets.map(
        ({ protocol, host, port, identity }) => `${protocol} ${host}:${port} ${identity}`,
      );
    else {
      const key = queryKey(effect.query);
      asked.push(key);
      const records = zone[key];
      const answer =
        records === undefined ? { type: 'failed' } : { type: effect.query.type, records, ttlMs: 1000 };
      const step = stepLocation(
        state,
        { type: 'answered', query: effect.query, answer: answer as DnsAnswer },
        chance,
      );
      state = step.state;
      queue.push(...step.effects);
    }
  }
  assert.equal(state.phase, 'over');
  return { asked, found };
}

const addresses: Zone = {
  'A example.com': ['192.0.2.1'],
  'A a.example.com': ['192.0.2.2'],
  'A b.example.com': ['192.0.2.3'],
};

describe('the DNS queries of a location (RFC 3263 §4.1)', () => {
  for (const [rule, uri, asked, found] of [
    ['an address needs no DNS', 'sip:192.0.2.9', [], ['udp 192.0.2.9:5060 192.0.2.9']],
    ['an IPv6 address needs none', 'sip:[2001:db8::1]:70', [], ['udp 2001:db8::1:70 2001:db8::1']],
    ['an address with a transport', 'sip:192.0.2.9;transport=tcp', [], ['tcp 192.0.2.9:5060 192.0.2.9']],
    ['a sips address is TLS', 'sips:192.0.2.9', [], ['tls 192.0.2.9:5061 192.0.2.9']],
    [
      'maddr takes precedence over the host, which the certificate must name',
      'sip:example.com;maddr=192.0.2.9',
      [],
      ['udp 192.0.2.9:5060 example.com'],
    ],
    [
      'a port asks for addresses alone',
      'sip:example.com:70',
      ['A example.com'],
      ['udp 192.0.2.1:70 example.com'],
    ],
    [
      'a port and a transport',
      'sip:example.com:70;transport=tls',
      ['A example.com'],
      ['tls 192.0.2.1:70 example.com'],
    ],
    [
      'a transport asks for its SRV records, then for the name itself',
      'sip:example.com;transport=tcp',
      ['SRV _sip._tcp.example.com', 'A example.com'],
      ['tcp 192.0.2.1:5060 example.com'],
    ],
    [
      'a name asks NAPTR, then SRV of each transport, then the name itself',
      'sip:example.com',
      ['NAPTR example.com', 'SRV _sip._udp.example.com', 'SRV _sip._tcp.example.com', 'A example.com'],
      ['udp 192.0.2.1:5060 example.com'],
    ],
    [
      'a sips name asks for TLS alone',
      'sips:example.com',
      ['NAPTR example.com', 'SRV _sips._tcp.example.com', 'A example.com'],
      ['tls 192.0.2.1:5061 example.com'],
    ],
    [
      'a sips name with transport=tcp is TLS over TCP',
      'sips:example.com;transport=tcp',
      ['NAPTR example.com', 'SRV _sips._tcp.example.com', 'A example.com'],
      ['tls 192.0.2.1:5061 example.com'],
    ],
    [
      'a name without anything fails',
      'sip:nowhere.example',
      [
        'NAPTR nowhere.example',
        'SRV _sip._udp.nowhere.example',
        'SRV _sip._tcp.nowhere.example',
        'A nowhere.example',
      ],
      ['nowhere.example has no address.'],
    ],
  ] as const) {
    it(rule, () => assert.deepEqual(located(uri, addresses), { asked, found }));
  }

  for (const [rule, uri, sentence] of [
    ['sips over UDP', 'sips:example.com;transport=udp', /only TLS for sips/],
    ['a WebSocket', 'sip:example.com;transport=ws', /transport that we cannot open/],
    ['SCTP', 'sip:192.0.2.1;transport=sctp', /transport that we cannot open/],
  ] as const) {
    it(`${rule} cannot be opened`, () => {
      const { asked, found } = located(uri, addresses);
      assert.deepEqual(asked, []);
      assert.match(found[0]!, sentence);
    });
  }

  for (const [uri, protocol] of [
    ['sip:192.0.2.1', 'UDP'],
    ['sips:example.com', 'TLS'],
    ['sip:example.com;transport=tls', 'TLS'],
    ['sip:example.com:5060', 'UDP'],
  ] as const) {
    it(`${uri} fails where ${protocol} is not enabled`, () => {
      assert.deepEqual(located(uri, addresses, { supported: ['tcp'] }).found, [
        `The URI needs ${protocol}, which is not enabled.`,
      ]);
    });
  }
});

describe('the order of NAPTR records (RFC 3263 §4.1, RFC 3403 §4)', () => {
  const zone = (...records: readonly NaptrRecord[]): Zone => ({
    ...addresses,
    'NAPTR example.com': records,
    'SRV _u.x': [srv('a.example.com', 1)],
    'SRV _t.x': [srv('a.example.com', 2)],
    'SRV _s.x': [srv('a.example.com', 3)],
  });
  const ports = (
    uri: string,
    options: Partial<LocationOptions>,
    ...records: readonly NaptrRecord[]
  ): string =>
    located(uri, zone(...records), options)
      .found.map((target) => target.split(' ').slice(0, 2).join(' ').replace('192.0.2.2:', ''))
      .join(', ');
  const [u, t, s] = [
    naptr(20, 10, 'SIP+D2U', '_u.x'),
    naptr(10, 20, 'SIP+D2T', '_t.x'),
    naptr(10, 10, 'SIPS+D2T', '_s.x'),
  ];

  for (const [rule, uri, options, records, expected] of [
    ['order takes precedence over preference', 'sip:example.com', {}, [u, t, s], 'tls 3, tcp 2, udp 1'],
    [
      'unsupported transports are left out',
      'sip:example.com',
      { supported: ['udp', 'tcp'] },
      [u, t, s],
      'tcp 2, udp 1',
    ],
    ['a sips URI uses SIPS alone', 'sips:example.com', {}, [u, t, s], 'tls 3'],
    ['services are compared without case', 'sip:example.com', {}, [naptr(1, 1, 'sip+d2u', '_u.x')], 'udp 1'],
    [
      'flags are compared without case',
      'sip:example.com',
      {},
      [naptr(1, 1, 'SIP+D2U', '_u.x', { flags: 'S' })],
      'udp 1',
    ],
    [
      'at most four records are followed',
      'sip:example.com',
      {},
      [1, 2, 3, 4, 5].map((n) => naptr(n, 0, 'SIP+D2U', n < 5 ? `_none${n}.x` : '_u.x')),
      'udp 192.0.2.1:5060',
    ],
    [
      'two records of one name are asked once',
      'sip:example.com',
      {},
      [u, naptr(30, 0, 'SIP+D2U', '_U.X')],
      'udp 1',
    ],
  ] as const) {
    it(rule, () => assert.equal(ports(uri, options as Partial<LocationOptions>, ...records), expected));
  }

  for (const [rule, record] of [
    ['of another flag', naptr(1, 1, 'SIP+D2U', '_u.x', { flags: 'u' })],
    ['with a regular expression', naptr(1, 1, 'SIP+D2U', '_u.x', { regexp: '!x!y!' })],
    ['of another service', naptr(1, 1, 'E2U+sip', '_u.x')],
    ['with the root as its replacement', naptr(1, 1, 'SIP+D2U', '.')],
    ['without a replacement', naptr(1, 1, 'SIP+D2U', '')],
  ] as const) {
    it(`a record ${rule} is ignored, as if there were none`, () => {
      assert.deepEqual(located('sip:example.com', zone(record)).asked.slice(1, 3), [
        'SRV _sip._udp.example.com',
        'SRV _sip._tcp.example.com',
      ]);
    });
  }
});

describe('the targets of SRV records (RFC 3263 §4.2, RFC 2782)', () => {
  const of = (
    records: readonly SrvRecord[],
    options: Partial<LocationOptions> = {},
    more: Zone = {},
  ): string[] =>
    located(
      'sip:example.com;transport=udp',
      { ...addresses, 'SRV _sip._udp.example.com': records, ...more },
      options,
    ).found;

  for (const [rule, records, found] of [
    [
      'priorities in order, each with its port',
      [srv('b.example.com', 7, 20), srv('a.example.com', 6, 10)],
      ['udp 192.0.2.2:6 example.com', 'udp 192.0.2.3:7 example.com'],
    ],
    [
      'a target without an address is skipped',
      [srv('ghost.example.com', 6), srv('a.example.com', 7, 1)],
      ['udp 192.0.2.2:7 example.com'],
    ],
    [
      'the root alone means that there is no service',
      [srv('.', 0)],
      ['example.com offers no SIP service: no SRV record names a host and port.'],
    ],
    [
      'port 0 is none',
      [srv('a.example.com', 0)],
      ['example.com offers no SIP service: no SRV record names a host and port.'],
    ],
    [
      'the root beside others is ignored',
      [srv('.', 0), srv('a.example.com', 6, 9)],
      ['udp 192.0.2.2:6 example.com'],
    ],
    [
      'the same host at two ports is asked once and tried twice',
      [srv('a.example.com', 6), srv('A.example.com', 7, 1)],
      ['udp 192.0.2.2:6 example.com', 'udp 192.0.2.2:7 example.com'],
    ],
  ] as const) {
    it(rule, () => assert.deepEqual(of(records), found));
  }

  it('each target has the addresses of all families, in their order', () => {
    const more: Zone = {
      'A a.example.com': ['192.0.2.2', '192.0.2.4'],
      'AAAA a.example.com': ['2001:db8::2'],
    };
    const records = [srv('a.example.com', 6)];
    const hosts = (families: LocationOptions['families']): string[] =>
      of(records, { families }, more).map((target) => target.split(' ')[1]!);
    assert.deepEqual(hosts(['AAAA', 'A']), ['2001:db8::2:6', '192.0.2.2:6', '192.0.2.4:6']);
    assert.deepEqual(hosts(['A', 'AAAA']), ['192.0.2.2:6', '192.0.2.4:6', '2001:db8::2:6']);
    assert.deepEqual(hosts(['AAAA']), ['2001:db8::2:6']);
  });

  it('names and targets are limited, the best first', () => {
    const records = Array.from({ length: 12 }, (_, n) => srv(`h${n}.x`, 6, n));
    const more = Object.fromEntries(
      records.map(({ target }, n) => [`A ${target}`, [`10.0.0.${n}`, `10.0.1.${n}`]]),
    );
    const hosts = of(records, {}, more).map((target) => target.split(' ')[1]!);
    assert.deepEqual([hosts.length, hosts[0], hosts[15]], [16, '10.0.0.0:6', '10.0.1.7:6']);
    assert.equal(of(records, { maxNames: 2 }, more).length, 4);
    assert.equal(of(records, { maxTargets: 3 }, more).length, 3);
  });
});

describe('answers of DNS', () => {
  it('answers to no query, repeated answers and answers after the end change nothing', () => {
    const { state } = startLocation(parseSipUri('sip:example.com:70')!, {
      supported: ['udp'],
      families: ['A', 'AAAA'],
    });
    const answer: DnsAnswer = { type: 'A', records: ['192.0.2.1'], ttlMs: 1 };
    const other = stepLocation(
      state,
      { type: 'answered', query: { type: 'A', name: 'other' }, answer },
      Math.random,
    );
    assert.deepEqual([other.state, other.effects], [state, []]);
    const first = stepLocation(
      state,
      { type: 'answered', query: { type: 'A', name: 'EXAMPLE.com' }, answer },
      Math.random,
    );
    assert.deepEqual(first.effects, []);
    const again = stepLocation(
      first.state,
      { type: 'answered', query: { type: 'A', name: 'example.com' }, answer: { type: 'failed' } },
      Math.random,
    );
    assert.equal(again.state, first.state);
    const last = stepLocation(
      first.state,
      { type: 'answered', query: { type: 'AAAA', name: 'example.com' }, answer: { type: 'failed' } },
      Math.random,
    );
    assert.deepEqual(
      last.effects.map((effect) => effect.do),
      ['found'],
    );
    const late = stepLocation(
      last.state,
      { type: 'answered', query: { type: 'A', name: 'example.com' }, answer },
      Math.random,
    );
    assert.deepEqual(late.effects, []);
  });
});
