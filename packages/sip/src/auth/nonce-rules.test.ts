import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createNonces, type IssuedNonce, type NonceOptions } from './nonces.ts';

const equals = (one: string, other: string): boolean => one === other;
const noncesOf = (more: Partial<NonceOptions> = {}) =>
  createNonces({ sign: (text) => createHmac('sha256', 'key').update(text).digest('hex'), equals, ...more });

describe('the use of a nonce', () => {
  const issuedBy = (nonces: ReturnType<typeof createNonces>, at = 0, source = 's'): IssuedNonce => {
    const issued = nonces.judge(nonces.issue(at, source), at, source);
    assert.ok(typeof issued === 'object');
    return issued;
  };

  for (const [rule, counts, verdicts] of [
    ['counts rise', [1, 2, 3], ['ok', 'ok', 'ok']],
    ['a repeated count is a replay', [1, 1, 2, 2], ['ok', 'replayed', 'ok', 'replayed']],
    ['an overtaken count within 32 is accepted once', [1, 32, 2, 2], ['ok', 'ok', 'ok', 'replayed']],
    ['32 behind the highest is too old', [1, 40, 8, 9], ['ok', 'ok', 'replayed', 'ok']],
    ['a leap of 32 forgets what was before', [1, 33, 1, 2], ['ok', 'ok', 'replayed', 'ok']],
    ['the greatest count', [0xffffffff, 0xfffffffe, 0xffffffff], ['ok', 'ok', 'replayed']],
    ['without a count the nonce is used up', [0, 0, 1], ['ok', 'replayed', 'replayed']],
    ['a use without a count after one with it is a replay', [1, 0], ['ok', 'replayed']],
  ] as const) {
    it(rule, () => {
      const nonces = noncesOf();
      const issued = issuedBy(nonces);
      assert.deepEqual(
        counts.map((nc) => nonces.use(issued, nc, 0)),
        verdicts,
      );
    });
  }

  it('accepts each count once and none that is 32 or more behind, as a plain set does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 120 }), (counts) => {
        const nonces = noncesOf();
        const issued = issuedBy(nonces);
        const used = new Set<number>();
        let highest = 0;
        for (const nc of counts) {
          const isDue = !used.has(nc) && nc > highest - 32;
          assert.equal(nonces.use(issued, nc, 0), isDue ? 'ok' : 'replayed', `${nc} after ${highest}`);
          if (isDue) used.add(nc);
          highest = Math.max(highest, isDue ? nc : 0);
        }
      }),
    );
  });

  for (const [rule, atMs, source, verdict] of [
    ['is valid to the end of its lifetime', 60_000, 's', 'valid'],
    ['is stale one millisecond later', 60_001, 's', 'stale'],
    ['is forged from another source', 0, 't', 'forged'],
  ] as const) {
    it(`a nonce ${rule}`, () => {
      const nonces = noncesOf();
      const judged = nonces.judge(nonces.issue(0, 's'), atMs, source);
      assert.equal(typeof judged === 'object' ? 'valid' : judged, verdict);
      assert.equal(noncesOf({ sign: () => '0'.repeat(64) }).judge(nonces.issue(0, 's'), 0, 's'), 'forged');
    });
  }

  it('a nonce of which any character was changed is forged', () => {
    const nonces = noncesOf();
    const nonce = nonces.issue(123_456, 's');
    for (let at = 0; at < nonce.length; at++) {
      const changed = `${nonce.slice(0, at)}${nonce[at] === 'x' ? 'y' : 'x'}${nonce.slice(at + 1)}`;
      assert.equal(nonces.judge(changed, 123_456, 's'), 'forged', changed);
    }
    for (const other of ['', '-', '--', `${nonce} `, `${nonce}x`])
      assert.equal(nonces.judge(other, 0, 's'), 'forged');
  });

  it('memory is bounded: the oldest use is forgotten, and its nonce is stale, not new', () => {
    const nonces = noncesOf({ maxRemembered: 2 });
    const all = [1, 2, 3].map((at) => issuedBy(nonces, at));
    assert.deepEqual(
      all.map((issued) => nonces.use(issued, 1, 5)),
      ['ok', 'ok', 'ok'],
    );
    assert.equal(nonces.remembered, 2);
    assert.equal(nonces.judge(all[0]!.nonce, 5, 's'), 'stale');
    assert.equal(nonces.use(all[1]!, 2, 5), 'ok');
  });

  it('proves where its sender receives, for a given time, whatever was used', () => {
    const nonces = noncesOf();
    const nonce = nonces.issue(1000, 's');
    assert.deepEqual(
      [nonces.proves(nonce, 61_000, 's'), nonces.proves(nonce, 61_001, 's'), nonces.proves(nonce, 1000, 't')],
      [true, false, false],
    );
    assert.deepEqual(
      [nonces.proves(nonce, 1500, 's', 500), nonces.proves(nonce, 1501, 's', 500)],
      [true, false],
    );
  });
});
