import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddressGuard, createAudioGuard } from './address-guard.ts';

const production = createAddressGuard({ allow: [], privateToo: false });
const sandbox = createAddressGuard({ allow: [], privateToo: true });

test('addresses of the public Internet are open', () => {
  for (const address of [
    '8.8.8.8',
    '100.63.255.255',
    '172.32.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
    '::ffff:8.8.8.8',
  ]) {
    assert.ok(production(address), address);
  }
});

const closedAlways = [
  ['metadata', '169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '168.63.129.16', '::ffff:a9fe:a9fe'],
  ['link-local', '169.254.0.1', 'fe80::1', 'fe80::1%eth0'],
  ['shared (CGNAT)', '100.64.0.1', '100.127.255.255'],
  ['multicast and broadcast', '224.0.0.1', '239.1.2.3', '255.255.255.255', 'ff02::1'],
  ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
  ['reserved and documentation', '240.0.0.1', '192.0.2.1', '198.18.0.1', '2001:db8::1', '3fff::1', '4000::1'],
  ['IPv4-compatible', '::127.0.0.1', '::8.8.8.8'],
  ['NAT64', '64:ff9b::a00:1', '64:ff9b::808:808', '64:ff9b:1::1'],
  ['6to4 and Teredo', '2002:7f00:1::', '2002:808:808::1', '2001::1'],
  ['no address', '', 'localhost', '1.2.3', '0x7f.1', '[::1]'],
];
for (const [what, ...addresses] of closedAlways) {
  test(`closed, in the sandbox too: ${what}`, () => {
    for (const address of addresses) {
      assert.ok(!production(address), address);
      assert.ok(!sandbox(address), address);
    }
  });
}

test('private networks and loopback are open only in the sandbox', () => {
  const addresses = [
    '10.0.0.1',
    '127.0.0.1',
    '127.255.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '::1',
    'fd12::1',
  ];
  for (const address of [...addresses, '::ffff:10.0.0.1', '::ffff:7f00:1']) {
    assert.ok(!production(address), address);
    assert.ok(sandbox(address), address);
  }
});

test('an address that the operator allows overrides every refusal, and opens no other address', () => {
  const guard = createAddressGuard({
    allow: ['10.1.0.0/16', '169.254.169.254/32', 'fd00::/8'],
    privateToo: false,
  });
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '169.254.169.254', 'fd00:ec2::254'])
    assert.ok(guard(address), address);
  for (const address of ['10.2.0.1', '169.254.169.253', 'fc00::1']) assert.ok(!guard(address), address);
});

test('audio of a phone may go to private networks, but not to this machine, metadata services, link-local addresses or multicast groups', () => {
  const audio = createAudioGuard({ allow: [], privateToo: false });
  const open = [
    '10.0.0.7',
    '192.168.1.2',
    '172.16.0.1',
    '100.64.0.1',
    'fd12::1',
    '8.8.8.8',
    '2a00:1450::1',
    '::ffff:10.0.0.7',
  ];
  for (const address of open) assert.ok(audio(address), address);
  for (const address of [
    '127.0.0.1',
    '127.8.8.8',
    '::1',
    '::ffff:127.0.0.1',
    '0.1.2.3',
    'localhost',
    '',
    'fe80::1%eth0',
  ])
    assert.ok(!audio(address), address);
  for (const address of [
    '169.254.169.254',
    '169.254.1.1',
    'fe80::1',
    'fd00:ec2::254',
    '100.100.100.200',
    '168.63.129.16',
  ])
    assert.ok(!audio(address), address);
  for (const address of [
    '224.0.0.1',
    '239.9.9.9',
    '255.255.255.255',
    'ff02::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001::1',
  ])
    assert.ok(!audio(address), address);
  assert.ok(
    createAudioGuard({ allow: [], privateToo: true })('127.0.0.1'),
    'phones of the sandbox are on this machine',
  );
  assert.ok(
    createAudioGuard({ allow: ['169.254.9.0/24'], privateToo: false })('169.254.9.1'),
    'the operator allows it',
  );
});
