import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { legSpec } from '@jackfield/ports';
import { parseNameAddr, parseSipUri } from '@jackfield/sip';
import { anyCharacter } from '@jackfield/testkit/any-character';
import fc from 'fast-check';
import { addressOf, calleeOf, inviteOf } from './parties.ts';

describe('an address of the server', () => {
  it('is valid whatever party and display name contain', () => {
    const text = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 60 }), fc.string({ maxLength: 60 }));
    fc.assert(
      fc.property(text, text, (party, name) => {
        const value = addressOf(party, 'sip.example.com', name);
        const address = parseNameAddr(value);
        assert.ok(address !== undefined, value);
        const uri = parseSipUri(address.uri);
        assert.equal(uri?.host, 'sip.example.com', value);
        assert.equal(uri?.port, undefined);
        assert.deepEqual([uri?.params, uri?.headers, address.params], [[], [], []]);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there
        assert.doesNotMatch(value, /[\x00-\x1f\x7f\u0100-\uffff]/);
      }),
    );
  });

  it('names the user of a SIP URI, a number as it is, and an empty party as anonymous', () => {
    assert.equal(addressOf('sip:alice@other.example:5070;x=y', 'a.example'), '<sip:alice@a.example>');
    assert.equal(addressOf('+12025550000', 'a.example', ''), '<sip:+12025550000@a.example>');
    assert.equal(addressOf('', '::1'), '<sip:anonymous@[::1]>');
  });
});

describe('the callee', () => {
  const domains = ['sip.example.com'];

  it('is a user of our domains or of an address of the machine, or a number', () => {
    assert.equal(calleeOf('sip:bob@SIP.example.com;transport=tcp', domains), 'bob');
    assert.equal(calleeOf('sip:+12025550100@127.0.0.1:5060', domains), '+12025550100');
    assert.equal(calleeOf('sip:zo%C3%AB@[::1]', domains), 'zoë');
    assert.equal(calleeOf('tel:+1(202)555-0100', domains), '+12025550100');
    assert.equal(calleeOf('sip:+12025550100;npdi;rn=+12025550199@127.0.0.1', domains), '+12025550100');
  });

  it('is undefined for another domain, without a user, with control characters or with a name above 255 characters', () => {
    for (const uri of [
      'sip:bob@example.com',
      'sip:sip.example.com',
      'sip:b%0d%0ab@sip.example.com',
      'mailto:bob@sip.example.com',
      `sip:${'b'.repeat(256)}@sip.example.com`,
      `tel:+${'1'.repeat(256)}`,
    ]) {
      assert.equal(calleeOf(uri, domains), undefined, uri);
    }
  });
});

it('a header with an invalid name is left out, and a value stays on one line', () => {
  const sipHeaders = { A: 'one\r\ntwo\u0000', ' B': 'x', 'X:Y': 'z' };
  const spec = legSpec({ from: 'alice', callerName: '', to: 'bob', sipHeaders });
  const { headers } = inviteOf({ leg: 'leg-1', spec, callee: 'bob', targets: [] }, 'a.example');
  assert.deepEqual(headers, [
    ['X-PH-A', 'one two '],
    ['X-CallUUID', 'leg-1'],
  ]);
});
