import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createHeaders, splitList } from './headers.ts';

describe('SipHeaders', () => {
  it('matches names without case and in compact form (RFC 3261 §7.3.1, §7.3.3)', () => {
    const headers = createHeaders([
      ['v', 'SIP/2.0/UDP a'],
      ['CALL-ID', 'x'],
      ['X-Custom', '1'],
    ]);
    for (const name of ['Via', 'via', 'VIA', 'v', 'V']) assert.equal(headers.get(name), 'SIP/2.0/UDP a');
    for (const name of ['Call-ID', 'i', 'I', 'call-id', 'Call-Id']) assert.equal(headers.get(name), 'x');
    assert.equal(headers.get('x-cUSTOM'), '1');
    assert.deepEqual(
      [...headers.entries()].map(([name]) => name),
      ['Via', 'Call-ID', 'X-Custom'],
    );
  });

  it('splits list headers over fields and commas, in order (RFC 3261 §7.3.1)', () => {
    const headers = createHeaders([
      ['Via', 'SIP/2.0/UDP a, SIP/2.0/UDP b'],
      ['To', '<sip:a@b>'],
      ['Via', 'SIP/2.0/UDP c'],
    ]);
    assert.deepEqual(headers.all('v'), ['SIP/2.0/UDP a', 'SIP/2.0/UDP b', 'SIP/2.0/UDP c']);
    assert.equal(headers.get('Via'), 'SIP/2.0/UDP a');
  });

  it('does not split Authorization, Date or Subject at their commas', () => {
    const headers = createHeaders([
      ['Authorization', 'Digest a="b", c=d'],
      ['Subject', 'one, two'],
    ]);
    assert.deepEqual(headers.all('Authorization'), ['Digest a="b", c=d']);
    assert.deepEqual(headers.all('Subject'), ['one, two']);
  });

  it('does not split at commas inside quotes or angle brackets', () => {
    assert.deepEqual(splitList('"A, \\", B" <sip:a,b@c>;x="1,2" , <sip:d@e?f=<,>, <sip:g>'), [
      '"A, \\", B" <sip:a,b@c>;x="1,2"',
      '<sip:d@e?f=<,>',
      '<sip:g>',
    ]);
    assert.deepEqual(splitList(', ,a,,b ,'), ['a', 'b']);
    assert.deepEqual(splitList('"never closed, a'), ['"never closed, a']);
  });

  it('sets in place, prepends above fields of the same name, removes the topmost value or all of a name', () => {
    const headers = createHeaders([
      ['From', 'f'],
      ['Via', 'a, b'],
      ['Via', 'c'],
      ['From', 'g'],
    ]);
    headers.set('From', 'h');
    headers.prepend('Via', 'z');
    assert.deepEqual(
      [...headers.entries()],
      [
        ['From', 'h'],
        ['Via', 'z'],
        ['Via', 'a, b'],
        ['Via', 'c'],
      ],
    );
    headers.removeFirst('Via');
    headers.removeFirst('Via');
    assert.deepEqual(headers.all('Via'), ['b', 'c']);
    headers.remove('Via');
    headers.removeFirst('Via');
    assert.equal(headers.has('Via'), false);
    assert.equal(headers.get('Via'), undefined);
  });

  it('keeps a value on its line, even with characters that the wire cuts to a byte', () => {
    const headers = createHeaders([['Subject', 'a\r\nEvil: 1']]);
    headers.append('X-Wide', 'č\u010aEvil: 1');
    headers.prepend('X-Nul', 'a\n\nb');
    headers.set('Subject', `${headers.get('Subject')}\rb`);
    for (const [, value] of headers.entries()) assert.match(value, /^[^\r\n]*$/);
    for (const [, value] of headers.entries()) for (const char of value) assert.ok(char.charCodeAt(0) < 256);
    assert.equal(headers.get('Subject'), 'a Evil: 1 b');
  });

  it('removing the values of a list one by one yields exactly the values of all', () => {
    const value = fc
      .stringMatching(/^[a-z]{1,3}(;x="[a-z,\\"]{0,3}")?$/)
      .filter((text) => !/\\"?$/.test(text));
    fc.assert(
      fc.property(fc.array(fc.array(value, { minLength: 1 }), { maxLength: 5 }), (fields) => {
        const headers = createHeaders(fields.map((values) => ['Route', values.join(', ')] as const));
        const all = headers.all('Route');
        for (const expected of all) {
          assert.equal(headers.get('Route'), expected);
          headers.removeFirst('Route');
        }
        assert.equal(headers.has('Route'), false);
      }),
      { numRuns: 200 },
    );
  });
});
