import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callerIdFor } from './caller-id.ts';

describe('the caller id at a carrier', () => {
  it('is kept, replaced, or kept where its prefix is allowed', () => {
    assert.equal(callerIdFor({ rule: 'keep' }, 'alice'), 'alice');
    assert.equal(callerIdFor({ rule: 'replace', number: '+12025550000' }, 'alice'), '+12025550000');
    const allow = { rule: 'allow', prefixes: ['1202'], number: undefined } as const;
    assert.equal(callerIdFor(allow, '+12025550111'), '+12025550111');
    assert.equal(callerIdFor(allow, '12025550111'), '12025550111');
  });

  it('refuses the call where it is neither allowed nor replaced', () => {
    const allow = { rule: 'allow', prefixes: ['1202'], number: undefined } as const;
    assert.equal(callerIdFor(allow, '+4930123456'), undefined);
    assert.equal(callerIdFor(allow, '1202alice'), undefined);
    assert.equal(callerIdFor({ ...allow, number: '+12025550000' }, '+4930123456'), '+12025550000');
  });
});
