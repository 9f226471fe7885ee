import assert from 'node:assert/strict';
import { it } from 'node:test';
import { stunWriterBytes, writeCheck } from '../ice/stun-writer.ts';
import { nodeCiphers } from '../io/srtp-ciphers.ts';
import { WebrtcLegs } from './webrtc-legs.ts';

const ours = { fragment: 'ours', password: 'a0b1c2d3e4f5g6h7i8j9k0aa' };

/** Legs whose hashes, handshakes and packets are counted. */
function world() {
  const work = { hashes: 0, handshakes: 0, sent: 0, received: 0 };
  const legs = new WebrtcLegs({
    ciphers: {
      ...nodeCiphers,
      hmacSha1(key) {
        const hmac = nodeCiphers.hmacSha1(key);
        return {
          close: () => hmac.close(),
          sign(...given) {
            work.hashes++;
            return hmac.sign(...given);
          },
        };
      },
    },
    dtls: {
      fingerprint: '00',
      openCount: 0,
      close() {},
      open() {
        work.handshakes++;
        throw new Error('no handshake begins here');
      },
    },
    now: () => 0,
    after: () => () => undefined,
    secured() {},
    silent() {},
    silentMs: 60_000,
    sendDatagram: () => void work.sent++,
    sendFrame: () => void work.sent++,
    connectionOf: () => undefined,
    closeConnection() {},
    receive() {
      work.received++;
      return true;
    },
  });
  assert.ok(legs.open('leg', 0, ours));
  return { legs, work };
}

function check(username: string, password: string): Uint8Array {
  const bytes = new Uint8Array(stunWriterBytes);
  const key = nodeCiphers.hmacSha1(Buffer.from(password, 'latin1'));
  const about = {
    priority: 1,
    role: 'controlling',
    tieBreaker: '0123456789abcdef',
    useCandidate: true,
  } as const;
  const length = writeCheck(bytes, { transaction: '0'.repeat(24), username, ...about }, key);
  return bytes.slice(0, length);
}

it('packets of a stranger cost no hash and no handshake: STUN without our fragment, DTLS, RTP and anything else', () => {
  const { legs, work } = world();
  const binding = Uint8Array.from([0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42, ...Array(12).fill(7)]);
  for (const bytes of [
    binding,
    check('theirs:them', ours.password),
    check(':', ours.password),
    Uint8Array.from([22, 254, 253, ...Array(200).fill(1)]),
    Uint8Array.from([128, 0, ...Array(170).fill(1)]),
    Uint8Array.from([200, ...Array(60).fill(1)]),
    new Uint8Array(0),
  ])
    legs.receive(bytes, bytes.length, '192.0.2.66', 4000, 0);
  assert.deepEqual(work, { hashes: 0, handshakes: 0, sent: 0, received: 0 });
  assert.deepEqual(legs.counters, { strangers: 4, checksRefused: 3 });
});

it('a check for a known fragment with another password costs one hash, and opens nothing', () => {
  const { legs, work } = world();
  const bytes = check('ours:them', 'another-password-of-22-chars');
  legs.receive(bytes, bytes.length, '192.0.2.66', 4000, 0);
  assert.deepEqual(work, { hashes: 1, handshakes: 0, sent: 0, received: 0 });
  assert.deepEqual(legs.size, { legs: 1, sources: 0 });
});
