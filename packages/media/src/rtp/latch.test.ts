import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createLatch, type Latch } from './latch.ts';

const phone = '192.0.2.1:4000';
const nat = '203.0.113.9:61000';
const attacker = '198.51.100.66:5000';

/** Sends `count` packets at 20 ms and returns how many were accepted. */
function send(latch: Latch, source: string, count: number, fromMs: number, ssrc = 1, sequence = 100): number {
  let accepted = 0;
  for (let i = 0; i < count; i++) {
    if (latch.accept(source, ssrc, (sequence + i) & 0xffff, fromMs + i * 20)) accepted++;
  }
  return accepted;
}

describe('a symmetric RTP latch', () => {
  it('accepts the signalled address after two packets in sequence', () => {
    const latch = createLatch();
    latch.arm(phone, 0);
    assert.equal(latch.source, phone);
    assert.equal(latch.isLatched, false);
    assert.equal(send(latch, phone, 10, 0), 9);
    assert.equal(latch.isLatched, true);
  });

  it('accepts another address (a phone behind NAT) after three, once the signalled one had its chance', () => {
    const latch = createLatch();
    latch.arm(phone, 0);
    assert.equal(send(latch, nat, 5, 0), 0);
    assert.equal(send(latch, nat, 10, 200, 1, 105), 10);
    assert.equal(latch.source, nat);
    assert.equal(latch.counters.probation, 5);
  });

  it('gives the signalled address its place back when a stranger was quicker', () => {
    const latch = createLatch();
    latch.arm(phone, 0);
    assert.equal(send(latch, attacker, 20, 200), 18);
    assert.equal(send(latch, phone, 10, 600, 2), 9);
    assert.equal(send(latch, attacker, 10, 800, 1, 120), 0);
    assert.equal(latch.source, phone);
  });

  it('prefers the signalled address where both send', () => {
    const latch = createLatch();
    latch.arm(phone, 0);
    for (let i = 0; i < 10; i++) {
      latch.accept(attacker, 9, i, i * 20);
      latch.accept(phone, 1, i, i * 20 + 1);
    }
    assert.equal(latch.source, phone);
    assert.equal(latch.counters.foreign, 8);
  });

  it('drops and counts packets from elsewhere once it is latched, however many (RTPbleed)', () => {
    const latch = createLatch();
    latch.arm(phone, 0);
    send(latch, phone, 10, 0);
    for (let i = 0; i < 200; i++) {
      assert.equal(latch.accept(attacker, 1, 110 + i, 200 + i * 20), false);
      assert.equal(latch.accept(phone, 1, 110 + i, 200 + i * 20), true);
    }
    assert.equal(latch.source, phone);
    assert.equal(latch.counters.foreign, 200);
  });

  it('lets another source take over after the latched one was silent for silentMs', () => {
    const latch = createLatch({ silentMs: 1000 });
    latch.arm(phone, 0);
    send(latch, phone, 10, 0);
    assert.equal(send(latch, nat, 20, 200), 0);
    assert.equal(send(latch, nat, 10, 1200), 8);
    assert.equal(latch.source, nat);
  });

  it('lets another source take over when signalling re-arms it, and keeps the old one playing until then', () => {
    const latch = createLatch();
    latch.arm(phone, 0);
    send(latch, phone, 10, 0);
    latch.arm(nat, 1000);
    assert.equal(latch.accept(phone, 1, 200, 1000), true);
    assert.equal(send(latch, nat, 5, 1020), 4);
    assert.equal(latch.source, nat);
    assert.equal(latch.accept(phone, 1, 201, 1200), false);
  });

  it('a re-INVITE that names the latched source again opens nothing', () => {
    const latch = createLatch();
    latch.arm(phone, 0);
    send(latch, phone, 10, 0);
    latch.arm(phone, 1000);
    assert.equal(send(latch, attacker, 20, 1000), 0);
  });

  it('one packet, a repeated packet, or changing SSRCs never pass the probation', () => {
    const latch = createLatch();
    latch.arm(undefined, 0);
    for (let i = 0; i < 50; i++) assert.equal(latch.accept(attacker, 1, 7, i * 20), false);
    for (let i = 0; i < 50; i++) assert.equal(latch.accept(attacker, i, i, 1000 + i * 20), false);
    for (let i = 0; i < 50; i++) assert.equal(latch.accept(attacker, 1, i * 997, 2000 + i * 20), false);
    assert.equal(latch.isLatched, false);
  });

  it('a lost packet does not break a probation', () => {
    const latch = createLatch();
    latch.arm(phone, 0);
    assert.equal(latch.accept(phone, 1, 65_535, 0), false);
    assert.equal(latch.accept(phone, 1, 1, 40), true);
  });

  it('strangers who talk in between do not keep a phone behind NAT out', () => {
    const latch = createLatch();
    latch.arm(phone, 0);
    const accepted = [0, 1, 2, 3].map((i) => {
      latch.accept(attacker, i, i, 300 + i * 20);
      latch.accept('198.51.100.67:1', 5, i * 100, 301 + i * 20);
      return latch.accept(nat, 1, i, 302 + i * 20);
    });
    assert.deepEqual(accepted, [false, false, true, true]);
  });

  it('a packet that was overtaken does not break a probation', () => {
    const latch = createLatch({ probation: 3 });
    latch.arm(phone, 0);
    const accepted = [1, 3, 2, 4].map((sequence, i) => latch.accept(phone, 1, sequence, i * 20));
    assert.deepEqual(accepted, [false, false, false, true]);
  });

  it('whatever strangers send, they are not heard while the latched source speaks', () => {
    const packets = fc.array(
      fc.record({
        isPhone: fc.boolean(),
        stranger: fc.integer({ min: 0, max: 3 }),
        ssrc: fc.integer({ min: 0, max: 2 }),
        sequence: fc.integer({ min: 0, max: 20 }),
        stepMs: fc.integer({ min: 0, max: 100 }),
      }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(packets, (list) => {
        const latch = createLatch();
        latch.arm(phone, 0);
        send(latch, phone, 3, 0);
        let nowMs = 100;
        let phoneMs = 40;
        for (const { isPhone, stranger, ssrc, sequence, stepMs } of list) {
          nowMs += stepMs;
          if (isPhone) {
            phoneMs = nowMs;
            assert.equal(latch.accept(phone, ssrc, sequence, nowMs), true);
          } else if (nowMs - phoneMs < 5000) {
            assert.equal(latch.accept(`10.0.0.${stranger}:1`, ssrc, sequence, nowMs), false);
          } else return;
        }
      }),
    );
  });
});
