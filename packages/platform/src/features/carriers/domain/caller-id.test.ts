import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callerIdFor, callerNameFor } from './caller-id.ts';

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

describe('the caller name at a carrier', () => {
  const replace = { rule: 'replace', number: '+12025550000' } as const;
  const allow = { rule: 'allow', prefixes: ['1202'], number: '+12025550000' } as const;
  const nameBy = (rule: typeof replace | typeof allow, from: string, name: string) =>
    callerNameFor(rule, { from, name, caller: callerIdFor(rule, from) ?? '' });

  it('is dropped where it shows the caller that the rule has replaced', () => {
    for (const [from, name] of [
      ['+33611111111', '+33611111111'],
      ['+33611111111', 'Ann (+33 6 11 11 11 11)'],
      ['33611111111', 'Ann 33-611-111-111'],
      ['+33611111111', '+\uff13\uff13 \uff16\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11'],
      ['alice261121120000', 'alice261121120000'],
    ] as const) {
      assert.equal(nameBy(replace, from, name), '', name);
      assert.equal(nameBy(allow, from, name), '', name);
    }
  });

  it('is dropped where it is another number than the caller, also for an allowed caller', () => {
    for (const name of ['+1 (911)', '06 11 11 11 11', '911', '\u0669\u0661\u0661']) {
      assert.equal(nameBy(replace, '+12025550111', name), '', name);
      assert.equal(nameBy(allow, '+12025550111', name), '', name);
    }
  });

  it('is kept where it is a name, or the caller itself', () => {
    for (const name of ['Acme', 'Room 7', 'Agent 3361', '', '東京']) {
      assert.equal(nameBy(replace, '+33611111111', name), name);
      assert.equal(nameBy(allow, '+12025550111', name), name);
    }
    assert.equal(nameBy(replace, '+33611111111', '+1 202 555 0000'), '+1 202 555 0000');
    assert.equal(nameBy(allow, '12025550111', '+12025550111'), '+12025550111');
  });

  it('is kept whatever it is without a rule', () => {
    const keep = { rule: 'keep' } as const;
    const shown = { from: '+33611111111', caller: '+33611111111', name: '+1 (911)' };
    assert.equal(callerNameFor(keep, shown), '+1 (911)');
  });
});
