import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressProblem, isListed } from './address-list.ts';

const v4 = fc.nat({ max: 0xffff_ffff });
const printed = (address: number) => [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');

test('an IPv4 network lists exactly the addresses with its first bits', () => {
  fc.assert(
    fc.property(v4, v4, fc.integer({ min: 8, max: 32 }), (network, address, prefix) => {
      const size = 2 ** (32 - prefix);
      const first = Math.floor(network / size) * size;
      const entry = `${printed(first)}/${prefix}`;
      assert.equal(addressProblem(entry), undefined);
      assert.equal(isListed([entry], printed(address)), address >= first && address < first + size);
      assert.ok(isListed(['192.0.2.1', entry], printed(network)));
    }),
  );
});

test('an IPv6 address is listed however it is written (RFC 4291 §2.2)', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
      const whole = groups.map((group) => group.toString(16).padStart(4, '0').toUpperCase()).join(':');
      const short = new URL(`http://[${whole}]/`).hostname.slice(1, -1);
      assert.ok(isListed([whole], short));
      assert.ok(isListed([short], whole));
      assert.equal(addressProblem(`${short}/128`), undefined);
    }),
  );
});

test('no text makes the parser throw, and an address that cannot be parsed is in no list', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), fc.stringMatching(/^[0-9a-f:./]{0,50}$/), (text, near) => {
      for (const odd of [text, near]) {
        if (addressProblem(odd) !== undefined && !odd.includes('/')) assert.ok(!isListed([odd], odd));
      }
    }),
  );
  assert.ok(!isListed(['192.0.2.0/24'], '192.0.2.0/24'));
});
