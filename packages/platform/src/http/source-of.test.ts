import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networksOf, sourceOf } from './source-of.ts';

test('addresses of one IPv6 /64 are one source, mapped IPv4 addresses are IPv4', () => {
  assert.equal(sourceOf('192.0.2.1'), '192.0.2.1');
  assert.equal(sourceOf('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(sourceOf('2001:db8:0:1::5'), '2001:db8:0:1::/64');
  assert.equal(sourceOf('2001:db8:0:1:ffff:ffff:ffff:ffff'), '2001:db8:0:1::/64');
  assert.equal(sourceOf('2001:0db8:0000:0001::'), '2001:db8:0:1::/64');
  assert.equal(sourceOf('fe80::1%eth0'), 'fe80:0:0:0::/64');
  assert.equal(sourceOf('::1'), '0:0:0:0::/64');
});

test('an address is held against networks of both families, a mapped one as IPv4', () => {
  const isTrusted = networksOf(['192.0.2.0/24', '198.51.100.7', '2001:db8::/32']);
  const inside = ['192.0.2.255', '::ffff:192.0.2.1', '198.51.100.7', '2001:db8:1::1'];
  const outside = ['192.0.3.0', '198.51.100.8', '2001:db9::1', '::1', '', 'example.com'];
  assert.deepEqual(inside.map(isTrusted), [true, true, true, true]);
  assert.deepEqual(outside.map(isTrusted), [false, false, false, false, false, false]);
  assert.equal(networksOf([])('127.0.0.1'), false);
});
