import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readCarriers } from './read-carriers.ts';

const plain = {
  name: 'alpha',
  host: 'sip.alpha.example',
  prefixes: [{ prefix: '' }],
  caps: { concurrent_calls: 10 },
};

function fileOf(...carriers: readonly unknown[]): string {
  return JSON.stringify({ carriers });
}

function problemsOf(text: string): readonly string[] {
  const read = readCarriers(text);
  assert.ok(!read.ok);
  return read.problems;
}

describe('the operator’s file', () => {
  it('is read with defaults for absent fields', () => {
    const read = readCarriers(fileOf(plain));
    assert.ok(read.ok);
    assert.deepEqual(read.carriers, [
      {
        name: 'alpha',
        host: 'sip.alpha.example',
        port: undefined,
        transport: 'udp',
        registration: undefined,
        prefixes: [{ prefix: '', priority: 1, weight: 1 }],
        callerId: { rule: 'keep' },
        caps: { callsPerSecond: undefined, concurrentCalls: 10, spendPerHour: undefined },
        probeSeconds: 30,
        ringingWithinSeconds: 8,
        addresses: [],
      },
    ]);
    assert.deepEqual(read.accounts, []);
  });

  it('gives passwords to signalling alone', () => {
    const registration = { aor: 'sip:me@sip.alpha.example', expires: 600 };
    const read = readCarriers(
      fileOf({ ...plain, username: 'me', password: 'dear secret', realm: 'alpha', registration }),
    );
    assert.ok(read.ok);
    assert.deepEqual(read.accounts, [
      { carrier: 'alpha', username: 'me', password: 'dear secret', realm: 'alpha' },
    ]);
    assert.ok(!JSON.stringify(read.carriers).includes('dear secret'));
    assert.equal(read.carriers[0]?.registration?.expiresSeconds, 600);
  });

  it('is refused when a carrier has no cap', () => {
    const { caps: _, ...uncapped } = plain;
    for (const carrier of [uncapped, { ...plain, caps: {} }]) {
      assert.match(problemsOf(fileOf(carrier))[0]!, /^carriers\[0\]\.caps must have at least one of/);
    }
    assert.match(
      problemsOf(fileOf({ ...plain, caps: { concurrent_calls: 0 } }))[0]!,
      /^carriers\[0\]\.caps\.concurrent_calls must be a whole number from 1/,
    );
  });

  it('has amounts as texts, so that no float rounds them', () => {
    const read = readCarriers(fileOf({ ...plain, caps: { spend_per_hour: '25.5' } }));
    assert.ok(read.ok);
    assert.equal(read.carriers[0]?.caps.spendPerHour, 2_550_000);
    assert.match(
      problemsOf(fileOf({ ...plain, caps: { spend_per_hour: 25 } }))[0]!,
      /spend_per_hour must be/,
    );
  });

  it('has a sentence for each mistake, with its entry', () => {
    const problems = problemsOf(
      fileOf(
        { ...plain, port: 0, transport: 'ws' },
        { ...plain, name: 'beta', host: 'a b', colour: 'red' },
        { ...plain, name: 'gamma', registration: { aor: 'me' } },
        { ...plain, name: 'delta', prefixes: [{ prefix: '+1' }, { prefix: '1' }, { prefix: '1' }] },
        { ...plain, name: 'epsilon', caller_id: { rule: 'replace' } },
        { ...plain, name: 'zeta', addresses: ['192.0.2.0/24', 'home'] },
        plain,
        7,
      ),
    );
    assert.deepEqual(
      problems.map((each) => each.slice(0, each.indexOf(' '))),
      [
        'carriers[0].port',
        'carriers[0].transport',
        'carriers[1].colour',
        'carriers[1].host',
        'carriers[2].registration',
        'carriers[2].registration.aor',
        'carriers[3].prefixes[0].prefix',
        'carriers[3].prefixes[2].prefix',
        'carriers[4].caller_id.number',
        'carriers[5].addresses[1]',
        'carriers[6].name',
        'carriers[7]',
      ],
    );
  });

  const registration = (aor: string) => ({ username: 'me', password: 'secret', registration: { aor } });
  const wrongFields: readonly (readonly [field: string, fields: object])[] = [
    ...[
      '[::::]',
      '[::1',
      '[fe80::1%eth0]',
      '::1',
      '999.1.1.1',
      '1.2.3',
      '01.2.3.4',
      'a..b',
      'a.',
      '-a.b',
    ].map((host) => ['host', { host }] as const),
    ...['sip:me@[::1', 'sip:me@x:99999', 'sip:me@x:0', 'sip:me@999.1.1.1', 'sip:me@a..b'].map(
      (aor) => ['registration.aor', registration(aor)] as const,
    ),
    ...[
      '10.0.0.0/99',
      '10.0.0.0/',
      '999.1.1.1',
      '01.2.3.4',
      ':::',
      'fe80::1%eth0',
      '::/129',
      '1.2.3.4/8/8',
      '0.0.0.0/0',
      '10.0.0.0/7',
      '::/0',
      '2000::/3',
    ].map((address) => ['addresses[0]', { addresses: [address] }] as const),
  ];
  for (const [field, wrong] of wrongFields) {
    it(`is refused where an address is none, or names half the world: ${JSON.stringify(wrong)}`, () => {
      const problems = problemsOf(fileOf({ ...plain, ...wrong }));
      assert.deepEqual(
        problems.map((each) => each.slice(0, each.indexOf(' '))),
        [`carriers[0].${field}`],
      );
    });
  }

  it('accepts names and addresses of both families', () => {
    for (const fields of [
      ...[
        'localhost',
        'a-1.Example',
        'xn--bcher-kva.example',
        '192.0.2.1',
        '[2001:db8::1]',
        '3.pool.example',
      ].map((host) => ({ host })),
      ...['sip:me@sip.example.com', 'sips:+1202@[::1]:5061', 'sip:me@192.0.2.1:65535'].map(registration),
      { addresses: ['192.0.2.1', '10.0.0.0/8', '192.0.2.7/24', '::1', '2001:db8::/32', '::ffff:192.0.2.1'] },
    ]) {
      const read = readCarriers(fileOf({ ...plain, ...fields }));
      assert.deepEqual(read.ok ? [] : read.problems, []);
    }
  });

  it('shows no password in a sentence, not even where the file is no JSON', () => {
    const wrong = { ...plain, username: 'me', password: 'dear\u0000secret' };
    assert.ok(problemsOf(fileOf(wrong)).every((each) => !each.includes('dear')));
    const broken = '{"carriers": [{"password": "dear secret" oops}]}';
    assert.ok(problemsOf(broken).every((each) => !each.includes('dear')));
  });

  it('never throws, whatever it is', () => {
    fc.assert(fc.property(fc.string(), (text) => void readCarriers(text)));
    fc.assert(
      fc.property(fc.jsonValue(), (value) => void readCarriers(JSON.stringify({ carriers: [value] }))),
    );
  });
});

it('the file that docs/guides/carriers.md shows is read', () => {
  const page = new URL('../../../../../../docs/guides/carriers.md', import.meta.url);
  const [, shown = ''] = /```json[^\n]*\n([\s\S]*?)```/.exec(readFileSync(page, 'utf8')) ?? [];
  assert.deepEqual(readCarriers(shown).ok, true);
});
