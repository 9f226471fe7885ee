import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { mutatedBytes } from '@jackfield/testkit/mutated';
import fc from 'fast-check';
import { nodeCiphers } from '../io/srtp-ciphers.ts';
import { datagramKind } from './demultiplex.ts';
import { IceAgent } from './ice-agent.ts';
import type { IceSource } from './ice-machine.ts';
import { hasRightFingerprint, isSigned } from './stun-integrity.ts';
import { readStun } from './stun-message.ts';
import { mappedAddress } from './stun-writer.ts';

const folder = new URL('../../corpus/datagrams/', import.meta.url);
const corpus = readdirSync(folder).map((name) => ({
  name,
  bytes: new Uint8Array(readFileSync(new URL(name, folder))),
}));
const from: IceSource = { transport: 'udp', address: '192.0.2.1', port: 4000 };
const password = 'a password of 24 letters';
const hmac = nodeCiphers.hmacSha1(new Uint8Array(Buffer.from(password)));

/** An agent, and what it has sent and ordered. */
function openAgent() {
  const sent: number[] = [];
  const orders: string[] = [];
  const agent = new IceAgent(
    {
      ciphers: nodeCiphers,
      send: (_source, _bytes, length) => sent.push(length),
      order: (effect) => orders.push(effect.do),
    },
    { fragment: 'ours', password },
  );
  return { agent, sent, orders };
}

const datagrams = mutatedBytes(fc.constantFrom(...corpus.map(({ bytes }) => bytes)), {
  put: fc.uint8Array({ maxLength: 12 }),
  cut: 8,
  maxEdits: 4,
});
const mutated = fc.tuple(datagrams, fc.boolean()).map(([data, corrects]) => {
  // A right length lets more of them through to the attributes.
  if (corrects && data.length >= 20) {
    data[2] = (data.length - 20) >> 8;
    data[3] = data.length - 20;
  }
  return data;
});

test('each datagram of the corpus belongs to the protocol in its name, and the checks among them are answered', () => {
  for (const { name, bytes } of corpus) {
    const kind = datagramKind(bytes, bytes.length);
    assert.equal(kind ?? 'none', name.split('-')[0]!.replace('rtcp', 'rtp'), name);
    const message = kind === 'stun' ? readStun(bytes, bytes.length) : undefined;
    assert.equal(message !== undefined, kind === 'stun', name);
    const { agent, sent } = openAgent();
    const isAnswered = message !== undefined && agent.receive(message, bytes, from, 0);
    assert.deepEqual([isAnswered, sent.length], name.startsWith('stun-check') ? [true, 1] : [false, 0], name);
  }
});

test('no datagram makes the reader throw or read beyond its end, and without a right signature nothing is sent and no state changes', () => {
  fc.assert(
    fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 1600 })), (bytes) => {
      datagramKind(bytes, bytes.length);
      const before = bytes.slice();
      const message = readStun(bytes, bytes.length);
      if (message === undefined) return;
      mappedAddress(bytes, message);
      const { agent, sent, orders } = openAgent();
      const { state } = agent;
      const isAccepted = agent.receive(message, bytes, from, 0);
      assert.deepEqual(bytes, before);
      assert.equal(
        isAccepted && !(isSigned(bytes, message, hmac) && hasRightFingerprint(bytes, message)),
        false,
      );
      if (!isAccepted) assert.deepEqual([sent, orders, agent.state], [[], [], state]);
      else
        assert.ok(
          sent.every((length) => length <= bytes.length),
          'an answer is longer than its request',
        );
      agent.close();
    }),
    { numRuns: 4000 },
  );
});
