import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { createNonces, type Nonces } from './nonces.ts';

const signer = (key: string) => (text: string) => createHmac('sha256', key).update(text).digest('hex');
const nonces = (options = {}) => createNonces({ sign: signer('k'), equals: (a, b) => a === b, ...options });

/** Both halves at once, as for a digest that is right. */
function check(server: Nonces, nonce: string, nc: number, now: number, source: string): string {
  const judged = server.judge(nonce, now, source);
  return typeof judged === 'string' ? judged : server.use(judged, nc, now);
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The nonce as a part of a long message. */
function cutFromMessage(nonce: string): string {
  const message = Buffer.from(`${'x'.repeat(50_000)}${nonce}`).toString('latin1');
  return message.slice(50_000);
}

describe('nonces', () => {
  it('a used nonce keeps nothing of the message that brought it', () => {
    const server = nonces();
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < 400; n++) check(server, cutFromMessage(server.issue(1000, 'a')), 1, 1000, 'a');
    collect();
    assert.ok(process.memoryUsage().heapUsed - before < 2_000_000);
    assert.equal(server.remembered, 400);
  });

  it('nonces are accepted once per count', () => {
    const server = nonces();
    const nonce = server.issue(1000, 'a');
    assert.equal(check(server, nonce, 1, 1000, 'a'), 'ok');
    assert.equal(check(server, nonce, 1, 1001, 'a'), 'replayed');
    assert.equal(check(server, nonce, 2, 1002, 'a'), 'ok');
  });

  it('nonces are stale after their lifetime', () => {
    const server = nonces({ lifetimeMs: 500 });
    const nonce = server.issue(1000, 'a');
    assert.equal(check(server, nonce, 1, 1500, 'a'), 'ok');
    assert.equal(check(server, nonce, 2, 1501, 'a'), 'stale');
  });

  it('nonces count as forged from another source, under another key, or with any character changed', () => {
    const server = nonces();
    const nonce = server.issue(1000, 'a');
    assert.equal(check(server, nonce, 1, 1000, 'b'), 'forged');
    assert.equal(check(nonces({ sign: signer('other') }), nonce, 1, 1000, 'a'), 'forged');
    for (let index = 0; index < nonce.length; index += 1) {
      const changed = nonce.slice(0, index) + (nonce[index] === '0' ? '1' : '0') + nonce.slice(index + 1);
      assert.equal(check(server, changed, 1, 1000, 'a'), 'forged');
    }
    for (const garbage of ['', '-', '--', 'x'.repeat(10_000)])
      assert.equal(check(server, garbage, 1, 0, 'a'), 'forged');
  });

  it('nonces are used up by a request without qop', () => {
    const server = nonces();
    const nonce = server.issue(0, 'a');
    assert.equal(check(server, nonce, 0, 0, 'a'), 'ok');
    assert.equal(check(server, nonce, 0, 0, 'a'), 'replayed');
    assert.equal(check(server, nonce, 1, 0, 'a'), 'replayed');
    const counted = server.issue(0, 'a');
    assert.equal(check(server, counted, 1, 0, 'a'), 'ok');
    assert.equal(check(server, counted, 0, 0, 'a'), 'replayed');
  });

  it('nonces of one millisecond and one source differ', () => {
    const server = nonces();
    assert.notEqual(server.issue(1, 'a'), server.issue(1, 'a'));
  });

  it('nonces accept counts in any order, but none twice', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 80 }), { maxLength: 100 }), (counts) => {
        const server = nonces();
        const nonce = server.issue(0, 'a');
        const used = new Set<number>();
        let highest = 0;
        for (const nc of counts) {
          const mayPass = !used.has(nc) && nc > highest - 32;
          assert.equal(check(server, nonce, nc, 0, 'a'), mayPass ? 'ok' : 'replayed');
          if (mayPass) used.add(nc);
          highest = Math.max(highest, nc);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('the memory of nonces is bounded, and a forgotten one is stale, never accepted again', () => {
    const server = nonces({ maxRemembered: 10 });
    const all = Array.from({ length: 40 }, (_, index) => server.issue(1000 + index, 'a'));
    for (const nonce of all) {
      assert.equal(check(server, nonce, 1, 1100, 'a'), 'ok');
      assert.ok(server.remembered <= 10);
    }
    for (const nonce of all) assert.notEqual(check(server, nonce, 1, 1100, 'a'), 'ok');
    assert.equal(check(server, all[0]!, 2, 1100, 'a'), 'stale');
    assert.equal(check(server, server.issue(1101, 'a'), 1, 1101, 'a'), 'ok');
  });

  it('expired nonces leave the memory', () => {
    const server = nonces({ lifetimeMs: 100 });
    for (let at = 0; at < 50; at += 1) check(server, server.issue(at, 'a'), 1, at, 'a');
    assert.equal(server.remembered, 50);
    check(server, server.issue(1000, 'a'), 1, 1000, 'a');
    assert.equal(server.remembered, 1);
  });
});

it('a nonce of another process with the same key is stale, proves its source, and is forged from any other source', () => {
  const [one, two, alone] = [nonces({ node: 'one' }), nonces({ node: 'two' }), nonces()];
  const issued = one.issue(1_000, 'a');
  assert.equal(check(one, issued, 1, 1_500, 'a'), 'ok');
  for (const other of [two, nonces({ node: 'on' })]) {
    assert.equal(other.judge(issued, 1_500, 'a'), 'stale');
    assert.equal(other.judge(issued, 1_500, 'b'), 'forged');
    assert.equal(other.proves(issued, 1_500, 'a'), true);
  }
  assert.equal(two.judge(issued.replace('.one', '.two'), 1_500, 'a'), 'forged');
  assert.equal(two.judge(alone.issue(1_000, 'a'), 1_500, 'a'), 'stale');
});
