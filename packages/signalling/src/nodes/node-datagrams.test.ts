import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Flow } from '@jackfield/sip';
import { datagramBytes, readDatagram } from './node-datagrams.ts';

const flow: Flow = {
  id: 'tcp-k3f9q2-1',
  protocol: 'tcp',
  reliable: true,
  remoteAddress: '2001:db8::7',
  remotePort: 5062,
  localAddress: '198.51.100.1',
  localPort: 5060,
};

test('a message between nodes keeps every byte, and its flow apart from its reliability', () => {
  const text = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code));
  assert.deepEqual(readDatagram(datagramBytes({ flow, text })), { flow: { ...flow, reliable: false }, text });
});

test('a message between nodes may be empty, or as long as the largest one over TCP', () => {
  for (const length of [0, 65_536]) {
    const text = 'x'.repeat(length);
    assert.equal(readDatagram(datagramBytes({ flow, text })).text, text);
  }
});

test('a flow with a long name or one beyond ASCII does not shift the message', () => {
  for (const id of [`ws-${'n'.repeat(1_000)}`, 'ws-ä€𝄞-1']) {
    const { flow: read, text } = readDatagram(datagramBytes({ flow: { ...flow, id }, text: 'BYE' }));
    assert.deepEqual([read.id, text], [id, 'BYE']);
  }
});
