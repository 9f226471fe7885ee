import assert from 'node:assert/strict';
import type { NetworkInterfaceInfo } from 'node:os';
import { test } from 'node:test';
import { detectPublicAddress } from './public-address.ts';

const at = (address: string, internal = false): NetworkInterfaceInfo => {
  const rest = { address, internal, netmask: '', mac: '', cidr: null };
  return address.includes(':') ? { ...rest, family: 'IPv6', scopeid: 0 } : { ...rest, family: 'IPv4' };
};
const interfaces = {
  lo: [at('127.0.0.1', true), at('::1', true)],
  usb0: [at('169.254.3.4'), at('fe80::1')],
  eth0: [at('192.0.2.10'), at('2001:db8::10')],
};

test('phones get the address that SIP is bound to', () => {
  assert.equal(detectPublicAddress('198.51.100.1', interfaces), '198.51.100.1');
  assert.equal(detectPublicAddress('localhost', interfaces), '127.0.0.1');
});

test('bound to every address, phones get the first address that others can reach', () => {
  assert.equal(detectPublicAddress('0.0.0.0', interfaces), '192.0.2.10');
  assert.equal(detectPublicAddress('::', interfaces), '2001:db8::10');
  assert.equal(detectPublicAddress('0.0.0.0', { lo: interfaces.lo }), '127.0.0.1');
});
