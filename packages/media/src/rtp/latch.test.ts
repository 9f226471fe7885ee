import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createLatch, type Latch } from './latch.ts';

const phone = '192.0.2.1:4000';
const nat = '203.0.113.9:61000';
const attacker = '198.51.100.66:5000';
const atPhone = { address: '192.0.2.1', port: 4000 };
/** The phone's SDP has its private address; its signalling comes from the address of its NAT. */
const behindNat = { address: '10.0.0.7', port: 4000, signalledFrom: ['203.0.113.9'] };

function addressOf(source: string): string {
  return source.slice(0, source.lastIndexOf(':'));
}

/** Sends `count` packets, one every 20 ms; returns how many were accepted. */
function send(latch: Latch, source: string, count: number, fromMs: number, ssrc = 1, sequence = 100): number {
  let accepted = 0;
  for (let i = 0; i < count; i++) {
    if (latch.accept(source, addressOf(source), ssrc, (sequence + i) & 0xffff, fromMs + i * 20)) accepted++;
  }
  return accepted;
}

describe('a symmetric RTP latch', () => {
  it('accepts the signalled address after two packets in sequence', () => {
    const latch = createLatch();
    latch.arm(atPhone, 0);
    assert.equal(latch.source, phone);
    assert.equal(latch.isLatched, false);
    assert.equal(send(latch, phone, 10, 0), 9);
    assert.equal(latch.isLatched, true);
  });

  it('accepts the source of the signalling (a phone behind NAT) after three packets, when the signalled address had its time', () => {
    const latch = createLatch();
    latch.arm(behindNat, 0);
    assert.equal(send(latch, nat, 5, 0), 0);
    assert.equal(send(latch, nat, 10, 200, 1, 105), 10);
    assert.equal(latch.source, nat);
    assert.equal(latch.counters.probation, 5);
  });

  it('accepts another port of the signalled address (asymmetric RTP)', () => {
    const latch = createLatch();
    latch.arm(atPhone, 0);
    assert.equal(send(latch, '192.0.2.1:4444', 10, 200), 8);
  });

  it('never accepts an address outside SDP and the source of the signalling, not even when nothing else is sent', () => {
    for (const signalled of [atPhone, behindNat]) {
      const latch = createLatch();
      latch.arm(signalled, 0);
      assert.equal(send(latch, attacker, 3000, 0), 0);
      assert.equal(latch.isLatched, false);
      assert.equal(latch.source, `${signalled.address}:${signalled.port}`);
      assert.equal(latch.counters.foreign, 3000);
    }
  });

  it('accepts an address that the operator admits before the first source is latched, but not afterwards', () => {
    const isAdmitted = (address: string): boolean => address === '198.51.100.66';
    const latch = createLatch({ isAdmitted });
    latch.arm(atPhone, 0);
    assert.equal(send(latch, attacker, 10, 200), 8);
    const other = createLatch({ isAdmitted });
    other.arm(atPhone, 0);
    send(other, phone, 3, 0);
    assert.equal(send(other, attacker, 3000, 100), 0);
  });

  it('accepts a sender with the SRTP key of the leg from any address, and after silence another such sender', () => {
    const latch = createLatch();
    latch.arm(atPhone, 0);
    const proven = (source: string, count: number, fromMs: number): number => {
      let accepted = 0;
      for (let i = 0; i < count; i++) {
        if (latch.accept(source, addressOf(source), 1, i, fromMs + i * 20, true)) accepted++;
      }
      return accepted;
    };
    assert.equal(proven(nat, 10, 200), 8);
    assert.equal(proven('203.0.113.77:1', 10, 500), 0);
    assert.equal(proven('203.0.113.77:1', 10, 6000), 8);
  });

  it('returns the leg to the signalled address when another source was faster', () => {
    const latch = createLatch();
    latch.arm(behindNat, 0);
    assert.equal(send(latch, nat, 20, 200), 18);
    assert.equal(send(latch, '10.0.0.7:4000', 10, 600, 2), 9);
    assert.equal(send(latch, nat, 10, 800, 1, 120), 0);
    assert.equal(latch.source, '10.0.0.7:4000');
  });

  it('prefers the signalled address when both send', () => {
    const latch = createLatch();
    latch.arm({ ...atPhone, signalledFrom: ['203.0.113.9'] }, 0);
    for (let i = 0; i < 10; i++) {
      latch.accept(nat, addressOf(nat), 9, i, i * 20);
      latch.accept(phone, addressOf(phone), 1, i, i * 20 + 1);
    }
    assert.equal(latch.source, phone);
    assert.equal(latch.counters.foreign, 8);
  });

  it('drops and counts packets from other sources once it is latched, however many (RTPbleed)', () => {
    const latch = createLatch();
    latch.arm(atPhone, 0);
    send(latch, phone, 10, 0);
    for (let i = 0; i < 200; i++) {
      assert.equal(latch.accept(attacker, addressOf(attacker), 1, 110 + i, 200 + i * 20), false);
      assert.equal(latch.accept(phone, addressOf(phone), 1, 110 + i, 200 + i * 20), true);
    }
    assert.equal(latch.source, phone);
    assert.equal(latch.counters.foreign, 200);
  });

  it('does not give the leg of a phone that is silent for an hour to another address, not even to the source of the signalling', () => {
    for (const [signalled, source, others] of [
      [atPhone, phone, [attacker, nat]],
      [{ ...atPhone, signalledFrom: ['203.0.113.9'] }, phone, [attacker, nat]],
      [behindNat, nat, [attacker]],
    ] as const) {
      const latch = createLatch();
      latch.arm(signalled, 0);
      assert.ok(send(latch, source, 20, 0) > 0);
      for (const other of others) assert.equal(send(latch, other, 500, 3_600_000), 0);
      assert.equal(latch.source, source);
    }
  });

  it('accepts another port of the latched address after silentMs (a new NAT binding), not before', () => {
    const latch = createLatch({ silentMs: 1000 });
    latch.arm(behindNat, 0);
    send(latch, nat, 20, 0);
    assert.equal(send(latch, '203.0.113.9:61001', 20, 400), 0);
    assert.equal(send(latch, '203.0.113.9:61001', 10, 1400), 8);
    assert.equal(latch.source, '203.0.113.9:61001');
  });

  it('accepts a new public address after a re-INVITE from there with the same SDP, but no other address', () => {
    const latch = createLatch();
    latch.arm(behindNat, 0);
    send(latch, nat, 20, 0);
    latch.arm({ ...behindNat, signalledFrom: ['203.0.113.200'] }, 10_000);
    assert.equal(send(latch, attacker, 20, 10_200), 0);
    assert.equal(send(latch, '203.0.113.200:5555', 10, 10_200), 8);
  });

  it('accepts another source after signalling re-arms it, and the old source until then', () => {
    const latch = createLatch();
    latch.arm(atPhone, 0);
    send(latch, phone, 10, 0);
    latch.arm({ address: '203.0.113.9', port: 61_000 }, 1000);
    assert.equal(latch.accept(phone, addressOf(phone), 1, 200, 1000), true);
    assert.equal(send(latch, nat, 5, 1020), 4);
    assert.equal(latch.source, nat);
    assert.equal(latch.accept(phone, addressOf(phone), 1, 201, 1200), false);
  });

  it('accepts no other source after a re-INVITE that names the latched source again', () => {
    const latch = createLatch();
    latch.arm(atPhone, 0);
    send(latch, phone, 10, 0);
    latch.arm(atPhone, 1000);
    assert.equal(send(latch, attacker, 20, 1000), 0);
  });

  it('does not accept one packet, repeated packets or changing SSRCs during probation', () => {
    const latch = createLatch();
    latch.arm({ address: '198.51.100.66', port: 4 }, 0);
    for (let i = 0; i < 50; i++)
      assert.equal(latch.accept(attacker, addressOf(attacker), 1, 7, i * 20), false);
    for (let i = 0; i < 50; i++)
      assert.equal(latch.accept(attacker, addressOf(attacker), i, i, 1000 + i * 20), false);
    for (let i = 0; i < 50; i++)
      assert.equal(latch.accept(attacker, addressOf(attacker), 1, i * 997, 2000 + i * 20), false);
    assert.equal(latch.isLatched, false);
  });

  it('continues a probation over a lost packet', () => {
    const latch = createLatch();
    latch.arm(atPhone, 0);
    assert.equal(latch.accept(phone, addressOf(phone), 1, 65_535, 0), false);
    assert.equal(latch.accept(phone, addressOf(phone), 1, 1, 40), true);
  });

  it('accepts a phone behind NAT although other ports of its address send in between', () => {
    const latch = createLatch();
    latch.arm(behindNat, 0);
    const accepted = [0, 1, 2, 3].map((i) => {
      latch.accept('203.0.113.9:1', '203.0.113.9', i, i, 300 + i * 20);
      latch.accept('203.0.113.9:2', '203.0.113.9', 5, i * 100, 301 + i * 20);
      return latch.accept(nat, addressOf(nat), 1, i, 302 + i * 20);
    });
    assert.deepEqual(accepted, [false, false, true, true]);
  });

  it('continues a probation over a packet that was overtaken', () => {
    const latch = createLatch({ probation: 3 });
    latch.arm(atPhone, 0);
    const accepted = [1, 3, 2, 4].map((sequence, i) =>
      latch.accept(phone, addressOf(phone), 1, sequence, i * 20),
    );
    assert.deepEqual(accepted, [false, false, false, true]);
  });

  it('never accepts packets of strangers, whether the latched source sends or is silent', () => {
    const packets = fc.array(
      fc.record({
        isPhone: fc.boolean(),
        stranger: fc.integer({ min: 0, max: 3 }),
        ssrc: fc.integer({ min: 0, max: 2 }),
        sequence: fc.integer({ min: 0, max: 20 }),
        stepMs: fc.integer({ min: 0, max: 3000 }),
      }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(packets, (list) => {
        const latch = createLatch();
        latch.arm(atPhone, 0);
        send(latch, phone, 3, 0);
        let nowMs = 100;
        for (const { isPhone, stranger, ssrc, sequence, stepMs } of list) {
          nowMs += stepMs;
          if (isPhone) {
            assert.equal(latch.accept(phone, addressOf(phone), ssrc, sequence, nowMs), true);
          } else {
            const source = `10.0.0.${stranger}:1`;
            assert.equal(latch.accept(source, addressOf(source), ssrc, sequence, nowMs), false);
          }
        }
      }),
    );
  });
});
