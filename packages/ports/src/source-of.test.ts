import assert from 'node:assert/strict';
import { BlockList, isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { networksOf, sourceOf } from './source-of.ts';

test('addresses of one IPv6 /64 are one source, mapped IPv4 addresses are IPv4', () => {
  assert.equal(sourceOf('192.0.2.1'), '192.0.2.1');
  assert.equal(sourceOf('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(sourceOf('::ffff:c000:201'), '192.0.2.1');
  assert.equal(sourceOf('2001:db8:0:1::5'), '2001:db8:0:1::/64');
  assert.equal(sourceOf('2001:db8:0:1:ffff:ffff:ffff:ffff'), '2001:db8:0:1::/64');
  assert.equal(sourceOf('2001:0db8:0000:0001::'), '2001:db8:0:1::/64');
  assert.equal(sourceOf('fe80::1%eth0'), 'fe80:0:0:0::/64');
  assert.equal(sourceOf('::1'), '0:0:0:0::/64');
});

test('an address is compared with networks of both families, a mapped one as IPv4', () => {
  const isTrusted = networksOf(['192.0.2.0/24', '198.51.100.7', '2001:db8::/32']);
  const inside = ['192.0.2.255', '::ffff:192.0.2.1', '198.51.100.7', '2001:db8:1::1'];
  const outside = ['192.0.3.0', '198.51.100.8', '2001:db9::1', '::1', '', 'example.com'];
  assert.deepEqual(inside.map(isTrusted), [true, true, true, true]);
  assert.deepEqual(outside.map(isTrusted), [false, false, false, false, false, false]);
  assert.equal(networksOf([])('127.0.0.1'), false);
});

test('an address of a network is read as the operating system reads it', () => {
  const group = fc.oneof(
    fc.constant('0'),
    fc.nat(65535).map((each) => each.toString(16)),
  );
  const ipv6 = fc
    .tuple(
      fc.array(group, { maxLength: 8 }),
      fc.array(group, { maxLength: 4 }),
      fc.constantFrom('::', ':', ''),
    )
    .map(([left, right, between]) => `${left.join(':')}${between}${right.join(':')}`);
  const text = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    ipv6,
    fc.ipV4().map((each) => `::ffff:${each}`),
    fc.string({ unit: fc.constantFrom(...'0123456789abf:.%'), maxLength: 20 }),
  );
  fc.assert(
    fc.property(text, fc.nat(128), text, (base, bits, address) => {
      const version = isIP(base);
      if (version === 0 || base.includes('%')) {
        if (version === 0) assert.throws(() => networksOf([base]));
        return;
      }
      const kept = Math.min(bits, version === 4 ? 32 : 128);
      const list = new BlockList();
      list.addSubnet(base, kept, version === 4 ? 'ipv4' : 'ipv6');
      const isIn = networksOf([`${base}/${kept}`]);
      for (const each of [address, base]) {
        const family = isIP(each);
        const expected = family !== 0 && list.check(each, family === 6 ? 'ipv6' : 'ipv4');
        assert.equal(isIn(each), expected, `${each} in ${base}/${kept}`);
      }
    }),
    { numRuns: 2000 },
  );
});

test('an address with an empty or a malformed zone belongs to no network', () => {
  const isIn = networksOf(['::/0']);
  assert.deepEqual(['fe80::1%eth0', '::%', '::1%a%b'].map(isIn), [true, false, false]);
});

test('a malformed network is refused when it is configured', () => {
  for (const wrong of [
    '',
    'example.com',
    '192.0.2.0/33',
    '192.0.2.0/',
    '2001:db8::/129',
    '192.0.2.01',
    ':::',
  ]) {
    assert.throws(() => networksOf([wrong]), /is no network/, wrong);
  }
});
