import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressVersion, isHoldAddress, isUnicastAddress } from './address.ts';

describe('An address that media may be sent to', () => {
  const unicast: readonly string[] = [
    '192.0.2.1',
    '0.0.0.0',
    '223.255.255.255',
    '2001:db8::1',
    '::1',
    '::',
    '1:2:3:4:5:6:7:8',
    '1::',
    '::ffff:192.0.2.1',
    '1:2:3:4:5:6:192.0.2.1',
    'FE80::ABCD',
  ];
  for (const address of unicast) it(`${address} is one`, () => assert.equal(isUnicastAddress(address), true));

  const others: readonly (readonly [string, string])[] = [
    ['', 'is empty'],
    ['224.0.0.1', 'is multicast'],
    ['255.255.255.255', 'is the broadcast address'],
    ['ff02::1', 'is multicast'],
    ['FF0E::1', 'is multicast'],
    ['256.0.0.1', 'has an octet above 255'],
    ['192.0.2', 'has three octets'],
    ['192.0.2.1.5', 'has five octets'],
    ['192.0.2.1 ', 'has a space'],
    ['phone.example.com', 'is a name'],
    ['1:2:3:4:5:6:7', 'has seven groups'],
    ['1:2:3:4:5:6:7:8:9', 'has nine groups'],
    ['1:2:3:4::5:6:7:8', 'has eight groups around ::'],
    ['1::2::3', 'has :: twice'],
    ['2001:db8::12345', 'has a group of five digits'],
    ['2001:db8::g', 'has a letter that is no digit'],
    ['::ffff:192.0.2.256', 'ends in a wrong IPv4 address'],
    ['[2001:db8::1]', 'has brackets'],
    ['fe80::1%eth0', 'has a zone'],
  ];
  for (const [address, reason] of others) {
    it(`${JSON.stringify(address)} is none: it ${reason}`, () =>
      assert.equal(isUnicastAddress(address), false));
  }
});

describe('An address in c=', () => {
  for (const [address, isHold] of [
    ['0.0.0.0', true],
    ['::', true],
    ['anonymous.invalid', true],
    ['anonymous.INVALID', true],
    ['192.0.2.1', false],
    ['0.0.0.1', false],
    ['::1', false],
    ['invalid.example.com', false],
  ] as const) {
    it(`${address} ${isHold ? 'puts on hold' : 'is no hold'} (RFC 3264 §8.4)`, () =>
      assert.equal(isHoldAddress(address), isHold));
  }

  for (const [address, version] of [
    ['192.0.2.1', 4],
    ['2001:db8::1', 6],
    ['::ffff:192.0.2.1', 6],
    ['phone.example.com', 4],
  ] as const) {
    it(`${address} is written as IP${version}`, () => assert.equal(addressVersion(address), version));
  }
});
